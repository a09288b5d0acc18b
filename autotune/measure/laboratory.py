"""What a worker's child process does: compile candidates, hold them against the scalar code, time them.

What is compiled stays: rounds of samples come back to the same candidates again and again.
"""

from __future__ import annotations

import hashlib
import pickle
from dataclasses import dataclass, field
from typing import Final

from autotune.measure.outcome import Compiled, Failed, Job, Outcome, Sampled
from autotune.measure.subject import Subject, element_bits, work_of
from autotune.model.counts import Work
from autotune.model.steps import with_chain
from autotune.model.traffic import traffic_of
from autotune.space import Candidate
from rv.target.machine import resolve_target
from tensorrv.check.bench import Stopwatch
from tensorrv.check.buffers import Placement
from tensorrv.check.invented_lengths import interface_to_run
from tensorrv.check.runs import compared
from tensorrv.check.sandbox import Note
from tensorrv.check.trial import References, comparison
from tensorrv.interface.facts import Interface
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.pipeline.native import set_threads
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import parse_plan

MOST_KERNELS: Final = 2000


@dataclass(slots=True)
class _Bench:
    """One subject with everything that is made once."""

    subject: Subject
    interface: Interface
    work: Work
    bits: int
    references: References
    kernels: dict[str, Kernel] = field(default_factory=dict)
    ulps: dict[str, int] = field(default_factory=dict)
    repetitions: dict[Candidate, int] = field(default_factory=dict)
    stopwatches: dict[bool, Stopwatch] = field(default_factory=dict)

    def stopwatch(self, threads: int) -> Stopwatch:
        """Processor time for one thread, elapsed time for several."""
        several = threads > 1
        if several not in self.stopwatches:
            signature, reaches = self.interface.signature, self.interface.reaches
            sizes, given = dict(self.subject.sizes), self.subject.given
            self.stopwatches[several] = Stopwatch(signature, reaches, sizes, threads=several, given=given)
        return self.stopwatches[several]


_benches: Final[dict[bytes, _Bench]] = {}
"""This process serves one sweep; the state is its reason to live on between requests."""


def answer(job: Job, note: Note) -> Outcome:
    """Compiles the candidate; with samples, also verifies and times it."""
    bench = _bench(job.subject)
    plan = job.candidate.plan
    try:
        kernel = _kernel(bench, plan)
        if not job.samples:
            return _compiled(bench, kernel)
        if job.candidate.threads > 1:
            set_threads(job.candidate.threads)
        if plan not in bench.ulps:
            sizes, given = (dict(bench.subject.sizes),), bench.subject.given
            request = comparison(kernel, sizes, bench.references, given=given)
            found = compared(request, note)
            if found.difference is not None:
                return Failed("different", str(found.difference))
            bench.ulps[plan] = found.ulps
    except Refused as refusal:
        return Failed("refused", "; ".join(f"{d.code} {d.message}" for d in refusal.diagnostics))
    spread = _samples(bench, kernel, job, "spread")
    together = _samples(bench, kernel, job, "together") if len(bench.interface.signature.arrays) > 1 else ()
    return Sampled(spread, bench.ulps[plan], together)


def _bench(pickled: bytes) -> _Bench:
    if pickled not in _benches:
        subject: Subject = pickle.loads(pickled)
        interface = interface_to_run(subject.function, subject.given)
        work, bits = work_of(subject.function), element_bits(subject.function)
        _benches.clear()
        references = References(subject.function, resolve_target(subject.target))
        _benches[pickled] = _Bench(subject, interface, work, bits, references)
    return _benches[pickled]


def _kernel(bench: _Bench, plan: str) -> Kernel:
    """The kernel for a plan. Raises Refused."""
    if plan not in bench.kernels:
        if len(bench.kernels) >= MOST_KERNELS:
            bench.kernels.clear()
        bench.kernels[plan] = compile_function(bench.subject.function, parse_plan(plan), resolve_target(bench.subject.target))
    return bench.kernels[plan]


def _compiled(bench: _Bench, kernel: Kernel) -> Compiled:
    assembly = kernel.module.assembly
    code = hashlib.sha256(assembly.encode()).hexdigest()[:32]
    counts = with_chain(assembly, bench.work, kernel.plan.brush.lanes, bench.bits, kernel.target)
    sizes = dict(bench.subject.sizes)
    return Compiled(code, counts, traffic_of(kernel.tensorized, sizes, float(bench.stopwatch(1).array_bytes)))


def _samples(bench: _Bench, kernel: Kernel, job: Job, placement: Placement) -> tuple[float, ...]:
    address = kernel.module.jit().address(kernel.name)
    stopwatch = bench.stopwatch(job.candidate.threads)
    if job.candidate not in bench.repetitions:
        bench.repetitions[job.candidate] = stopwatch.repetitions(address, kernel.storages)
    # others had the caches since this candidate's last round
    stopwatch.time(address, 1, kernel.storages, placement)
    repetitions = bench.repetitions[job.candidate]
    return tuple(stopwatch.time(address, repetitions, kernel.storages, placement) for _ in range(job.samples))
