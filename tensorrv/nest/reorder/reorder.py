"""The stage that brings the loops of a function into the order of a plan, before brushes are chosen.

Neighbouring nests are fused first. Then for every nest the schedules that the plan allows are tried, best first. Each is
compared with the order of the source (`tensorrv.nest.legality`), and the first legal one is what the nest is rewritten to
(`tensorrv.nest.reorder.shells`). Where the proof needs run-time conditions, the nest stays in the order of the source behind a
test. What is refused keeps its order, and says why.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.verify import verify
from rv.evolution.facts import Legal, Loop
from rv.ir.function import Function
from rv.ir.source import Span
from rv.transform.loops.version import Test, version_loops
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.proof import check_order
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.bands import Obstacle, find_band
from tensorrv.nest.reorder.fusion import Pair, fused, fused_schedule, neighbours, pairs_of, region_of
from tensorrv.nest.reorder.requests import Request, requested, segments
from tensorrv.nest.reorder.run_time_test import run_time_test
from tensorrv.nest.reorder.shells import run_as
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.value import Schedule

SUFFIX = ".order"
"""Of what is in the version with the order of the source."""


@dataclass(frozen=True, slots=True)
class Reordered:
    """The function, the sizes of tiles by the headers of the loops over them, and why nests keep the order of the source.

    `changed`: the nests that do not keep it, by the header of the innermost loop of the schedule.
    """

    function: Function
    tiles: Mapping[str, TileLoop] = field(default_factory=dict)
    refusals: tuple[Diagnostic, ...] = ()
    changed: Mapping[str, Schedule] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class TileLoop:
    """The loop that is tiled, by its header and name, and how many of its iterations a tile has."""

    header: str
    name: str
    size: int


def reordered(function: Function, plan: Plan) -> Reordered:
    """The function, prepared before and after, with its loops in the order of the plan."""
    result = _fused(function, plan) if plan.fuse else Reordered(function)
    if not plan.order and not plan.tile.sizes:
        return result
    for segment, innermost in segments(tuple(analyze_nests(result.function).loops.values())):
        request = requested(plan, segment, innermost=innermost)
        if request is not None:
            result = _changed(result, request, plan)
    return result


def _fused(function: Function, plan: Plan) -> Reordered:
    """The function with neighbouring nests fused, and why others are not."""
    result, done = Reordered(function), set[str]()
    while True:
        nests = analyze_nests(result.function)
        first = next((one for one, _ in neighbours(nests) if one.header not in done and not one.hints.novector), None)
        if first is None:
            return result
        done.add(first.header)
        result = _with_run(result, first.header, plan)


def _with_run(before: Reordered, first: str, plan: Plan) -> Reordered:
    """The function with as many nests as possible fused with the one that begins with `first`.

    One after the other is proved and fused in a copy without run-time tests; then all are behind one test.
    """
    function, run, proofs = before.function, [first], list[Legal]()
    schedule: Schedule | None = None
    refusals: tuple[Diagnostic, ...] = ()
    while (pair := _following(function, first)) is not None and not refusals:
        found = _proved_fusion(function, *pair, plan)
        if isinstance(found, Diagnostic):
            refusals = (found,)
        else:
            function, together, legal = found
            schedule = together if schedule is None else _joined(schedule, together)
            run.append(pair[1].header)
            proofs.append(legal)
    if schedule is None:
        return replace(before, refusals=(*before.refusals, *refusals))
    try:
        function = _behind_test(before.function, run, proofs)
    except Obstacle as obstacle:
        return replace(before, refusals=(*before.refusals, _not_fused(f"fusing {len(run)} loops", obstacle, None)))
    changed = {**before.changed, schedule.dimensions[-1].loops[0]: schedule}
    return Reordered(function, {}, (*before.refusals, *refusals), changed)


def _joined(before: Schedule, more: Schedule) -> Schedule:
    """The dimensions of a fused nest with the loops of one more nest."""
    pairs = zip(before.dimensions, more.dimensions, strict=True)
    return Schedule(tuple(replace(old, loops=(*old.loops, *new.loops[1:])) for old, new in pairs))


def _following(function: Function, header: str) -> Pair | None:
    """A loop and the one behind it."""
    return next((pair for pair in neighbours(analyze_nests(function)) if pair[0].header == header), None)


def _proved_fusion(
    function: Function, first: Loop, second: Loop, plan: Plan
) -> tuple[Function, Schedule, Legal] | Diagnostic:
    """Two neighbouring nests as one and what that needs at run time, or why not."""
    what = f"fusing the {first.called} with the {second.called} behind it"
    nests, parallel = analyze_nests(function), frozenset(plan.assume_parallel)
    try:
        pairs = pairs_of(nests, first, second)
        region = region_of(function, first, second)
        changed = fused(function, pairs)
    except Obstacle as obstacle:
        return _not_fused(what, obstacle, second.span)
    schedule = fused_schedule(pairs)
    legal = check_order(nests, schedule, what, region, assume_no_alias=plan.assume_no_alias, assume_parallel=parallel)
    return legal if isinstance(legal, Diagnostic) else (changed, schedule, legal)


def _behind_test(function: Function, run: Sequence[str], proofs: Sequence[Legal]) -> Function:
    """The function with these neighbouring nests fused, where their proofs hold. Raises Obstacle."""
    nests = analyze_nests(function)
    conditions = dict.fromkeys(condition for legal in proofs for condition in legal.conditions)
    overlaps = dict.fromkeys(pair for legal in proofs for pair in legal.overlaps)
    region = nests.loops[run[0]]
    for header in run[1:]:
        region = region_of(function, region, nests.loops[header])
    function = _guarded(nests, region, run[-1], Legal(tuple(conditions), tuple(overlaps))).function
    for header in run[1:]:
        nests = analyze_nests(function)
        function = fused(function, pairs_of(nests, nests.loops[run[0]], nests.loops[header]))
    return function


def _not_fused(what: str, obstacle: Obstacle, span: Span | None) -> Diagnostic:
    hint = "neighbouring nests with equal bounds in all loops, and nothing between them, are fused"
    message = f"{what} is not possible: {obstacle.reason}"
    return Diagnostic("error", "TRV331", message, obstacle.span or span, hint=hint)


def _changed(before: Reordered, request: Request, plan: Plan) -> Reordered:
    """The function with one more nest changed, or refused: the last schedule, which changes the least, says why."""
    refusal: Diagnostic | None = None
    for schedule in request.schedules():
        found = _tried(before.function, schedule, request, plan)
        if isinstance(found, Reordered):
            return Reordered(
                found.function,
                {**before.tiles, **found.tiles},
                before.refusals,
                {**before.changed, **found.changed},
            )
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
        nests = _guarded(nests, region, headers[0], legal)
        loops = [nests.loops[header] for header in headers]
        rewritten = run_as(nests.function, find_band(nests.function, loops), schedule)
    except Obstacle as obstacle:
        return _impossible(request, obstacle)
    sizes = dict(request.sizes)
    names = {loop.header: loop.name for loop in loops}
    tiles = {tile: TileLoop(header, names[header], sizes[header]) for header, tile in rewritten.tiles.items()}
    return Reordered(rewritten.function, tiles, (), {schedule.dimensions[-1].loops[0]: schedule})


def _guarded(nests: Nests, region: Loop, left: str, legal: Legal) -> Nests:
    """The function with a region in two versions, if the proof has conditions: the first is for the case that they hold.

    `left`: the block from which control leaves the region.
    """
    if not legal.conditions and not legal.overlaps:
        return nests
    test = Test(*run_time_test(nests.function, nests.loops, legal))
    exits = ((left, region.exit),)
    piece = NaturalLoop(region.header, region.blocks, (region.latch,), (region.preheader,), exits, region.parent, 1)
    versions = version_loops(nests.function, [piece], {region.header: test}, _suffix(nests.function))
    return analyze_nests(verify(_left_scalar(nests.function, versions)))


def _suffix(function: Function) -> str:
    """What the names in a version in the order of the source end with: versions may get versions."""
    labels = [block.label for block in function.blocks]
    candidates = (SUFFIX, *(f"{SUFFIX}.{number}" for number in range(1, len(labels) + 1)))
    return next(suffix for suffix in candidates if not any(label.endswith(suffix) for label in labels))


def _left_scalar(before: Function, function: Function) -> Function:
    """The function without lanes in the version that keeps the order of the source."""
    old = find_loops(before).loops
    copies = find_loops(function).loops.keys() - old.keys()
    blocks = (
        replace(block, hints=replace(block.hints, novector=True)) if block.label in copies else block
        for block in function.blocks
    )
    return replace(function, blocks=tuple(blocks))


def _impossible(request: Request, obstacle: Obstacle) -> Diagnostic:
    return Diagnostic(
        severity="error",
        code="TRV330",
        message=f"{request.what} is not possible: {obstacle.reason}",
        span=obstacle.span or request.segment[0].span,
        hint="only loops with nothing but each other between them, and fixed bounds, change places",
    )
