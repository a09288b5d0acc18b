"""Two versions of every nest that takes its brush under conditions only: one for lanes, behind a test, and the scalar one.

What a proof leaves to be tested (`Legal`) becomes code once, here. From then on it is known in the tested version: accumulators
and loads are moved out of loops past accesses of arrays that do not overlap, and facts that rest on tested conditions hold
(`tensorrv.nest.legality.region.facts_within`). Nothing is proved again.

The proof is about a copy in which no arrays overlap: an accumulator in memory is a variable there, whose loads and stores may
have left the loop. In the function itself such arrays are accessed, and must not overlap others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.memory.alias import Distinct
from rv.analysis.values.uses import Definition, definitions
from rv.evolution.facts import Legal, Loop
from rv.ir.function import Function
from rv.ir.instructions import Phi
from rv.ir.rewrite import FreshNames
from rv.transform.loops.evaluation import NotKnownBefore
from rv.transform.loops.promote import promote
from rv.transform.loops.run_time_test import run_time_test
from rv.transform.loops.version import Test, version_loops
from tensorrv.interface.storage.arrays import LaidOutArray
from tensorrv.interface.storage.lengths import EntryCode
from tensorrv.interface.storage.overlaps import stored_overlaps
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.choice.choose import Choice
from tensorrv.nest.choice.hints import declared_independent
from tensorrv.nest.legality.aliasing import alias_guards, may_meet
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan


def tells_arrays_apart(loops: Mapping[str, Loop], choice: Choice, plan: Plan) -> bool:
    """Whether arrays of the nest are known not to overlap, by a hint or a check.

    Where hints cover all loops of which several iterations run at once nothing is checked: then one iteration may still access
    an element by two pointers.
    """
    return plan.assume_no_alias or not _covered_by_hints(loops, choice, plan)


def _covered_by_hints(loops: Mapping[str, Loop], choice: Choice, plan: Plan) -> bool:
    asserted, together = frozenset(plan.assume_parallel), [loops[header] for header, size in choice.brush if size > 1]
    return all(declared_independent(loop, asserted) for loop in together)


def with_versions(
    function: Function, proved: Nests, choices: Sequence[Choice], plan: Plan, stored: Sequence[LaidOutArray]
) -> tuple[Function, list[Choice]]:
    """The function with the versions that choices need, which were `proved` on a copy, and the choices with all that is tested.

    `stored` are the arrays with a layout. A nest is refused whose test would need what is only known inside.
    """
    versions = _Versions(function, proved, plan, stored, find_loops(function), FreshNames.of(function))
    return versions.result([versions.tested(choice) for choice in choices])


@dataclass(frozen=True, slots=True)
class _Versions:
    function: Function
    proved: Nests
    plan: Plan
    stored: Sequence[LaidOutArray]
    forest: LoopForest
    names: FreshNames

    def tested(self, choice: Choice) -> tuple[Choice, Test | None]:
        """The choice with all that its nest needs at run time, and the test of that."""
        legal = self._legal(choice)
        if not isinstance(legal, Legal) or not legal.is_conditional:
            return replace(choice, outcome=legal), None
        header = choice.brush[0][0]
        code = EntryCode(self.function, self.names)
        (place,) = self.forest.loops[header].entering
        whole = stored_overlaps({array.var.name: array for array in self.stored}, legal, code)
        if isinstance(whole, Diagnostic):
            return replace(choice, outcome=whole), None
        try:
            self._check_names(legal)
            test = run_time_test(self.function, place, self.proved.loops, whole, self.names, tuple(code.body))
        except NotKnownBefore:
            return replace(choice, outcome=_late_test(self.proved.loops[header])), None
        return replace(choice, outcome=whole), test

    def _legal(self, choice: Choice) -> Legal | Diagnostic:
        """The proof's conditions, and those for arrays that are only accessed in the function itself."""
        if isinstance(choice.outcome, Diagnostic) or not self._has_unchecked_accesses(choice):
            return choice.outcome
        header = choice.brush[0][0]
        facts = nests_within(analyze_nests(self.function, self.proved.in_rows), header)
        region = facts.loops[header]
        accesses = [access for access in facts.accesses if access.block in region.blocks]
        guards = alias_guards(facts, region, accesses, assume_no_alias=self.plan.assume_no_alias)
        if isinstance(guards, Diagnostic):
            return guards
        conditions = (*choice.outcome.conditions, *guards.conditions)
        overlaps = (*choice.outcome.overlaps, *guards.overlaps)
        return Legal(tuple(dict.fromkeys(conditions)), tuple(dict.fromkeys(overlaps)))

    def _has_unchecked_accesses(self, choice: Choice) -> bool:
        """Whether the nest may access arrays that overlap where the proof has not seen it: they have left the nest in the copy
        that was proved, or hints covered the proof.
        """
        if not tells_arrays_apart(self.proved.loops, choice, self.plan):
            return False
        blocks = self.forest.loops[choice.brush[0][0]].blocks
        here = {block.label: block.body for block in self.function.blocks if block.label in blocks}
        there = {block.label: block.body for block in self.proved.function.blocks if block.label in blocks}
        seen = here == there and not _covered_by_hints(self.proved.loops, choice, self.plan)
        return not seen and may_meet(self.function, blocks, assume_no_alias=self.plan.assume_no_alias)

    def _check_names(self, legal: Legal) -> None:
        """Raises NotKnownBefore where a condition is about a variable that is something else in the function itself."""
        there, here = definitions(self.proved.function), definitions(self.function)
        for name in sorted({symbol.name for symbol in legal.symbols if symbol.is_variable}):
            if not _alike(there.get(name), here.get(name)):
                raise NotKnownBefore(f"`{name.partition('.')[0]}` is computed inside")

    def result(self, tested: Sequence[tuple[Choice, Test | None]]) -> tuple[Function, list[Choice]]:
        tests = {choice.brush[0][0]: test for choice, test in tested if test is not None}
        choices = [choice for choice, _ in tested]
        if not tests:
            return self.function, choices
        function = version_loops(self.function, [self.forest.loops[header] for header in sorted(tests)], tests).function
        found = (c for c in choices if c.brush[0][0] in tests and tells_arrays_apart(self.proved.loops, c, self.plan))
        apart = frozenset(choice.brush[0][0] for choice in found)
        return promote(function, Distinct(loops=apart, types=self.plan.strict_aliasing)), choices


def _alike(left: Definition | None, right: Definition | None) -> bool:
    """Whether a variable has one definition in two versions of a function; phis may differ in their edges."""
    return left == right or (isinstance(left, Phi) and isinstance(right, Phi))


def _late_test(loop: Loop) -> Diagnostic:
    return Diagnostic(
        "error",
        "TRV141",
        f"the run-time check that allows a brush on the {loop.called} depends on memory that the loop may write",
        loop.span,
        "bounds or subscripts are loaded from an array that may overlap a written one",
        hint="declare the pointers `restrict`, or pass --assume-no-alias",
    )
