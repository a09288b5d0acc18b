"""The fixed sequence between a front end and everything after it.

Afterwards a function is simplified, small stack objects are variables, arms compute nothing in common, arms that store the same
element share the store, small branches are selects, loops have one preheader, one latch, dedicated exits and headers that only
test, loop-invariant code is in preheaders, loops over pointers and with variable steps have integer counters, loops with
several bounds have one, accumulators are computed in their own types, arithmetic on narrow data is narrow, and values leave
loops through phis (loop-closed SSA).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rv.analysis.memory.alias import NOWHERE, Distinct
from rv.analysis.remembered import remembered
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.steps import Keep, forget
from rv.transform.bare_tests import bare_tests
from rv.transform.leading_tests import lead_with_tests
from rv.transform.loops.hoist import hoist_invariants
from rv.transform.loops.joint_bounds import join_bounds
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from rv.transform.loops.pointer_counters import count_pointers
from rv.transform.loops.variable_steps import count_variable_steps
from rv.transform.narrow.absolute import compare_subtracted
from rv.transform.narrow.accumulators import narrow_accumulators
from rv.transform.narrow.conditional_sums import add_conditionally
from rv.transform.narrow.trees import narrow
from rv.transform.scalar.common_arms import join_common_code
from rv.transform.scalar.promote_objects import promote_objects
from rv.transform.scalar.select import convert_branches
from rv.transform.scalar.sink_stores import sink_stores
from rv.transform.simplify import simplify

Pass = Callable[[Function], Function]


@remembered
def prepare(function: Function) -> Function:
    """The function in the form described above; its meaning is the same."""
    return prepare_in_steps(function, forget)


def prepare_in_steps(function: Function, keep: Keep) -> Function:
    """The function in the form described above; `keep` is called with the result of each pass."""
    for name, run in _BEFORE:
        function = keep(name, run(function))
    canonical = function
    for name, run in _ON_CANONICAL:
        function = keep(name, run(function))
    return function if function is canonical else keep("canonicalize", canonicalize(function))


def canonicalize(function: Function, distinct: Distinct = NOWHERE) -> Function:
    """Simplified, hoisted, and brought into loop-simplify form with bare tests and loop-closed SSA."""
    while True:
        before = function
        function = simplify_loops(simplify(function, distinct))
        function = hoist_invariants(function, distinct)
        if function == before:
            return verify(close_loops(bare_tests(function)))


def test_first(function: Function) -> Function:
    """The function, canonical as before, whose loops test first."""
    changed = lead_with_tests(function)
    return function if changed is function else canonicalize(changed)


_BEFORE: Final[tuple[tuple[str, Pass], ...]] = (
    ("promote-objects", promote_objects),
    ("simplify", simplify),
    ("join-common-code", join_common_code),
    ("sink-stores", sink_stores),
    ("convert-branches", convert_branches),
    ("canonicalize", canonicalize),
    ("leading-tests", test_first),
)
_ON_CANONICAL: Final[tuple[tuple[str, Pass], ...]] = (
    ("count-pointers", count_pointers),
    ("join-bounds", join_bounds),
    ("variable-steps", count_variable_steps),
    ("narrow-accumulators", narrow_accumulators),
    ("absolute-differences", compare_subtracted),
    ("conditional-sums", add_conditionally),
    ("narrow", narrow),
)
