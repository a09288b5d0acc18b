"""The stage that brings the loops of a function into the order of a plan, before brushes are chosen.

Loops are put in pieces first where that is requested (`tensorrv.nest.split`), and neighbouring nests fused. Then for every nest
the schedules that the plan allows are tried, best first. Each is compared with the order of the source
(`tensorrv.nest.legality`), and the first legal one is what the nest is rewritten to
(`tensorrv.nest.reorder.tile_and_interchange`). Where the proof needs run-time conditions, the nest stays in the order of the
source behind a test. A refused nest keeps its order, with a diagnostic.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from rv.evolution.closed_forms import merged
from rv.evolution.facts import Legal
from rv.ir.function import Function
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.proof import check_order
from tensorrv.nest.reorder.apart import Apart, check_apart, set_apart
from tensorrv.nest.reorder.bands import Obstacle, find_band
from tensorrv.nest.reorder.counting import counting_up
from tensorrv.nest.reorder.fused_runs import fused_runs
from tensorrv.nest.reorder.outcome import Reordered, TileLoop
from tensorrv.nest.reorder.requests import Request, path_to, requests
from tensorrv.nest.reorder.tile_and_interchange import run_as
from tensorrv.nest.reorder.triangles import by_variables, moved_domain
from tensorrv.nest.reorder.versions import Proof, behind_test
from tensorrv.nest.split.split import Split, split
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.schedule import Schedule


def reordered(function: Function, plan: Plan) -> Reordered:
    """The function, prepared before and after, with its loops in the order of the plan."""
    parts = split(function, plan) if plan.split == "all" else Split(function)
    result = fused_runs(parts.function, plan) if plan.fuse else Reordered(parts.function)
    result = replace(result, divided=parts.divided)
    if not plan.order and not plan.tile.sizes and not plan.skew:
        return result
    done: set[str] = set()
    tried: set[tuple[str, ...]] = set()
    while (request := _next(result.function, plan, done, tried)) is not None:
        tried.add(request.moved)
        before, result = result, _changed(result, request, plan)
        if result.function is not before.function:
            done |= _finished(before.function, result)
    return result


def _next(function: Function, plan: Plan, done: set[str], tried: set[tuple[str, ...]]) -> Request | None:
    """What to do next: the request for the most loops, of which none is moved yet."""
    found = (request for request in requests(plan, analyze_nests(function).loops) if request.moved not in tried)
    return max((one for one in found if done.isdisjoint(one.moved)), key=lambda one: len(one.moved), default=None)


def _finished(before: Function, result: Reordered) -> set[str]:
    """The loops that stay as they are: those of the new schedules, and those of versions in the order of the source."""
    old = {block.label for block in before.blocks}
    versions = {block.label for block in result.function.blocks if block.hints.novector} - old
    return versions.union(loop for schedule in result.changed.values() for d in schedule.dimensions for loop in d.loops)


def _changed(before: Reordered, request: Request, plan: Plan) -> Reordered:
    """The function with one more nest changed, or refused: the last schedule, which changes the least, gives the reason."""
    refusal: Diagnostic | None = None
    for schedule in request.schedules():
        found = _tried(before.function, schedule, request, plan)
        if isinstance(found, Reordered):
            tiles, changed = {**before.tiles, **found.tiles}, {**before.changed, **found.changed}
            return replace(before, function=found.function, tiles=tiles, changed=changed)
        refusal = found
    assert refusal is not None
    return before if refusal in before.refusals else replace(before, refusals=(*before.refusals, refusal))


def _tried(function: Function, schedule: Schedule, request: Request, plan: Plan) -> Reordered | Diagnostic:
    """One schedule: the changed function, or why not."""
    moved = {header for d in schedule.dimensions for header in d.loops}
    path = tuple(loop.header for loop in request.segment if loop.header in moved)
    try:
        apart = set_apart(function, path)
        legal = _proved(apart, path, schedule, request, plan)
        if isinstance(legal, Diagnostic):
            return legal
        region = analyze_nests(function).loops[path[0]]
        Proof(apart.function, legal).check_names(function, region)
        in_versions = behind_test(analyze_nests(function), region, path[0], legal).function
        apart = apart if in_versions is function else set_apart(in_versions, path)
        schedule = schedule.named(dict(zip(path, apart.path, strict=True)).__getitem__)
        function = counting_up(apart.function, _along_slopes(schedule))
        known = analyze_nests(function).loops
        loops = [known[header] for header in apart.path]
        domain = moved_domain(schedule, path_to(known, loops[0])[:-1], loops)
        rewritten = run_as(function, find_band(function, loops), schedule, domain)
    except Obstacle as obstacle:
        return _impossible(request, obstacle)
    names = {loop.header: loop.name for loop in loops}
    tiles = {
        rewritten.tiles[d.loops[0]]: TileLoop(d.loops[0], names[d.loops[0]], d.size, d.skew)
        for d in schedule.dimensions
        if d.loops[0] in rewritten.tiles and d.kind in ("tile", "skewed")
    }
    return Reordered(rewritten.function, tiles, (), {schedule.dimensions[-1].loops[0]: schedule})


def _along_slopes(schedule: Schedule) -> Iterator[str]:
    """The loops that are skewed, and those that skew them."""
    for dimension in schedule.dimensions:
        if dimension.skew:
            yield from (*dimension.loops, *dict(dimension.skew))


def _proved(apart: Apart, path: Sequence[str], schedule: Schedule, request: Request, plan: Plan) -> Legal | Diagnostic:
    """The conditions under which loops may be set apart and then run in another order. Raises Obstacle."""
    nests = analyze_nests(apart.function)
    loops = [nests.loops[header] for header in apart.path]
    find_band(nests.function, loops)
    legal: Legal | Diagnostic = check_apart(apart, path, request.what, plan) if apart.is_distributed else Legal((), ())
    if isinstance(legal, Diagnostic):
        return legal
    schedule = schedule.named(dict(zip(path, apart.path, strict=True)).__getitem__)
    domain = moved_domain(schedule, path_to(nests.loops, loops[0])[:-1], loops)
    if domain is not None:
        schedule = by_variables(schedule, domain)
    order = check_order(
        nests, schedule, request.what, loops[0],
        assume_no_alias=plan.assume_no_alias, assume_parallel=frozenset(plan.assume_parallel),
    )  # fmt: skip
    if isinstance(order, Diagnostic):
        return order
    overlaps = dict.fromkeys((*legal.overlaps, *order.overlaps))
    return Legal(merged(legal.conditions, order.conditions), tuple(overlaps))


def _impossible(request: Request, obstacle: Obstacle) -> Diagnostic:
    return Diagnostic(
        severity="error",
        code="TRV330",
        message=f"{request.what} is not possible: {obstacle.reason}",
        span=obstacle.span or request.segment[0].span,
        hint="loops can be interchanged if they are perfectly nested, with bounds that are sums of sizes and counters",
    )
