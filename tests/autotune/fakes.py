"""A machine that is not there: workers that answer at once from a table, on a clock that moves only when they work."""

from concurrent.futures import Executor, Future
from dataclasses import dataclass, field

from autotune.measure.outcome import Compiled, Sampled
from autotune.measure.workers import Workers
from autotune.model.counts import Counts
from autotune.model.traffic import Traffic
from autotune.search.effort import Effort
from autotune.search.sweep import Sweep
from autotune.space import Candidate
from autotune.store.record import Key

KEY = Key("kernel", "n=8", "cpu", "native", "22", "1")


class Immediately(Executor):
    """Runs what is submitted in the calling thread."""

    def submit(self, function, /, *arguments, **named):
        future = Future()
        try:
            future.set_result(function(*arguments, **named))
        except Exception as error:
            future.set_exception(error)
        return future


@dataclass
class Machine:
    """`times` maps plans to the nanoseconds of their samples, or to an outcome; `now` is the clock, in seconds."""

    times: dict
    now: float = 0.0
    seconds: float = 1.0
    noise: tuple = (0.0,)
    jobs: list = field(default_factory=list)
    interrupt_after: int | None = None

    def run(self, job):
        if self.interrupt_after is not None and len(self.jobs) >= self.interrupt_after:
            raise KeyboardInterrupt
        self.jobs.append(job)
        self.now += self.seconds
        known = self.times[job.candidate.plan]
        if not job.samples:
            return Compiled(job.candidate.plan, Counts(8, 512), Traffic(16.0, 8.0, 1e5, 1e6))
        if not isinstance(known, (int, float)):
            return known
        turn = len(self.sampled(job.candidate.plan))
        return Sampled(tuple(known * (1 + self.noise[(turn + k) % len(self.noise)]) for k in range(job.samples)))

    def sampled(self, plan):
        """The measuring jobs for a plan, in order."""
        return [job for job in self.jobs if job.samples and job.candidate.plan == plan]

    def sweep(self, database=None, **effort):
        return Sweep(
            KEY, "f", 100, b"", Workers(Immediately(), 1, self.run), database, Effort(**effort), clock=lambda: self.now,
            today=lambda: 1000.0 + self.now,
        )  # fmt: skip

    @property
    def candidates(self):
        return [Candidate(plan) for plan in self.times]
