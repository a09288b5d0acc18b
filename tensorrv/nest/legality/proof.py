"""Whether a brush gives the results of the scalar loop nest, and under which run-time conditions (design: legality by
schedules).

The brushed loops are a chain, each inside the one before; other loops between and inside run sequentially, all lanes in lock
step. Checked in this order: what has nothing to do with arrays (`preconditions`), stack objects are local to iterations
(`local_objects`), variables carry only inductions and reductions (`carried`), subscripts of what is written are affine, no
dependence between array elements runs backwards (`dependence`), and overlaps of distinct arrays can be checked at run time
(`aliasing`). The first failure becomes the Diagnostic.

A legal brush is legal with every narrower tail as well. Control flow in the body is handled by code generation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, product
from typing import Final

from rv.analysis.values.uses import definitions, pointer_roots
from rv.evolution.closed_forms import merged
from rv.evolution.facts import Legal, Loop
from rv.ir.types import FloatMode
from tensorrv.nest.affine.choices import within
from tensorrv.nest.affine.size_limits import size_limits
from tensorrv.nest.choice.hints import parallel_hint
from tensorrv.nest.legality.aliasing import Guards, alias_guards
from tensorrv.nest.legality.carried import carried_variable
from tensorrv.nest.legality.changing import what_changes
from tensorrv.nest.legality.claim import BrushSizes, Claim
from tensorrv.nest.legality.dependence import (
    Meetings,
    Scheduled,
    TooHard,
    Violation,
    find_violations,
    may_break,
)
from tensorrv.nest.legality.local_objects import refused_objects
from tensorrv.nest.legality.meetings import Compared, Group, in_text_order, known_conditions, written_groups
from tensorrv.nest.legality.preconditions import (
    calls,
    divergent,
    folds,
    lanes_together,
    tests,
    together,
    too_long,
    uncountable,
)
from tensorrv.nest.legality.replay import seen_in_run
from tensorrv.nest.legality.unproved import explain_unproved
from tensorrv.nest.legality.witness import brush_text, explain_shared, explain_violation
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic, Related
from tensorrv.schedule.schedule import Schedule

_TRIED: Final = 4
"""Conflicts of one array that are looked for in a run before the brush is refused as not proved."""


def check_brush(
    nests: Nests,
    brush: BrushSizes,
    *,
    fp: FloatMode = "strict",
    assume_no_alias: bool = False,
    assume_parallel: frozenset[str] = frozenset(),
) -> Legal | Diagnostic:
    """Whether the loops `brush` (header, size; outermost first) may be brushed.

    `assume_parallel` holds names or headers of loops that are declared independent, as by pragmas. ValueError when
    the headers are no chain of nested loops.
    """
    return _Proof(Claim.of(nests, brush, fp, assume_no_alias, assume_parallel)).run(hints=True)


def check_threads(
    nests: Nests,
    header: str,
    *,
    assume_no_alias: bool = False,
    assume_parallel: frozenset[str] = frozenset(),
) -> Legal | Diagnostic:
    """Whether iterations of the loop may run at the same time in any order, as threads run them.

    That is more than a brush needs: lanes run in lock step and brushes one after the other. Nothing may be carried from one
    iteration to another, folds included, neither in variables nor through array elements.
    """
    claim = Claim.of(nests, ((header, 2),), "strict", assume_no_alias, assume_parallel)
    return _Proof(replace(claim, for_threads=True)).run_threads()


def check_order(
    nests: Nests,
    schedule: Schedule,
    what: str,
    region: Loop,
    *,
    assume_no_alias: bool = False,
    assume_parallel: frozenset[str] = frozenset(),
    witnessed: bool = True,
) -> Legal | Diagnostic:
    """Whether loops may run in the order of a schedule, one iteration after the other; `what` it does is for messages.

    `witnessed`: a refusal shows two iterations of a run of the function, for which it is executed.

    The region is the loop around all of them, or neighbouring loops with what stands between them, as one loop with the first
    one's preheader and the last one's exit. Loops inside that the schedule does not have keep their places. Run-time checks
    stand before the region.
    """
    compared = Compared.of(nests, region, assume_no_alias, assume_parallel)
    return _Proof(replace(compared.claim, order=schedule, what=what, witnessed=witnessed), compared).run_order()


@dataclass(frozen=True, slots=True)
class _Witness:
    """A conflict that satisfies all constraints, and whether a run of the function has it."""

    violation: Violation
    happens: bool


@dataclass(frozen=True, slots=True)
class _Proof:
    """`compared`: what an order is compared with."""

    claim: Claim
    compared: Compared | None = None

    def run(self, *, hints: bool) -> Legal | Diagnostic:
        refusal = next(self._refusals(), None) or self._dependence(hints=hints)
        return self._granted() if refusal is None else refusal

    def run_threads(self) -> Legal | Diagnostic:
        claim = self.claim
        refusals = (*uncountable(claim), *tests(claim), *calls(claim), *folds(claim), *self._unknown_subscripts())
        refusal = next(iter(refusals), None) or self._shared()
        return self._granted() if refusal is None else refusal

    def run_order(self) -> Legal | Diagnostic:
        refusals = (*calls(self.claim), *together(self.claim), *self._unknown_subscripts())
        refusal = next(iter(refusals), None) or self._dependence(hints=False)
        return self._granted() if refusal is None else refusal

    def _refusals(self) -> Iterator[Diagnostic]:
        yield from uncountable(self.claim)
        yield from tests(self.claim)
        yield from too_long(self.claim)
        yield from divergent(self.claim)
        yield from calls(self.claim)
        yield from refused_objects(self.claim.nests, self.claim.region, self.claim.brushed, dict(self.claim.brush))
        yield from lanes_together(self.claim)
        for loop in self.claim.brushed:
            found = carried_variable(self.claim.facts, loop, self.claim.fp)
            if found is not None:
                yield found
        yield from self._unknown_subscripts()

    def _unknown_subscripts(self) -> Iterator[Diagnostic]:
        """Accesses of written arrays at unknown elements, unless the loops are declared independent."""
        scheduled, schedule, promises = self._scheduled(), self.claim.schedule(), self.claim.promises
        for one in sorted(scheduled, key=lambda s: s.access.kind == "load"):
            if one.access.array.name not in self.claim.written or one.subscripts is not None:
                continue
            for other in scheduled:
                if other.access.array == one.access.array and "store" in (one.access.kind, other.access.kind):
                    if may_break(one, other, schedule, promises) and not (one is other and self._keeps_order(one)):
                        yield self._unknown(one, other)

    def _keeps_order(self, one: Scheduled) -> bool:
        """Whether a store that could be anywhere does not meet itself in another order, nor at the same time in threads."""
        return one.in_order and not self.claim.for_threads

    def _unknown(self, one: Scheduled, other: Scheduled) -> Diagnostic:
        roots = pointer_roots(definitions(self.claim.facts.function), one.access.array)
        name = "` or `".join(sorted({root.source_name for root in roots}))
        verb = "written" if one.access.kind == "store" else "read"
        place = None if one is other else other.access.span
        related = () if place is None else (Related(place, f"`{name}` is accessed here too"),)
        changes = what_changes(self.claim.facts, self.claim.region, one.access.array)
        what = "through a pointer that may change in the loop" if changes else "at a subscript that is not affine"
        return Diagnostic(
            severity="error",
            code="TRV306",
            message=f"`{name}` is {verb} {what}: {self._collides}",
            span=one.access.span,
            label="the accessed element is not known before the loops",
            related=(*related, *changes),
            hint=parallel_hint(self.claim.brushed),
        )

    @property
    def _collides(self) -> str:
        what, brush = self.claim.what, brush_text(self.claim.brush)
        return f"{what} may change a dependence" if what else f"lanes of brush {brush} may conflict"

    def _shared(self) -> Diagnostic | None:
        """Two iterations of the loop that touch one element, one of them writing it."""
        if self.claim.promises.asserted:
            return None
        for group, known, derived in self._written_groups():
            try:
                found = self._witness(find_violations(group, self.claim.schedule(), self.claim.promises, known, derived))
            except TooHard:
                return self._too_hard(group[0].access.array.source_name, group)
            if found is not None:
                hint = parallel_hint((self.claim.region,))
                if found.happens:
                    return explain_shared(self.claim.facts, found.violation, hint)
                return explain_unproved(self.claim.facts, f"dividing the {self.claim.region.called}", found.violation, hint)
        return None

    def _witness(self, violations: Iterator[Violation]) -> _Witness | None:
        """The first of some conflicts that really happens, or the first one; None when there are none. Raises TooHard."""
        first: Violation | None = None
        for violation in islice(violations, _TRIED if self.claim.witnessed else 1):
            seen = seen_in_run(self.claim.nests, violation) if self.claim.witnessed else None
            if seen is not None:
                return _Witness(seen, happens=True)
            first = first or violation
        return None if first is None else _Witness(first, happens=False)

    def _scheduled(self) -> tuple[Scheduled, ...]:
        return in_text_order(self.claim, None) if self.compared is None else self.compared.scheduled

    def _dependence(self, *, hints: bool) -> Diagnostic | None:
        for group, known, derived in self._written_groups():
            meetings: Meetings = {}
            for brush in self._with_tails():
                schedule = self.claim.schedule().with_brush(dict(brush))
                violations = find_violations(group, schedule, self.claim.promises, known, derived, meetings)
                try:
                    found = self._witness(violations)
                except TooHard:
                    return self._too_hard(group[0].access.array.source_name, group)
                if found is not None:
                    return self._violated(brush, found, hints=hints)
        return None

    def _written_groups(self) -> Iterable[Group]:
        return written_groups(self.claim, self._scheduled()) if self.compared is None else self.compared.groups

    def _with_tails(self) -> Iterator[BrushSizes]:
        """The brush, and those that take some dimensions one by one.

        What a brush leaves over at the end of a dimension may run as narrower brushes. One between these sizes orders each
        pair of iterations as one of the two does.
        """
        yield from (brush for brush in product(*(dict.fromkeys(((h, size), (h, 1))) for h, size in self.claim.brush)))

    def _violated(self, brush: BrushSizes, found: _Witness, *, hints: bool) -> Diagnostic:
        if not found.happens:
            hint = parallel_hint(self.claim.brushed) if hints else ""
            return explain_unproved(self.claim.facts, self.claim.what or f"the brush {brush_text(brush)}", found.violation, hint)
        hint = self._smaller_brushes() if hints else ""
        if brush != self.claim.brush:
            hint = f"the remainders of the brush {brush_text(self.claim.brush)} run as narrower brushes; {hint}"
        return explain_violation(self.claim.facts, self.claim.what or f"the brush {brush_text(brush)}", found.violation, hint)

    def _smaller_brushes(self) -> str:
        """Which part of the brush would be legal."""
        for kept in reversed(range(len(self.claim.brush))) if len(self.claim.brushed) > 1 else ():
            sizes = tuple((header, size if index == kept else 1) for index, (header, size) in enumerate(self.claim.brush))
            if sizes[kept][1] == 1:
                continue
            if isinstance(_Proof(replace(self.claim, brush=sizes)).run(hints=False), Legal):
                return f"the brush {brush_text(sizes)} is legal"
        if self._is_alone():
            return "writing the result to another array could make it legal; that is not done automatically"
        return "wavefronts (--skew) or writing the result to another array could make it legal; neither is done automatically"

    def _is_alone(self) -> bool:
        """Whether the region is one loop, along which no wavefront can be put."""
        region = self.claim.region.blocks
        return not any(loop.blocks < region or region < loop.blocks for loop in self.claim.facts.loops.values())

    def _too_hard(self, array: str, group: Sequence[Scheduled]) -> Diagnostic:
        return Diagnostic(
            severity="error",
            code="TRV307",
            message=f"the test of the dependences through `{array}` under {self.claim.subject} exceeds its operation limit",
            span=group[0].access.span,
            label=f"accesses of `{array}`",
            hint=parallel_hint(self.claim.brushed),
        )

    def _granted(self) -> Legal | Diagnostic:
        claim = self.claim
        guards: Guards | Diagnostic = Guards((), ())
        # promises are about iterations; other orders also rest on what one iteration does to arrays
        if claim.order is not None or not all(map(claim.is_declared_independent, claim.brushed)):
            guards = alias_guards(claim.facts, claim.region, claim.accesses, assume_no_alias=claim.assume_no_alias)
        if isinstance(guards, Diagnostic):
            return guards
        conditions = merged(known_conditions(claim), guards.conditions)
        used = [end for pair in guards.overlaps for f in pair for end in (f.low, f.high)]
        used += [p for a in claim.accesses for p in (*(a.subscripts or ()), *a.extents)]
        region = claim.region.blocks
        used += [p for loop in claim.facts.loops.values() if loop.header in region for p in loop.domain]
        used += [c.polynomial for c in conditions]
        limits = size_limits(conditions, within(claim.facts, used), claim.facts.bits)
        return Legal(merged(conditions, limits), guards.overlaps)
