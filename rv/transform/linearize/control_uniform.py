"""Control flow for lanes: from any reducible function to one whose branches all threads take together.

    scalar code --one return, loop-simplify, loop-closed--> --divergence--> --uniform loops--> --partial linearization-->

What the source means under the FREEZING interpretation, the result means under the OBLIVIOUS one (thesis, section 3.7).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rv.analysis.divergence.divergence_analysis import divergence
from rv.ir.function import Function
from rv.ir.steps import Keep, forget
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


@dataclass(frozen=True, slots=True)
class Divergent:
    """A region of a function (None: all of it), the blocks whose branches threads may take differently, and the headers of the
    loops that they may leave apart; those outside of the region do not count.
    """

    region: frozenset[str] | None
    branches: frozenset[str]
    loops: frozenset[str]

    @property
    def inside(self) -> frozenset[str]:
        """The branches in the region."""
        return self.branches if self.region is None else self.branches & self.region


def linear_control(
    function: Function,
    divergent: Divergent,
    skipped: Mapping[str, str],
    mask: Value = TRUE,
    keep: Keep = forget,
) -> Function:
    """The function with only uniform branches in a region, which has the form of `canonical_control`.

    `skipped`: sides that are skipped without active threads, by the blocks that branch. `mask`: the threads that are to run
    the region. `keep` is called with every step.
    """
    region, inside = divergent.region, divergent.inside
    sides = {branch: side for branch, side in skipped.items() if branch in inside}
    tested = skip_sides(function, inside, region, sides)
    headers = divergent.loops if region is None else divergent.loops & region
    loops = uniform_loops(keep("skip-sides", tested.function), headers, tested.divergent, tested.region)
    return keep("linearize", linearize(keep("uniform-loops", loops.function), loops.divergent, loops.region, mask))


def control_uniform(
    function: Function,
    varying: Iterable[str],
    uniform: Iterable[str] = (),
    mask: Value = TRUE,
    skip_from: float | None = None,
) -> Function:
    """The control-uniform form of a function for threads between which the parameters `varying` differ.

    `mask` are the threads that run the function at all; the others only return. With `skip_from`, code under a divergent branch
    is skipped when no thread is active, if that is expected to save as much (`rv.transform.linearize.boscc`).
    """
    function = canonical_control(function)
    facts = divergence(function, varying, uniform)
    divergent = Divergent(None, facts.divergent_branches, facts.divergent_loops)
    sides: Mapping[str, str] = {}
    if skip_from is not None:
        sides = expensive_sides(function, facts.divergent_branches, least=skip_from, threads=1)
    return linear_control(function, divergent, sides, mask)
