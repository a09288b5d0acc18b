"""Which loops that search are run in strips (`tensorrv.nest.idioms.search_strips`): those that the brush is for."""

from __future__ import annotations

from collections.abc import Mapping

from rv.ir.function import Function
from tensorrv.nest.idioms.search_strips import search_in_strips
from tensorrv.nest.idioms.searches import NoSearch, Search, find_searches
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan
from tensorrv.unit.declared_array import DeclaredArray


def searched_in_strips(
    function: Function, plan: Plan, arrays: Mapping[str, DeclaredArray]
) -> tuple[Function, Mapping[str, Diagnostic]]:
    """The function with strips before every search that the brush is for; by header, why other loops with that shape have none.

    Without names the brush is for searches that stand in no other loop: around others there may be loops that are better brushed.
    """
    refused: dict[str, Diagnostic] = {}
    for search in find_searches(function, arrays) if plan.brush.sizes else ():
        lanes = _lanes(plan, search)
        if function.block(search.loop.header).hints.novector:
            continue
        if isinstance(search, NoSearch):
            refused[search.loop.header] = _why(search, function)
        elif lanes > 1:
            function = search_in_strips(function, search, lanes)
    return function, refused


def _lanes(plan: Plan, search: Search | NoSearch) -> int:
    """The lanes of the brush along a search; 0 when the brush is not for it."""
    if plan.brush.names:
        return dict(zip(plan.brush.names, plan.brush.sizes, strict=True)).get(search.name, 0)
    return plan.brush.sizes[-1] if search.loop.parent is None else 0


def _why(search: NoSearch, function: Function) -> Diagnostic:
    header = function.block(search.loop.header)
    return Diagnostic(
        "error",
        "TRV315",
        f"the loop over `{search.name}` is a search, but {search.reason}",
        (search.at.span if search.at is not None else None) or header.span,
        "a brush would execute this in iterations after the exit",
        hint=search.hint,
    )
