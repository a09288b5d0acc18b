"""Runs of neighbouring nests, each fused with those before as long as that is legal.

One after the other is proved and fused in a copy without run-time tests; then all of a run are put behind one test.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rv.evolution.facts import Legal, Loop
from rv.ir.function import Function
from rv.ir.source import Span
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.proof import check_order
from tensorrv.nest.reorder.bands import Obstacle
from tensorrv.nest.reorder.fusion import Pair, fused, fused_schedule, neighbours, pairs_of, region_of
from tensorrv.nest.reorder.outcome import Reordered
from tensorrv.nest.reorder.versions import Proof, behind_test
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.schedule import Schedule


def fused_runs(function: Function, plan: Plan) -> Reordered:
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
    """The function with as many nests as possible fused with the one that begins with `first`."""
    function, run, proofs = before.function, [first], list[Proof]()
    schedule: Schedule | None = None
    refusals: tuple[Diagnostic, ...] = ()
    while (pair := _following(function, first)) is not None and not refusals:
        found = _proved_fusion(function, *pair, plan)
        if isinstance(found, Diagnostic):
            refusals = (found,)
        else:
            proved = function
            function, together, legal = found
            schedule = together if schedule is None else _joined(schedule, together)
            run.append(pair[1].header)
            proofs.append(Proof(proved, legal))
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
    what = f"fusing the {first.called} with the following {second.called}"
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


def _behind_test(function: Function, run: Sequence[str], proofs: Sequence[Proof]) -> Function:
    """The function with these neighbouring nests fused, where their proofs hold. Raises Obstacle."""
    nests = analyze_nests(function)
    conditions = dict.fromkeys(condition for proof in proofs for condition in proof.legal.conditions)
    overlaps = dict.fromkeys(pair for proof in proofs for pair in proof.legal.overlaps)
    region = nests.loops[run[0]]
    for header in run[1:]:
        region = region_of(function, region, nests.loops[header])
    for proof in proofs:
        proof.check_names(function, region)
    function = behind_test(nests, region, run[-1], Legal(tuple(conditions), tuple(overlaps))).function
    for header in run[1:]:
        nests = analyze_nests(function)
        function = fused(function, pairs_of(nests, nests.loops[run[0]], nests.loops[header]))
    return function


def _not_fused(what: str, obstacle: Obstacle, span: Span | None) -> Diagnostic:
    hint = "nests can be fused if they have equal bounds in all loops and no statements between them"
    message = f"{what} is not possible: {obstacle.reason}"
    return Diagnostic("error", "TRV331", message, obstacle.span or span, hint=hint)
