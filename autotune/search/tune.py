"""Tuning one function: from a C function and sizes to the fastest plan, with everything that was found out on the way."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace

from autotune.measure.known_machine import remembered
from autotune.measure.machine_key import key_of
from autotune.measure.subject import Subject, points_of
from autotune.measure.workers import LABORATORY, Workers
from autotune.model.prediction import Prediction, predict, rank_correlation
from autotune.search.effort import Effort
from autotune.search.sweep import Progress, Silent, Strategy, Sweep
from autotune.space import Axes, Candidate, candidates, inner_loop_brush, without_brush
from autotune.store.database import Database
from autotune.store.record import Key, Record
from rv.target.description import Machine
from rv.target.machine import resolve_target, runs_here
from tensorrv.api.compiled import CompiledKernel
from tensorrv.check.given.values import NOTHING, Given
from tensorrv.check.sandbox import Sandbox, sandbox
from tensorrv.check.sizes import Sizes
from tensorrv.check.trial import sizes_to_run, try_source
from tensorrv.cli.selection import check_sizes
from tensorrv.interface.facts import interface_of
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import Brush, Plan, parse_plan
from tensorrv.unit.unit import Unit


@dataclass(frozen=True, slots=True)
class Request:
    """What is to be tuned, over which space and how thoroughly."""

    subject: Subject
    axes: Axes
    effort: Effort
    strategy: Strategy


@dataclass(frozen=True, slots=True)
class Tuning:
    """What a sweep found out. `records` are all candidates of the space in its order, `measured` those with times, fastest first.

    `baseline` is vectorization of the innermost brushed loop alone. `interrupted`: the sweep was ended by Ctrl-C. `machine` is
    what predictions are made for, if it was measured.
    """

    subject: Subject
    key: Key
    baseline: Record
    records: tuple[Record, ...]
    measured: tuple[Record, ...]
    interrupted: bool
    machine: Machine | None = None

    @property
    def best(self) -> Record:
        """The fastest of what was measured."""
        return self.measured[0]

    @property
    def plan(self) -> Plan:
        """The fastest plan."""
        return parse_plan(self.best.candidate.plan)

    @property
    def speedup(self) -> float:
        """How many times faster the best plan is than the baseline."""
        return speedup(self.best, self.baseline) or 1.0

    def compile(self) -> CompiledKernel:
        """The kernel under the fastest plan."""
        return CompiledKernel(compile_function(self.subject.function, self.plan, resolve_target(self.subject.target)))

    def __repr__(self) -> str:
        return f"<tuning of {self.subject.function.name}: {self.best.candidate}, {self.speedup:.2f}x inner-loop vectorization>"


def speedup(record: Record, baseline: Record) -> float | None:
    """The baseline's time over the record's; None when either was not measured."""
    if record.time is None or baseline.time is None:
        return None
    return baseline.time.median / record.time.median


def prediction(tuning: Tuning, record: Record) -> Prediction | None:
    """The model's prediction for a candidate; None where the machine or the code is not known."""
    if tuning.machine is None or record.counts is None or record.traffic is None:
        return None
    return predict(record.counts, record.traffic, tuning.machine)


def predictions(tuning: Tuning) -> dict[Candidate, float]:
    """Predicted nanoseconds per point of what was measured on one thread."""
    found = {r.candidate: prediction(tuning, r) for r in tuning.measured if r.candidate.threads == 1}
    return {candidate: one.nanoseconds for candidate, one in found.items() if one is not None}


def correlation(tuning: Tuning) -> float | None:
    """The rank correlation of predicted and measured times; None for fewer than three plans that have both."""
    predicted = predictions(tuning)
    pairs = [(predicted[r.candidate], r.time.median) for r in tuning.measured if r.candidate in predicted and r.time]
    return rank_correlation(pairs) if len(pairs) > 2 else None


def make_subject(function: Unit, target: str, sizes: Sizes, given: Given = NOTHING) -> Subject:
    """The subject, with values for the sizes that are not given. Raises Refused where the source cannot be run with them."""
    check_sizes((function,), (sizes,))
    complete = sizes_to_run(function, sizes, given)
    if runs_here(resolve_target(target)) is None:  # workers may be on other machines
        try_source(function, resolve_target(target), complete, given)
    return Subject(function, target, tuple(sorted(complete.items())), given)


def tune_function(
    request: Request, workers: Workers, database: Database | None = None, progress: Progress | None = None
) -> Tuning:
    """Runs the sweep. Raises Refused when no candidate could be measured, or when none would have anything to do."""
    subject = request.subject
    points = points_of(interface_of(subject.function), subject.sizes)
    if points == 0:
        raise _idle(subject)
    key = key_of(subject)
    sweep = Sweep(key, subject.function.name, points, subject.pickled(), workers, database, request.effort, progress or Silent())
    baseline = _baseline(request)
    sweep.run(candidates(request.axes), baseline, request.strategy, without_brush(request.axes))
    if not sweep.measured:
        raise _nothing(sweep, subject.function)
    own = sweep.records.get(baseline) or sweep.measured[0]
    machine = None if database is None else remembered(database, resolve_target(subject.target))
    return Tuning(subject, key, own, tuple(sweep.records.values()), sweep.measured, sweep.interrupted, machine)


def _baseline(request: Request) -> Candidate:
    axes = request.axes
    brushes = axes.brushes or (Brush((1, 1)),)
    brush = inner_loop_brush(request.subject.function, resolve_target(request.subject.target), max(b.rank for b in brushes))
    names = next((b.names for b in brushes if len(b.names) == brush.rank), ())
    return Candidate(str(replace(axes.base, brush=Brush(brush.sizes, names))), 1)


def _idle(subject: Subject) -> Refused:
    sizes = ", ".join(f"{name}={size}" for name, size in subject.sizes)
    message = f"with {sizes} the loops of '{subject.function.name}' have no iterations, so that all plans are equal"
    return Refused(Diagnostic("error", "TRV404", message, subject.function.function.span, hint="give larger sizes"))


def _nothing(sweep: Sweep, function: Unit) -> Refused:
    reasons = dict.fromkeys(f"{r.status}: {r.reason}" for r in sweep.records.values() if r.reason)
    if sweep.interrupted:
        reasons, hint = {}, "the same command starts again"
        first = "the sweep was interrupted before the first measurement"
    else:
        first, hint = "the budget was spent before the first measurement", "try other --brushes, or a larger --budget"
    message = f"no plan for '{function.name}' could be measured; {next(iter(reasons), first)}"
    return Refused(Diagnostic("error", "TRV402", message, function.function.span, hint=hint))


@contextmanager
def local_workers(executor: Executor | None = None, parallel: int = 1) -> Iterator[Workers]:
    """Workers on the given executor, or on one local process.

    One, since candidates that are timed at once disturb each other. Ends the local process.
    """
    if executor is not None:
        yield Workers(executor, parallel)
        return
    boxes: list[Sandbox] = []

    def own_sandbox() -> None:
        boxes.append(sandbox(LABORATORY))

    pool = ThreadPoolExecutor(parallel, initializer=own_sandbox)
    try:
        yield Workers(pool, parallel)
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
        # a thread may still wait for a kernel that never ends
        for box in boxes:
            box.close()
