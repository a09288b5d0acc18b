"""Control flow for lanes: from any reducible function to one whose branches all threads take together.

    scalar code --one return, loop-simplify, loop-closed--> --divergence--> --uniform loops--> --partial linearization-->

What the source means under the FREEZING interpretation, the result means under the OBLIVIOUS one (thesis, section 3.7).
"""

from __future__ import annotations

from collections.abc import Iterable

from rv.analysis.divergence.basic import divergence
from rv.ir.function import Function
from rv.ir.values import TRUE, Value
from rv.transform.linearize.boscc import expensive_sides, skip_sides
from rv.transform.linearize.divergent_loops import uniform_loops
from rv.transform.linearize.endless_loops import leave_endless_loops
from rv.transform.linearize.partial import linearize
from rv.transform.linearize.single_return import single_return
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops


def canonical_control(function: Function) -> Function:
    """The function with one return and all loops in loop-simplify and loop-closed form.

    Every block reaches the return. A loop with several back edges gets one latch, at which the threads of an iteration meet: what
    horizontal operations in it see is defined by this form.
    """
    return close_loops(simplify_loops(single_return(leave_endless_loops(function))))


def control_uniform(
    function: Function,
    varying: Iterable[str],
    uniform: Iterable[str] = (),
    mask: Value = TRUE,
    skip_from: float | None = None,
) -> Function:
    """The control-uniform form of a function for threads between which the parameters `varying` differ.

    `mask` are the threads that run the function at all; the others only return. With `skip_from`, code under a divergent branch
    is skipped when no thread wants it, if that is expected to save as much (`rv.transform.linearize.boscc`).
    """
    function = canonical_control(function)
    facts = divergence(function, varying, uniform)
    branches = facts.divergent_branches
    if skip_from is not None:
        skipped = skip_sides(function, branches, None, expensive_sides(function, branches, least=skip_from, threads=1))
        function, branches = skipped.function, skipped.divergent
    loops = uniform_loops(function, facts.divergent_loops, branches)
    return linearize(loops.function, loops.divergent, mask=mask)
