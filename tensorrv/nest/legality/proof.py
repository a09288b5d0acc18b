"""Whether a brush gives the results of the scalar loop nest, and under which run-time conditions (design: legality by
schedules).

The brushed loops are a chain, each inside the one before; other loops between and inside run sequentially, all lanes in lock
step. Checked in this order: the loops can be counted, their tests only test (`loop_tests`), loops inside do the same trips in
every lane, no calls but libm's pure ones, stack objects are local to iterations (`local_objects`), variables carry only
inductions and reductions, subscripts of what is written are affine, no dependence between array elements runs backwards
(`dependence`), and overlaps of distinct arrays can be checked at run time (`aliasing`). The first failure becomes the Diagnostic.

A legal brush is legal with every narrower tail as well. Control flow in the body is handled by code generation.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import islice, pairwise, product
from math import prod
from typing import Final

from rv.analysis.cfg.block_order import block_order
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.region import find_region
from rv.analysis.values.uses import definitions, pointer_roots
from rv.evolution.closed_forms import merged
from rv.evolution.facts import Condition, Legal, Loop, counter
from rv.evolution.polynomial import Polynomial
from rv.ir.instructions import Call, Horizontal
from rv.ir.libm import EXACT
from rv.ir.types import FloatMode, size_of
from tensorrv.nest.affine.choices import within
from tensorrv.nest.affine.derived import Derived, derived_facts
from tensorrv.nest.affine.quotients import Facts
from tensorrv.nest.affine.size_limits import size_limits
from tensorrv.nest.choice.hints import declared_independent, independent_in_threads, is_assumed, parallel_hint, safe_length
from tensorrv.nest.legality.aliasing import Guards, alias_guards
from tensorrv.nest.legality.carried import carried_variable, is_reduction_loop
from tensorrv.nest.legality.changing import what_changes, what_changes_the_bound
from tensorrv.nest.legality.dependence import (
    Promises,
    Scheduled,
    TooHard,
    Violation,
    find_violations,
    may_break,
    subscripts_of,
)
from tensorrv.nest.legality.distinct_subscripts import View
from tensorrv.nest.legality.local_objects import refused_objects
from tensorrv.nest.legality.loop_tests import work_in_test
from tensorrv.nest.legality.region import conditions_of, facts_within, nests_within
from tensorrv.nest.legality.replay import seen_in_run
from tensorrv.nest.legality.unproved import explain_unproved
from tensorrv.nest.legality.witness import brush_text, explain_shared, explain_violation
from tensorrv.nest.model import Access, Nests
from tensorrv.report.diagnostics import Diagnostic, Related
from tensorrv.schedule.schedule import Dimension, Schedule, in_order

BrushSizes = tuple[tuple[str, int], ...]

_PURE: Final = EXACT | frozenset(
    name + suffix
    for name in (
        *("cbrt", "nearbyint", "round"),
        *("fdim", "hypot", "pow", "fmod", "remainder", "nextafter"),
        *("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "asinh", "acosh", "atanh"),
        *("exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "erf", "erfc", "tgamma"),
        *("logb", "ilogb", "ldexp", "scalbn", "scalbln", "lround", "llround", "lrint", "llrint"),
    )
    for suffix in ("", "f")
)  # frexp, modf, remquo and lgamma write elsewhere
BALLOT_LANES: Final = 64
"""What a ballot has bits for."""
_TRIED: Final = 4
"""Conflicts of one array that are looked for in a run before the brush is refused as not proved."""


def check_brush(
    nests: Nests,
    brush: BrushSizes,
    *,
    fp: FloatMode = "strict",
    assume_no_alias: bool = False,
    assume_parallel: frozenset[str] = frozenset(),
    linearized: bool = False,
) -> Legal | Diagnostic:
    """Whether the loops `brush` (header, size; outermost first) may be brushed.

    `assume_parallel` holds names or headers of loops that are declared independent, as by pragmas. In a function that has been
    `linearized` operations across lanes are the compiler's own, or have been judged before. ValueError when the headers are no
    chain of nested loops.
    """
    return _Check.of(nests, brush, fp, assume_no_alias, assume_parallel, linearized).run(hints=True)


def check_threads(
    nests: Nests,
    header: str,
    *,
    assume_no_alias: bool = False,
    assume_parallel: frozenset[str] = frozenset(),
    linearized: bool = False,
) -> Legal | Diagnostic:
    """Whether iterations of the loop may run at the same time in any order, as threads run them; `linearized`: as above.

    That is more than a brush needs: lanes run in lock step and brushes one after the other. Nothing may be carried from one
    iteration to another, folds included, neither in variables nor through array elements.
    """
    check = _Check.of(nests, ((header, 2),), "strict", assume_no_alias, assume_parallel, linearized)
    return replace(check, for_threads=True).run_threads()


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
    facts, unbrushed = facts_within(nests, region), ((region.header, 1),)
    check = _Check.over(nests, facts, region, unbrushed, "strict", assume_no_alias, assume_parallel, linearized=False)
    return replace(check, order=schedule, what=what, witnessed=witnessed).run_order()


@dataclass(frozen=True, slots=True)
class _Witness:
    """A conflict that satisfies all constraints, and whether a run of the function has it."""

    violation: Violation
    happens: bool


@dataclass(frozen=True, slots=True)
class _Check:
    nests: Nests
    facts: Nests
    region: Loop
    brush: BrushSizes
    fp: FloatMode
    assume_no_alias: bool
    assume_parallel: frozenset[str]
    linearized: bool
    accesses: tuple[Access, ...]
    written: frozenset[str]
    for_threads: bool = False
    order: Schedule | None = None
    what: str = ""
    """What is checked, if not a brush."""
    witnessed: bool = True

    @staticmethod
    def of(
        nests: Nests, brush: BrushSizes, fp: FloatMode, no_alias: bool, parallel: frozenset[str], linearized: bool
    ) -> _Check:
        for (outer, _), (inner, _) in pairwise(brush):
            if inner == outer or inner not in nests.loops[outer].blocks:
                raise ValueError(f"loop {inner} is not inside loop {outer}")
        facts = nests_within(nests, brush[0][0])
        return _Check.over(nests, facts, facts.loops[brush[0][0]], brush, fp, no_alias, parallel, linearized=linearized)

    @staticmethod
    def over(
        nests: Nests,
        facts: Nests,
        region: Loop,
        brush: BrushSizes,
        fp: FloatMode,
        no_alias: bool,
        parallel: frozenset[str],
        *,
        linearized: bool,
    ) -> _Check:
        accesses = tuple(a for a in facts.accesses if a.block in region.blocks)
        written = frozenset(a.array.name for a in accesses if a.kind == "store")
        return _Check(nests, facts, region, brush, fp, no_alias, parallel, linearized, accesses, written)

    def run(self, *, hints: bool) -> Legal | Diagnostic:
        refusal = next(self._refusals(), None) or self._dependence(hints=hints)
        return self._granted() if refusal is None else refusal

    def run_threads(self) -> Legal | Diagnostic:
        refusals = (*self._uncountable(), *self._tests(), *self._calls(), *self._folds(), *self._unknown_subscripts())
        refusal = next(iter(refusals), None) or self._shared()
        return self._granted() if refusal is None else refusal

    def run_order(self) -> Legal | Diagnostic:
        refusals = (*self._calls(), *self._together(), *self._unknown_subscripts())
        refusal = next(iter(refusals), None) or self._dependence(hints=False)
        return self._granted() if refusal is None else refusal

    @property
    def _subject(self) -> str:
        return self.what or f"the brush {brush_text(self.brush)}"

    @property
    def _brushed(self) -> tuple[Loop, ...]:
        """The loops that the brush takes more than one iteration of at once, or those whose order changes."""
        if self.order is not None:
            return tuple(self.facts.loops[header] for d in self.order.dimensions for header in dict.fromkeys(d.loops))
        return tuple(self.facts.loops[header] for header, size in self.brush if size > 1)

    # -- refusals before isl is used

    def _refusals(self) -> Iterator[Diagnostic]:
        yield from self._uncountable()
        yield from self._tests()
        yield from self._too_long()
        yield from self._divergent()
        yield from self._calls()
        yield from refused_objects(self.nests, self.region, self._brushed, dict(self.brush))
        yield from self._lanes_together()
        for loop in self._brushed:
            found = carried_variable(self.facts, loop, self.fp)
            if found is not None:
                yield found
        yield from self._unknown_subscripts()

    def _uncountable(self) -> Iterator[Diagnostic]:
        for header, _ in self.brush:
            loop = self.nests.loops[header]
            if loop.trip is None:
                behind = [other.span for other in self._endless_behind(loop) if other.span is not None]
                yield Diagnostic(
                    severity="error",
                    code="TRV301",
                    message=f"the trip count of the {loop.called} is not computable before the loop",
                    span=loop.span,
                    label="not a counted loop" if loop.exit else "this loop never terminates",
                    related=(
                        *(Related(span, "this loop never terminates") for span in behind),
                        *what_changes_the_bound(self.nests, loop),
                    ),
                    hint="a brush needs a loop whose only exit compares a counter of constant step with an invariant bound",
                )

    def _tests(self) -> Iterator[Diagnostic]:
        for header, _ in self.brush:
            found = work_in_test(self.facts, self.facts.loops[header])
            if found is not None:
                yield found

    def _endless_behind(self, loop: Loop) -> Iterator[Loop]:
        """Loops without a way out to which the loop is left from its middle: they are no part of it."""
        successors = flow_graph(self.nests.function).successors
        left = [target for label in loop.blocks for target in successors[label] if target not in loop.blocks | {loop.exit}]
        for label in left:
            left += [target for target in successors[label] if target not in left]
        for other in self.nests.loops.values():
            if not other.exit and other.header in left:
                yield other

    def _too_long(self) -> Iterator[Diagnostic]:
        """Brushes that take more iterations at once than the user's hint covers."""
        for header, size in self.brush:
            loop = self.nests.loops[header]
            length = safe_length(loop, self.assume_parallel)
            if length is not None and size > length:
                yield Diagnostic(
                    severity="error",
                    code="TRV313",
                    message=f"safelen({length}) allows {length} iterations of the {loop.called} at once, not {size}",
                    span=loop.span,
                    label=f"`#pragma omp simd safelen({length})` stands before this loop",
                    hint=f"brush at most {length} iterations of `{loop.name}`",
                )

    def _divergent(self) -> Iterator[Diagnostic]:
        """Loops down to the innermost brushed one whose trips or start differ between lanes.

        Those further in run while any lane is in them.
        """
        brushed = {counter(loop.header): loop for loop in self._brushed}
        innermost = self.facts.loops[self.brush[-1][0]]
        outermost = self.facts.loops[self.brush[0][0]]
        for loop in self.facts.loops.values():
            if loop.header not in outermost.blocks or loop.header == outermost.header:
                continue
            if innermost.header not in loop.blocks:
                continue
            symbols = frozenset[str]() if loop.trip is None else loop.trip.distance.symbols
            if loop.start is not None:
                symbols = symbols | loop.start.symbols
            culprits = sorted(brushed[s].name for s in symbols if s in brushed and s != counter(loop.header))
            if loop.trip is None or loop.start is None or culprits:
                yield _divergence(loop, culprits, self.nests.loops[loop.header].trip is not None, outermost)

    def _calls(self) -> Iterator[Diagnostic]:
        for _, instruction in self.facts.function.instructions_in(self.region.blocks):
            if isinstance(instruction, Call) and instruction.callee not in _PURE:
                message = f"the {self.region.called} calls `{instruction.callee}`, which may do anything"
                label = "not a pure function of the math library"
                hint = "define the function `static inline` in the same file, or move the call out of the loops"
                if instruction.callee == "__assert_fail":
                    message = f"the {self.region.called} holds an assertion, which may end the program"
                    label, hint = "an assertion", "-D NDEBUG removes assertions"
                yield Diagnostic("error", "TRV304", message, instruction.span, label, hint=hint)

    def _lanes_together(self) -> Iterator[Diagnostic]:
        """Operations across lanes in loops that are not declared independent, and ballots of too many lanes."""
        for block, instruction in self.facts.function.instructions_in(self.region.blocks):
            if not isinstance(instruction, Horizontal) or self.linearized:
                continue
            around = [loop for loop in self._brushed if block.label in loop.blocks]
            undeclared = next((loop for loop in around if not declared_independent(loop, self.assume_parallel)), None)
            if undeclared is not None:
                yield _communication(instruction, undeclared)
            lanes = prod(size for header, size in self.brush if block.label in self.facts.loops[header].blocks)
            if instruction.op == "ballot" and lanes > BALLOT_LANES:
                yield _large_ballot(instruction, self.brush, lanes)

    def _together(self) -> Iterator[Diagnostic]:
        """Operations across lanes, whose results depend on which iterations a brush takes at once."""
        for _, instruction in self.facts.function.instructions_in(self.region.blocks):
            if isinstance(instruction, Horizontal):
                yield _communication(instruction, self.region)

    def _unknown_subscripts(self) -> Iterator[Diagnostic]:
        """Accesses of written arrays at unknown elements, unless the loops are declared independent."""
        scheduled = self._scheduled()
        for one in sorted(scheduled, key=lambda s: s.access.kind == "load"):
            if one.access.array.name not in self.written or one.subscripts is not None:
                continue
            for other in scheduled:
                if other.access.array == one.access.array and "store" in (one.access.kind, other.access.kind):
                    if may_break(one, other, self._schedule(), self._promises) and not (one is other and self._keeps_order(one)):
                        yield self._unknown(one, other)

    def _keeps_order(self, one: Scheduled) -> bool:
        """Whether a store that could be anywhere does not meet itself in another order, nor at the same time in threads."""
        return one.in_order and not self.for_threads

    def _unknown(self, one: Scheduled, other: Scheduled) -> Diagnostic:
        roots = pointer_roots(definitions(self.facts.function), one.access.array)
        name = "` or `".join(sorted({root.source_name for root in roots}))
        verb = "written" if one.access.kind == "store" else "read"
        place = None if one is other else other.access.span
        related = () if place is None else (Related(place, f"`{name}` is accessed here too"),)
        changes = what_changes(self.facts, self.region, one.access.array)
        what = "through a pointer that may change in the loop" if changes else "at a subscript that is not affine"
        return Diagnostic(
            severity="error",
            code="TRV306",
            message=f"`{name}` is {verb} {what}: {self._collides}",
            span=one.access.span,
            label="the accessed element is not known before the loops",
            related=(*related, *changes),
            hint=parallel_hint(self._brushed),
        )

    @property
    def _collides(self) -> str:
        return f"{self.what} may change a dependence" if self.what else f"lanes of brush {brush_text(self.brush)} may conflict"

    # -- dependences

    def _schedule(self) -> Schedule:
        """The order of the region's iterations under the brush; for threads, with those of the loop in any order."""
        inside = [loop for loop in self.facts.loops.values() if loop.header in self.region.blocks]
        if self.order is not None:
            moved = {header for d in self.order.dimensions for header in d.loops}
            rest = (loop.header for loop in inside if loop.header not in moved)
            return Schedule((*self.order.dimensions, *in_order(rest).dimensions))
        if self.for_threads:
            rest = (loop.header for loop in inside if loop != self.region)
            return Schedule((Dimension((self.region.header,), "parallel"), *in_order(rest).dimensions))
        return Schedule(tuple(map(self._dimension, inside)))

    def _dimension(self, loop: Loop) -> Dimension:
        size = dict(self.brush).get(loop.header)
        if size is not None:
            return Dimension((loop.header,), "brush", size)
        between = self.brush[-1][0] in loop.blocks
        return Dimension((loop.header,), "sequential" if between else "inside")

    @property
    def _promises(self) -> Promises:
        answered = [loop for loop in self._brushed if self._is_declared_independent(loop)]
        assumed = frozenset(loop.header for loop in answered if is_assumed(loop, self.assume_parallel))
        return Promises(frozenset(loop.header for loop in answered) - assumed, assumed)

    def _is_declared_independent(self, loop: Loop) -> bool:
        """Whether the user's hint covers this proof.

        Threads run iterations at the same time, and other orders of loops swap them, that are any distance apart.
        """
        far = self.for_threads or self.order is not None
        answered = independent_in_threads if far else declared_independent
        limited = far and safe_length(loop, self.assume_parallel) is not None
        return answered(loop, self.assume_parallel) and not limited

    def _folds(self) -> Iterator[Diagnostic]:
        found = carried_variable(self.facts, self.region, self.fp)
        if found is not None:
            yield found
        elif is_reduction_loop(self.facts, self.region):
            yield Diagnostic(
                severity="error",
                code="TRV320",
                message=f"the {self.region.called} carries a reduction, which is not divided among threads",
                span=self.region.span,
                label="this loop is not divided among threads",
            )

    def _shared(self) -> Diagnostic | None:
        """Two iterations of the loop that touch one element, one of them writing it."""
        if self._promises.asserted:
            return None
        for group, known, derived in self._written_groups():
            try:
                found = self._witness(find_violations(group, self._schedule(), self._promises, known, derived))
            except TooHard:
                return self._too_hard(group[0].access.array.source_name, group)
            if found is not None:
                hint = parallel_hint((self.region,))
                if found.happens:
                    return explain_shared(self.facts, found.violation, hint)
                return explain_unproved(self.facts, f"dividing the {self.region.called}", found.violation, hint)
        return None

    def _witness(self, violations: Iterator[Violation]) -> _Witness | None:
        """The first of some conflicts that really happens, or the first one; None when there are none. Raises TooHard."""
        first: Violation | None = None
        for violation in islice(violations, _TRIED if self.witnessed else 1):
            seen = seen_in_run(self.nests, violation) if self.witnessed else None
            if seen is not None:
                return _Witness(seen, happens=True)
            first = first or violation
        return None if first is None else _Witness(first, happens=False)

    def _scheduled(self) -> tuple[Scheduled, ...]:
        # every loop as one piece, with what follows it behind
        order = {label: number for number, label in enumerate(block_order(find_region(self.facts.function)))}
        view = View.of(self.facts, self.region, self.accesses)
        found = [self._placed(view, access, (order[access.block], access.position)) for access in self.accesses]
        return tuple(sorted(found, key=lambda s: s.place))

    def _placed(self, view: View, access: Access, place: tuple[int, int]) -> Scheduled:
        loops = self._loops_around(access.block)
        inside = self.facts.defined_in[access.array.name] in self.region.blocks
        sizes = [dict(self.brush).get(loop.header, 1) > 1 for loop in loops]
        in_order = access.kind == "store" and sizes[-1] and sum(sizes) == 1
        alike = self.order is None or self._is_like_others(access)
        subscripts = view.subscripts(access) if alike and not inside else None
        return Scheduled(access, loops, place, subscripts, in_order)

    def _is_like_others(self, access: Access) -> bool:
        """Whether subscripts are of rows that are as long as for other accesses: those of neighbouring loops need not be."""
        other = next(one for one in self.accesses if one.array == access.array)
        if size_of(other.element) == size_of(access.element):
            return access.extents == other.extents
        return access.extents[:-1] == other.extents[:-1]

    def _loops_around(self, block: str) -> tuple[Loop, ...]:
        """The loops of the region that contain the block, outermost first."""
        found: list[Loop] = []
        header: str | None = self.facts.innermost.get(block)
        while header is not None and header in self.region.blocks:
            loop = self.facts.loops[header]
            found.insert(0, loop)
            header = loop.parent
        return tuple(found)

    def _dependence(self, *, hints: bool) -> Diagnostic | None:
        for group, known, derived in self._written_groups():
            for brush in self._with_tails():
                schedule = self._schedule().with_brush(dict(brush))
                violations = find_violations(group, schedule, self._promises, known, derived)
                try:
                    found = self._witness(violations)
                except TooHard:
                    return self._too_hard(group[0].access.array.source_name, group)
                if found is not None:
                    return self._violated(brush, found, hints=hints)
        return None

    def _written_groups(self) -> Iterator[tuple[tuple[Scheduled, ...], Facts, Derived]]:
        """For each array that is written its accesses, and what is known wherever they are."""
        scheduled, known = self._scheduled(), self._fixed()
        for array in dict.fromkeys(s.access.array for s in scheduled if s.access.array.name in self.written):
            group = tuple(s for s in scheduled if s.access.array == array and s.subscripts is not None)
            used = (*known, *(p for s in group for p in (*subscripts_of(s), *s.domain()) if p is not None))
            yield group, known, derived_facts(self.facts, self.region, used)

    def _with_tails(self) -> Iterator[BrushSizes]:
        """The brush, and those that take some dimensions one by one.

        What a brush leaves over at the end of a dimension may run as narrower brushes. One between these sizes orders each
        pair of iterations as one of the two does.
        """
        yield from (brush for brush in product(*(dict.fromkeys(((h, size), (h, 1))) for h, size in self.brush)))

    def _known(self) -> tuple[Condition, ...]:
        view = View.of(self.facts, self.region, self.accesses)
        rows = (view.conditions(access) for access in self.accesses if access.array.name in self.written)
        return merged(conditions_of(self.facts, self.region, self.written), *rows)

    def _fixed(self) -> tuple[Polynomial, ...]:
        """What holds whenever the region is entered: its run-time conditions, and the domains of the loops around it."""
        region = self.region
        around = [loop for loop in self.facts.loops.values() if region.header in loop.blocks and loop != region]
        return (*(c.polynomial for c in self._known()), *(p for loop in around for p in loop.domain))

    def _violated(self, brush: BrushSizes, found: _Witness, *, hints: bool) -> Diagnostic:
        if not found.happens:
            hint = parallel_hint(self._brushed) if hints else ""
            return explain_unproved(self.facts, self.what or f"the brush {brush_text(brush)}", found.violation, hint)
        hint = self._smaller_brushes() if hints else ""
        if brush != self.brush:
            hint = f"the remainders of the brush {brush_text(self.brush)} run as narrower brushes; {hint}"
        return explain_violation(self.facts, self.what or f"the brush {brush_text(brush)}", found.violation, hint)

    def _smaller_brushes(self) -> str:
        """Which part of the brush would be legal."""
        for kept in reversed(range(len(self.brush))) if len(self._brushed) > 1 else ():
            sizes = tuple((header, size if index == kept else 1) for index, (header, size) in enumerate(self.brush))
            if sizes[kept][1] == 1:
                continue
            if isinstance(replace(self, brush=sizes).run(hints=False), Legal):
                return f"the brush {brush_text(sizes)} is legal"
        return "wavefronts (--skew) or writing the result to another array could make it legal; neither is done automatically"

    def _too_hard(self, array: str, group: Sequence[Scheduled]) -> Diagnostic:
        return Diagnostic(
            severity="error",
            code="TRV307",
            message=f"the test of the dependences through `{array}` under {self._subject} exceeds its operation limit",
            span=group[0].access.span,
            label=f"accesses of `{array}`",
            hint=parallel_hint(self._brushed),
        )

    # -- what remains for run time

    def _granted(self) -> Legal | Diagnostic:
        guards: Guards | Diagnostic = Guards((), ())
        # promises are about iterations; other orders also rest on what one iteration does to arrays
        if self.order is not None or not all(map(self._is_declared_independent, self._brushed)):
            guards = alias_guards(self.facts, self.region, self.accesses, assume_no_alias=self.assume_no_alias)
        if isinstance(guards, Diagnostic):
            return guards
        conditions = merged(self._known(), guards.conditions)
        used = [end for pair in guards.overlaps for f in pair for end in (f.low, f.high)]
        used += [p for a in self.accesses for p in (*(a.subscripts or ()), *a.extents)]
        region = self.region.blocks
        used += [p for loop in self.facts.loops.values() if loop.header in region for p in loop.domain]
        used += [c.polynomial for c in conditions]
        return Legal(merged(conditions, size_limits(conditions, within(self.facts, used), self.facts.bits)), guards.overlaps)


