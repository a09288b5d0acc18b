"""Innermost loops with few constant iterations, inside of other loops, become straight code, from the inside out.

    for (i ...)                            for (i ...) {
      for (k = 0; k < 3; ++k)      ->        s += a[3 * i];
        s += a[3 * i + k];                   s += a[3 * i + 1];
                                             s += a[3 * i + 2];
                                           }

Then the accesses of all iterations are seen together; loops without accesses stay, whose values lanes compute in step. The
function is prepared before and after.
"""

from __future__ import annotations

from typing import Final

from rv.analysis.cfg.loops import LoopForest, NaturalLoop, find_loops
from rv.analysis.values.uses import definitions
from rv.ir.function import Function
from rv.ir.hints import NO_HINTS
from rv.ir.instructions import Load, Store
from rv.transform.loops.unroll import constant_trips, unroll
from rv.transform.prepare import canonicalize
from rv.transform.scalar.stores_together import stores_together

MOST_TRIPS: Final = 16
MOST_INSTRUCTIONS: Final = 600
"""Instructions of a loop after it is unrolled."""


def unroll_inner(function: Function) -> Function:
    """The function with these loops unrolled; the function itself where there are none."""
    source = function
    while True:
        forest, known = find_loops(function), definitions(function)
        for loop in forest.loops.values():
            trips = constant_trips(function, loop, known, MOST_TRIPS) if _is_inner(function, forest, loop) else None
            if trips and trips * sum(1 for _ in function.instructions_in(loop.blocks)) <= MOST_INSTRUCTIONS:
                function = canonicalize(unroll(function, loop, trips))
                break
        else:
            return function if function is source else stores_together(function)


def _is_inner(function: Function, forest: LoopForest, loop: NaturalLoop) -> bool:
    """Whether a loop without hints that accesses memory is in another one and holds none; it is left by its header alone."""
    holds = any(other.parent == loop.header for other in forest.loops.values())
    if loop.parent is None or holds or len(loop.exits) != 1 or function.block(loop.header).hints != NO_HINTS:
        return False
    return any(isinstance(instruction, Load | Store) for _, instruction in function.instructions_in(loop.blocks))
