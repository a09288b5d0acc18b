"""The stage that brings the loops of a function into the order of a plan, before brushes are chosen.

Loops are put in pieces first where that is requested (`tensorrv.nest.split`), and neighbouring nests fused. Then for every nest
the schedules that the plan allows are tried, best first. Each is compared with the order of the source
(`tensorrv.nest.legality`), and the first legal one is what the nest is rewritten to
(`tensorrv.nest.reorder.tile_and_interchange`). Where the proof needs run-time conditions, the nest stays in the order of the
source behind a test. A refused nest keeps its order, with a diagnostic.
"""

from __future__ import annotations

from dataclasses import replace

from rv.ir.function import Function
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.proof import check_order
from tensorrv.nest.reorder.bands import Obstacle, find_band
from tensorrv.nest.reorder.fused_runs import fused_runs
from tensorrv.nest.reorder.outcome import Reordered, TileLoop
from tensorrv.nest.reorder.requests import Request, requested, segments
from tensorrv.nest.reorder.tile_and_interchange import run_as
from tensorrv.nest.reorder.versions import behind_test
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
    for segment, innermost in segments(tuple(analyze_nests(result.function).loops.values())):
        request = requested(plan, segment, innermost=innermost)
        if request is not None:
            result = _changed(result, request, plan)
    return result


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
    return replace(before, refusals=(*before.refusals, refusal))


def _tried(function: Function, schedule: Schedule, request: Request, plan: Plan) -> Reordered | Diagnostic:
    """One schedule: the changed function, or why not."""
    nests = analyze_nests(function)
    moved = {header for d in schedule.dimensions for header in d.loops}
    headers = tuple(loop.header for loop in request.segment if loop.header in moved)
    try:
        find_band(function, [nests.loops[header] for header in headers])
        parallel = frozenset(plan.assume_parallel)
        region = nests.loops[headers[0]]
        legal = check_order(
            nests, schedule, request.what, region, assume_no_alias=plan.assume_no_alias, assume_parallel=parallel
        )
        if isinstance(legal, Diagnostic):
            return legal
        nests = behind_test(nests, region, headers[0], legal)
        loops = [nests.loops[header] for header in headers]
        rewritten = run_as(nests.function, find_band(nests.function, loops), schedule)
    except Obstacle as obstacle:
        return _impossible(request, obstacle)
    names = {loop.header: loop.name for loop in loops}
    tiles = {
        rewritten.tiles[d.loops[0]]: TileLoop(d.loops[0], names[d.loops[0]], d.size, d.skew)
        for d in schedule.dimensions
        if d.loops[0] in rewritten.tiles and d.kind in ("tile", "skewed")
    }
    return Reordered(rewritten.function, tiles, (), {schedule.dimensions[-1].loops[0]: schedule})


def _impossible(request: Request, obstacle: Obstacle) -> Diagnostic:
    return Diagnostic(
        severity="error",
        code="TRV330",
        message=f"{request.what} is not possible: {obstacle.reason}",
        span=obstacle.span or request.segment[0].span,
        hint="loops can be interchanged if they are perfectly nested and their bounds are invariant",
    )
