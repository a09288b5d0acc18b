"""From a function and a plan to vector LLVM IR: the middle of the pipeline, in the order of the thesis's figure 11.4.

    prepare -> promote accumulators -> nests -> choose loops, prove legality
            -> two versions where a run-time test is needed -> divergent control flow to predicates
            -> arrays to their layouts -> widen

A nest for which the brush is illegal stays scalar; the diagnostics give the reason.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from math import prod
from types import MappingProxyType
from typing import Final

from rv.analysis.verify import verify
from rv.emit.llvm import module_text
from rv.evolution.event_order import number_changes
from rv.evolution.facts import Legal
from rv.evolution.libm_extrema import as_selections
from rv.ir.function import Function
from rv.ir.steps import Keep, forget
from rv.target.machine import Target
from rv.transform.prepare import prepare, prepare_in_steps
from rv.transform.scalar.reciprocal_roots import use_reciprocal_roots
from rv.vector.counts import instructions_in
from rv.widen.linkage import EXTERNAL, Linkage
from tensorrv.brush.between_loops import run_inner_loops_together
from tensorrv.brush.branching import Branching, find_branching, linearized
from tensorrv.brush.ordered_loops import CostsOf, OrderedLoops, fastest_order, possible_orders
from tensorrv.brush.versions import tells_arrays_apart, with_versions
from tensorrv.brush.widening import ChosenNest, Widened, widen
from tensorrv.interface.storage.arrays import LaidOutArray
from tensorrv.interface.storage.relayout import arrays_to_move, relayout
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.choice.choose import AROUND, Choice
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.outcome import Reordered
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import Plan
from tensorrv.unit.declared_array import DeclaredArray
from tensorrv.unit.vector_math import with_vector_math

Stage = Callable[[str], AbstractContextManager[None]]
NO_ARRAYS: Final[Mapping[str, DeclaredArray]] = MappingProxyType({})


@dataclass(frozen=True, slots=True)
class Tensorized:
    """The LLVM module of a function, the P-LLVM of the source and before widening, and what became of every nest."""

    llvm: str
    source: Function
    function: Function
    choices: tuple[Choice, ...]
    widened: Widened
    branching: Mapping[tuple[str, ...], Branching]
    """By the headers of a brushed nest."""
    arrays: Mapping[str, LaidOutArray]
    """The arrays that are not row-major."""
    order: Reordered

    @property
    def instructions(self) -> int:
        """How many instructions the vector code has."""
        return instructions_in(self.widened.module)

    @property
    def refusals(self) -> tuple[Diagnostic, ...]:
        """Why nests stay scalar, one for each; of the pieces of a loop only if none is brushed."""
        brushed = {loop.span for choice in self.choices if isinstance(choice.outcome, Legal) for loop in choice.loops}
        found = (choice.outcome for choice in self.choices if isinstance(choice.outcome, Diagnostic))
        if not self.order.divided:
            return tuple(found)
        return tuple({(one.code, one.span): one for one in found if one.span not in brushed}.values())

    @property
    def undivided(self) -> tuple[Diagnostic, ...]:
        """Why brushed nests are not divided among threads although that was requested, one for each."""
        legal = (choice for choice in self.choices if isinstance(choice.outcome, Legal))
        return tuple(choice.threads for choice in legal if isinstance(choice.threads, Diagnostic))

    @property
    def divided(self) -> bool:
        """Whether any nest is divided among threads."""
        return any(isinstance(c.threads, Legal) and isinstance(c.outcome, Legal) for c in self.choices)

    @property
    def notes(self) -> tuple[Diagnostic, ...]:
        """Where a brush differs from a `simdlen` clause, or from the plan."""
        plan = self.widened.context.plan
        return tuple(note for choice in self.choices for note in (*_other_sizes(choice), *_fewer_dimensions(choice, plan)))

    @property
    def brushed(self) -> bool:
        """Whether any nest took the brush."""
        return any(isinstance(choice.outcome, Legal) for choice in self.choices)


def tensorize(
    source: Function,
    plan: Plan,
    target: Target,
    stage: Stage,
    linkage: Linkage = EXTERNAL,
    arrays: Mapping[str, DeclaredArray] = NO_ARRAYS,
    costs: CostsOf | None = None,
    keep: Keep = forget,
    *,
    brushed_only: bool = False,
) -> Tensorized:
    """Vector code for `source` under `plan`; `stage(name)` times the steps, `keep` gets what there is after each.

    `costs`: what estimates times of nests, where the brush of each is chosen by these; then the plan's brush is not used.

    `arrays` are the array parameters as declared: those that can have a layout. Raises Refused where a layout does not fit, and
    if there are nests of which none takes a brush when code for brushes alone is wanted.
    """
    with stage("prepare"):
        called = with_vector_math(source, merged=plan.brush.rank > 0 and plan.fp == "fast") if plan.vector_math else source
        if plan.fp == "fast" and target.avx512_from:
            called = use_reciprocal_roots(called)
        called = keep("frontend", called)
        canonical = prepare(called) if keep is forget else prepare_in_steps(called, keep)
        orders = possible_orders(canonical, plan, by_cost=costs is not None)
    with stage("nests"):
        taken = fastest_order(orders, OrderedLoops(plan, arrays, costs), keep)
        order, function, optimistic, choices = taken.order, taken.function, taken.optimistic, list(taken.choices)
        stored = optimistic.in_rows
    refused = [choice.outcome for choice in choices if isinstance(choice.outcome, Diagnostic)]
    if brushed_only and refused and len(refused) == len(choices):
        raise Refused(*refused)
    with stage("versions"):
        laid_out = arrays_to_move(optimistic, plan.layouts, arrays)
        function, choices = with_versions(function, optimistic, choices, plan, laid_out)
        nests = analyze_nests(keep("versions", function), stored)
        choices = [_with_facts(nests, choice) for choice in choices]
    with stage("linearize"):
        nests, choices = _together(nests, choices)
        nests = _analyzed(keep("common-loops", nests.function), nests)
        choices = [_with_facts(nests, choice) for choice in choices]
        found = [find_branching(nests, choice, plan, target) for choice in choices if isinstance(choice.outcome, Legal)]
        nests = _analyzed(linearized(nests, found, keep), nests)
        brushed = [header for own in found for header in own.shapes.headers]
        if plan.fp != "fast" and target.architecture == "x86_64":
            nests = _analyzed(keep("extrema-as-selections", as_selections(nests, brushed)), nests)
        nests = _analyzed(keep("number-changes", number_changes(nests, brushed, plan.fp)), nests)
        choices = [_with_facts(nests, choice) for choice in choices]
    with stage("layouts"):
        moved = relayout(nests, plan.layouts, arrays)
        if moved is not None:
            nests, choices = moved.of(nests), [replace(choice, facts=moved.of(choice.facts)) for choice in choices]
            nests = _analyzed(keep("layouts", nests.function), nests)
        branching = {own.shapes.headers: own for own in found}
        chosen = [_chosen(nests, choice, branching, plan) for choice in choices if isinstance(choice.outcome, Legal)]
    with stage("widen"):
        widened = widen(nests, chosen, plan, target, linkage, keep)
    arrays_moved = {name: place.array for name, place in moved.stored.items()} if moved is not None else {}
    with stage("write LLVM"):
        text = module_text(widened.module, target)
    return Tensorized(text, source, nests.function, tuple(choices), widened, branching, arrays_moved, order)


def _analyzed(function: Function, before: Nests) -> Nests:
    """The facts about a function, those known from `before` when it is still the same."""
    return before if function is before.function else analyze_nests(function, before.in_rows)


def _other_sizes(choice: Choice) -> Iterator[Diagnostic]:
    sizes = dict(choice.brush) if isinstance(choice.outcome, Legal) else {}
    for loop in choice.loops if sizes else ():
        wanted = loop.hints.simdlen
        taken = sizes.get(loop.header, 1)
        if wanted is not None and wanted != taken:
            message = f"simdlen({wanted}) of the {loop.called} is overridden by the brush, which takes {taken} iterations"
            yield Diagnostic("note", "TRV143", message, loop.span, "this loop", hint="--brush auto follows the clause")


def _fewer_dimensions(choice: Choice, plan: Plan) -> Iterator[Diagnostic]:
    """A nest with enough loops for the brush that takes only part of its lanes."""
    sizes = tuple(size for _, size in choice.brush)
    given = plan.brush
    chain = [loop for loop in choice.loops if choice.reasons.get(loop.header) != AROUND]
    if choice.considered or given.names or not isinstance(choice.outcome, Legal) or len(chain) < given.rank:
        return
    if prod(sizes) < given.lanes and len(sizes) < given.rank:
        loops = [choice.facts.loops[header] for header, _ in choice.brush]
        taken = ", ".join(f"{loop.name}={size}" for loop, size in zip(loops, sizes, strict=True))
        left = [loop for loop in reversed(chain) if loop.header not in dict(choice.brush)]
        why = f"{left[0].called}: {choice.reasons[left[0].header]}" if left else ""
        message = f"the nest of the {loops[-1].called} uses only {taken} of the brush {given}"
        yield Diagnostic("warning", "TRV144", message, loops[-1].span, why, hint="--explain shows the reasons")


def _together(nests: Nests, choices: Sequence[Choice]) -> tuple[Nests, list[Choice]]:
    """The function in which the lanes of all brushes run the loops inside them together."""
    function = nests.function
    found: list[Choice] = []
    for choice in choices:
        together = run_inner_loops_together(nests, choice, function)
        found.append(together if isinstance(together, Choice) else choice)
        function = function if isinstance(together, Choice) else together
    return _analyzed(function if function is nests.function else verify(function), nests), found


def _with_facts(nests: Nests, choice: Choice) -> Choice:
    """The choice with the facts about the function as it is now that follow from what is tested."""
    if isinstance(choice.outcome, Diagnostic):
        return choice
    facts = nests_within(nests, choice.brush[0][0], frozenset(choice.outcome.conditions))
    uncounted = next((facts.loops[header] for header, _ in choice.brush if facts.loops[header].trip is None), None)
    if uncounted is not None:
        why = f"the trip count of the {uncounted.called} is not computable before the loop in all cases that the test allows"
        return replace(choice, outcome=Diagnostic("error", "TRV301", why, uncounted.span))
    return replace(choice, facts=facts)


def _chosen(nests: Nests, choice: Choice, branching: Mapping[tuple[str, ...], Branching], plan: Plan) -> ChosenNest:
    assert isinstance(choice.outcome, Legal)
    headers = tuple(header for header, _ in choice.brush)
    sizes = tuple(size for _, size in choice.brush)
    objects = branching[headers].shapes.found.objects
    distinct, divided = tells_arrays_apart(nests.loops, choice, plan), isinstance(choice.threads, Legal)
    return ChosenNest(headers, sizes, choice.facts, objects, divided=divided, distinct=distinct)
