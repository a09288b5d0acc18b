"""What `--brush auto` means: the best measured plan where the kernel was tuned, else the best of a few by the cost model.

A measured plan counts when it was found for the same function, processor, target, LLVM and tool version and does not contradict
what the user says: floating-point mode, assumptions, threads, tails. Of several sizes the nearest to the given ones count, and
the ones tuned last where none are given. The model compiles a handful of brushes, so it takes a few compilations' time.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace

from autotune.counts import count
from autotune.database import Database, open_existing
from autotune.known_machine import remembered
from autotune.machine import UNMEASURED, Machine
from autotune.model import predict
from autotune.record import Record
from autotune.space import loop_depth
from autotune.subject import element_bits, kernel_key, work_of
from autotune.traffic import traffic_of
from rv.target.host import host, llvm_version
from rv.target.machine import Target, runs_here
from tensorrv import __version__
from tensorrv.automatic import tuning_database
from tensorrv.buffers import UnknownLength, bytes_needed
from tensorrv.diagnostics import Refused
from tensorrv.frontend.module import CFunction
from tensorrv.interface import interface_of
from tensorrv.kernel import Kernel, compile_function, register_lanes
from tensorrv.plan import Brush, Plan, PlanError, parse_plan
from tensorrv.sizes import Sizes, parse_sizes
from tensorrv.trial import complete_sizes

LARGE = 16e6  # bytes: arrays of unknown size


def compile_automatically(function: CFunction, plan: Plan, target: Target, sizes: Sizes) -> Kernel:
    """The kernel under the best known plan that agrees with `plan`, whose brush is left open. Raises Refused."""
    database = open_existing(tuning_database())
    if database is not None and runs_here(target) is None:
        for found in _tuned(database, function, plan, target, sizes):
            try:
                return compile_function(function, found, target)
            except Refused:
                continue
    machine = None if database is None else remembered(database)
    return _best_predicted(function, plan, target, sizes, machine or UNMEASURED)


def _tuned(database: Database, function: CFunction, plan: Plan, target: Target, sizes: Sizes) -> Iterable[Plan]:
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
    same = replace(own, tail=tail, prefetch=prefetch)
    return found == same


def _distance(text: str, sizes: Sizes) -> float:
    """How far tuned sizes are from the given ones, in factors of two."""
    tuned = parse_sizes(text) if text else {}
    return sum(abs(math.log2(max(1, value)) - math.log2(max(1, tuned.get(name, 1)))) for name, value in sizes.items())


def _best_predicted(function: CFunction, plan: Plan, target: Target, sizes: Sizes, machine: Machine) -> Kernel:
    refusal: Refused | None = None
    found: list[tuple[float, Kernel]] = []
    work, bits, complete, arrays = work_of(function), element_bits(function), *_sizes(function, sizes)
    for brush in candidate_brushes(function, target):
        try:
            kernel = compile_function(function, replace(plan, brush=brush), target)
        except Refused as error:
            refusal = refusal or error
            continue
        counts = count(kernel.module.assembly, work, brush.lanes, bits)
        traffic = traffic_of(kernel.tensorized, complete, arrays)
        found.append((predict(counts, traffic, machine, target).nanoseconds, kernel))
    if not found:
        assert refusal is not None
        raise refusal
    return min(found, key=lambda pair: pair[0])[1]


def candidate_brushes(function: CFunction, target: Target) -> tuple[Brush, ...]:
    """A few that are rarely far from the best, in the order of preference when the model sees no difference."""
    lanes = register_lanes(function, target)
    if loop_depth(function) < 2:
        return (Brush((lanes,)), Brush((2 * lanes,)))
    return tuple(Brush(sizes) for sizes in ((4, lanes), (8, lanes), (1, lanes)))


def _sizes(function: CFunction, given: Sizes) -> tuple[Sizes, float]:
    """Sizes for all parameters, and the bytes of all arrays then."""
    interface = interface_of(function)
    try:
        sizes = complete_sizes(interface, given)
        return sizes, float(bytes_needed(interface.signature, interface.reaches, sizes))
    except UnknownLength:
        return given, LARGE
