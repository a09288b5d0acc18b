"""What `--brush auto` means: the best measured plan where the kernel was tuned, else for every nest what is estimated fastest.

A measured plan counts when it was found for the same function, processor, target, LLVM and tool version and does not contradict
what the user says: floating-point mode, assumptions, threads, tails. Of several sizes the nearest to the given ones count, and
the ones tuned last where none are given. Estimates are made from facts about nests (`autotune.model.nest_cost`): nothing is
compiled but the choice.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from functools import partial
from pathlib import Path

from autotune.measure.known_machine import remembered
from autotune.measure.subject import kernel_key
from autotune.model.nest_cost import NestCost
from autotune.store.database import Database, open_existing
from autotune.store.record import Record
from autotune.without_brush import faster_without_brush
from rv.evolution.facts import Legal
from rv.ir.steps import Keep, forget
from rv.target.description import Machine, machine_of
from rv.target.host import host, llvm_version
from rv.target.machine import Target, runs_here
from tensorrv import __version__
from tensorrv.check.buffers import UnknownLength
from tensorrv.check.sizes import Sizes, parse_sizes
from tensorrv.check.trial import complete_sizes
from tensorrv.interface.facts import interface_of
from tensorrv.pipeline.kernel import Kernel, compile_function, register_lanes
from tensorrv.report.diagnostics import Refused
from tensorrv.run.tuner import tuning_database
from tensorrv.schedule.plan import Brush, Plan, PlanError, SplitPolicy, UnrollPolicy, parse_plan
from tensorrv.unit.unit import Unit


def compile_automatically(
    function: Unit,
    plan: Plan,
    target: Target,
    sizes: Sizes,
    keep: Keep | None = None,
    results: Path | None = None,
    *,
    brushed_only: bool = False,
) -> Kernel:
    """The kernel under the best known plan that agrees with `plan`, whose brush is left open. Raises Refused.

    `brushed_only`: a function of which no nest is expected to be faster with a brush is refused. `results` is the database whose
    measurements count (default: the user's).
    """
    database = open_existing(results or tuning_database())
    if database is not None and runs_here(target) is None:
        for found in _tuned(database, function, plan, target, sizes):
            try:
                return compile_function(function, found, target, keep=keep or forget)
            except Refused:
                continue
    machine = None if database is None else remembered(database, target)
    return _by_estimate(function, plan, target, sizes, machine or machine_of(target), keep or forget, brushed_only)


def _tuned(database: Database, function: Unit, plan: Plan, target: Target, sizes: Sizes) -> Iterable[Plan]:
    """Measured plans, best first, of the sizes that count."""
    records = database.of_kernel(kernel_key(function), host().cpu, target.name, llvm_version(), __version__)
    agreeing = [record for record in records if _agrees(record, plan)]
    if not agreeing:
        return ()
    distance = {text: _distance(text, sizes) for text in {record.key.sizes for record in agreeing}}
    last = {text: max(r.updated for r in agreeing if r.key.sizes == text) for text in distance}
    chosen = min(distance, key=lambda text: (distance[text], -last[text], text))
    times = [(r.time.median, r.candidate.plan) for r in agreeing if r.key.sizes == chosen and r.time is not None]
    return [parse_plan(text) for _, text in sorted(times)]


def _agrees(record: Record, plan: Plan) -> bool:
    try:
        found = parse_plan(record.candidate.plan)
    except PlanError:
        return False
    tail = found.tail if plan.tail == "auto" else plan.tail
    prefetch = plan.prefetch or found.prefetch
    own = replace(plan, brush=found.brush, projection=found.projection, register_bits=found.register_bits)
    order, tile, fuse = plan.order or found.order, plan.tile if plan.tile.sizes else found.tile, plan.fuse or found.fuse
    split, skew = found.split if plan.split == "auto" else plan.split, plan.skew or found.skew
    vectorizer = found.vectorizer if plan.vectorizer == "none" else plan.vectorizer
    same = replace(own, tail=tail, prefetch=prefetch, order=order, tile=tile, fuse=fuse, split=split)
    unroll = found.unroll if plan.unroll == "auto" else plan.unroll
    same = replace(same, vectorizer=vectorizer, skew=skew, unroll=unroll)
    return found == same


def _distance(text: str, sizes: Sizes) -> float:
    """How far tuned sizes are from the given ones, in factors of two."""
    tuned = parse_sizes(text) if text else {}
    return sum(abs(math.log2(max(1, value)) - math.log2(max(1, tuned.get(name, 1)))) for name, value in sizes.items())


def _by_estimate(
    function: Unit, plan: Plan, target: Target, sizes: Sizes, machine: Machine, keep: Keep, brushed_only: bool
) -> Kernel:
    """Every nest with the brush that is expected to be fastest, or none. The kernel's plan has the largest of the brushes.

    What stays scalar is left to LLVM's loop vectorizer, if its code is not expected to be slower than scalar code.
    """
    one_row = replace(plan, brush=Brush((register_lanes(function, target),)), vectorizer="llvm")
    known = _sizes(function, sizes)
    costs = partial(NestCost, plan=one_row, target=target, machine=machine, sizes=known)
    kernel = compile_function(function, one_row, target, costs=costs, keep=keep, brushed_only=brushed_only)
    taken = [choice.brush for choice in kernel.tensorized.choices if isinstance(choice.outcome, Legal)]
    split: SplitPolicy = "all" if kernel.tensorized.order.divided else plan.split
    unroll: UnrollPolicy = "all" if kernel.tensorized.order.unrolled else plan.unroll
    largest = max(taken, key=lambda brush: math.prod(size for _, size in brush), default=())
    if kernel.tensorized.choices and not taken:
        kernel = faster_without_brush(kernel, machine)
    elif len(taken) == len(kernel.tensorized.choices):
        kernel = replace(kernel, plan=replace(kernel.plan, vectorizer=plan.vectorizer))
    return replace(kernel, plan=replace(kernel.plan, split=split, unroll=unroll, brush=Brush(tuple(size for _, size in largest))))


def _sizes(function: Unit, given: Sizes) -> Sizes:
    """Sizes for all parameters, as benchmarks take them where they are not given."""
    try:
        return complete_sizes(interface_of(function), given)
    except UnknownLength:
        return given
