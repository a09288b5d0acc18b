"""The order in which loops run, and what brushes they get in it: of several orders the one that is estimated to be fastest.

    prepare -> the order -> short-circuit reductions -> accumulators in variables -> searches for early ends -> searches in strips
    -> a brush for each nest
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial

from rv.analysis.memory.alias import Distinct, may_overlap
from rv.cost.margins import ALIKE
from rv.evolution.facts import Legal
from rv.ir.function import Function
from rv.ir.steps import Keep, forget
from rv.transform.loops.promote import promote
from rv.transform.loops.unroll_inner import unroll_inner
from tensorrv.brush.between_loops import run_inner_loops_together
from tensorrv.brush.strips import searched_in_strips
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.choice.choose import Choice, Request, choose_brushes
from tensorrv.nest.choice.choose_by_cost import Chosen, Costs, choose_by_cost
from tensorrv.nest.idioms.early_ends import SearchedFirst, searched_first
from tensorrv.nest.idioms.short_circuit import asking_always
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.outcome import Reordered
from tensorrv.nest.reorder.reorder import reordered
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan
from tensorrv.unit.declared_array import DeclaredArray

CostsOf = Callable[[Nests], Costs]


def possible_orders(function: Function, plan: Plan, *, by_cost: bool) -> tuple[Reordered, ...]:
    """The orders among which estimates decide: with and without pieces, rolled and unrolled, where that is left open.

    Raises Refused.
    """
    chosen = by_cost and bool(plan.brush.sizes)
    forms = _unrolled(function, plan, chosen=chosen)
    return tuple(replace(one, unrolled=names) for form, names in forms for one in _in_pieces(form, plan, chosen=chosen))


def _unrolled(function: Function, plan: Plan, *, chosen: bool) -> list[tuple[Function, tuple[str, ...]]]:
    """The function with its inner loops as they are and as straight code, with what the loops are called that it had."""
    if plan.unroll == "none" or (plan.unroll == "auto" and not chosen):
        return [(function, ())]
    straight = unroll_inner(function)
    if straight is function:
        return [(function, ())]
    left = analyze_nests(straight).loops
    gone = tuple(loop.called for loop in analyze_nests(function).loops.values() if loop.header not in left)
    return [(straight, gone)] if plan.unroll == "all" else [(function, ()), (straight, gone)]


def _in_pieces(function: Function, plan: Plan, *, chosen: bool) -> tuple[Reordered, ...]:
    """The function with its loops whole and in pieces."""
    if plan.split != "auto":
        return (reordered(function, plan),)
    whole = reordered(function, replace(plan, split="none"))
    pieces = reordered(function, replace(plan, split="all")) if chosen else whole
    return (whole, pieces) if pieces.divided else (whole,)


@dataclass(frozen=True, slots=True)
class ChosenOrder:
    """An order, the function in it, its facts as if no arrays overlapped, and a choice for each nest; `cycles` are estimated."""

    order: Reordered
    function: Function
    optimistic: Nests
    choices: tuple[Choice, ...]
    cycles: float

    @property
    def rank(self) -> float:
        """The least is taken. Where memory hides in the estimate what conditions cost, it does not hide all of it."""
        return self.cycles * (1 - ALIKE) if self.order.divided else self.cycles


def fastest_order(orders: Sequence[Reordered], loops: OrderedLoops, keep: Keep) -> ChosenOrder:
    """The order that is estimated to be fastest."""
    if len(orders) == 1:
        return loops.in_order(orders[0], keep)
    fastest = min((loops.in_order(order, forget) for order in orders), key=lambda one: one.rank)
    return fastest if keep is forget else loops.in_order(fastest.order, keep)


@dataclass(frozen=True, slots=True)
class OrderedLoops:
    """What orders of the loops of one function are judged by."""

    plan: Plan
    arrays: Mapping[str, DeclaredArray]
    costs: CostsOf | None

    def in_order(self, order: Reordered, keep: Keep) -> ChosenOrder:
        """What becomes of the function in one order; `keep` gets what there is after each step."""
        plan = self.plan
        order = replace(order, function=keep("order", order.function))
        prepared = asking_always(order.function, self.arrays) if plan.brush.sizes else order.function
        apart = Distinct(everywhere=plan.assume_no_alias, types=plan.strict_aliasing)
        function = keep("promote", promote(keep("prepare", prepared), apart))
        ends = SearchedFirst(function)
        if plan.brush.sizes:
            ends = searched_first(function, self.arrays, apart, plan.brush.names)
        searched = keep("search-ends", ends.function)
        if ends.counted:
            found = self._brushed(order, searched, keep, promoted=False)
            legal = {header for choice in found.choices if isinstance(choice.outcome, Legal) for header, _ in choice.brush}
            if legal.issuperset(ends.counted):
                return found
        return self._brushed(order, function, keep, promoted=True)

    def _brushed(self, order: Reordered, given: Function, keep: Keep, *, promoted: bool) -> ChosenOrder:
        """The brushes for the loops of the function in an order; `promoted`: accumulators are in variables already."""
        plan = self.plan
        function, no_searches = searched_in_strips(given, plan, self.arrays)
        function = keep("search-in-strips", function)
        # loops are chosen as if no arrays overlapped; where that needs a check, the next step makes two versions
        all_apart = promoted and function is given and not may_overlap(function)
        apart = function if all_apart else promote(function, Distinct(everywhere=True, types=plan.strict_aliasing))
        stored = frozenset(name for name, _ in plan.layouts)
        optimistic = analyze_nests(function if apart == function else apart, stored)
        chosen = _choose(optimistic, plan, order, None if self.costs is None else self.costs(optimistic))
        choices = tuple(_explained(choice, no_searches) for choice in chosen.choices)
        return ChosenOrder(order, function, optimistic, choices, chosen.cycles)


def _runs_together(nests: Nests, choice: Choice) -> Choice:
    """The choice, refused when lanes of one brush cannot run the loops inside it together."""
    together = run_inner_loops_together(nests, choice, nests.function)
    return together if isinstance(together, Choice) else choice


def _choose(nests: Nests, plan: Plan, order: Reordered, costs: Costs | None) -> Chosen:
    if not plan.brush.sizes:
        return Chosen(())
    parallel = frozenset(plan.assume_parallel)
    threads = plan.threads == "openmp"
    request = Request(
        plan.brush.sizes,
        plan.brush.names,
        plan.fp,
        plan.assume_no_alias,
        parallel,
        threads,
        plan.auto,
        {header: tile.what for header, tile in order.tiles.items()},
    )
    allowed = partial(_runs_together, nests)
    if costs is not None:
        return choose_by_cost(nests, request, costs, allowed)
    return Chosen(tuple(map(allowed, choose_brushes(nests, request))))


def _explained(choice: Choice, no_searches: Mapping[str, Diagnostic]) -> Choice:
    """The choice with the reason why a loop that searches is not brushed."""
    why = [no_searches[header] for header, _ in choice.brush if header in no_searches]
    uncounted = isinstance(choice.outcome, Diagnostic) and choice.outcome.code == "TRV301" and not choice.outcome.related
    return replace(choice, outcome=why[0]) if why and uncounted else choice