def _communication(instruction: Horizontal, loop: Loop) -> Diagnostic:
    return Diagnostic(
        severity="error",
        code="TRV311",
        message=f"an operation across lanes makes iterations of the {loop.called} depend on each other",
        span=instruction.span,
        label="this result depends on which iterations form a brush",
        hint=f"if this is intended, put `#pragma omp simd` before the {loop.called} or pass --assume-parallel {loop.name}",
    )


def _large_ballot(instruction: Horizontal, brush: BrushSizes, lanes: int) -> Diagnostic:
    return Diagnostic(
        severity="error",
        code="TRV312",
        message=f"a ballot has {BALLOT_LANES} bits, but the brush {brush_text(brush)} has {lanes} lanes here",
        span=instruction.span,
        label="one bit for each lane",
        hint=f"brush at most {BALLOT_LANES} iterations at once",
    )


def _divergence(loop: Loop, culprits: Sequence[str], countable: bool, brushed: Loop) -> Diagnostic:
    if culprits:
        message = f"the bounds of the inner {loop.called} depend on `{culprits[0]}`, which is brushed"
    elif countable:
        message = f"the bounds of the inner {loop.called} are computed inside the {brushed.called}"
    else:
        message = f"the trip count of the inner {loop.called} may differ between iterations of `{brushed.name}`"
    name = culprits[0] if culprits else brushed.name
    return Diagnostic(
        severity="error",
        code="TRV303",
        message=message,
        span=loop.span,
        label="a divergent loop",
        hint=f"brush only the {loop.called}, or loops other than `{name}`",
    )
