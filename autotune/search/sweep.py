"""A sweep: survey all candidates, choose which to measure, measure them in rounds, and keep everything on the way.

    survey   compile every candidate, count its instructions; equal code is measured once
    choose   all of them, or those that the strategy picks from what is known so far
    rounds   every candidate that is still in gets a few samples per round, in turn, so that what disturbs one disturbs
             all; a candidate is out when its confidence interval lies above the best one's, and the sweep ends when one is
             left, when those left differ by less than the tolerance, or when the budget is spent

Every outcome is written to the database when its round ends, also when the sweep is interrupted; a later sweep goes on
from there.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Final, Protocol

from autotune.measure.outcome import Compiled, Failed, Job, Outcome, Sampled
from autotune.measure.workers import Workers
from autotune.search.effort import Effort
from autotune.space import Candidate
from autotune.store.database import Database
from autotune.store.record import Key, Record
from autotune.store.statistics import Estimate

Clock = Callable[[], float]

SURVEY: Final = 0.6  # of the budget, at most
ENDED: Final = "refused", "different", "crashed", "hung"


class Progress(Protocol):
    """Receives the progress of a sweep."""

    def stage(self, name: str, total: int) -> None: ...

    def step(self, text: str) -> None: ...


class Silent:
    """Ignores progress."""

    def stage(self, name: str, total: int) -> None:
        pass

    def step(self, text: str) -> None:
        pass


@dataclass(frozen=True, slots=True)
class Batch:
    """Candidates that are measured interleaved. With `halving` only the faster half goes on after each round."""

    candidates: Sequence[Candidate]
    halving: bool = False


Strategy = Callable[[Sequence[Record], Mapping[Candidate, Record]], Iterable[Batch]]
"""From the surveyed candidates to the batches that are measured one after the other.

The mapping changes while the sweep goes on: when the next batch is requested, it contains the results of the last one.
"""


@dataclass(slots=True)
class Sweep:
    """The state of a sweep. `records` has an entry for every candidate that is known about, by candidate."""

    key: Key
    name: str
    points: int | None
    subject: bytes
    workers: Workers
    database: Database | None = None
    effort: Effort = field(default_factory=Effort)
    progress: Progress = field(default_factory=Silent)
    clock: Clock = time.monotonic
    today: Clock = time.time
    records: dict[Candidate, Record] = field(default_factory=dict)
    interrupted: bool = False
    _started: float = 0.0
    _unsaved: dict[Candidate, None] = field(default_factory=dict)

    def run(
        self, candidates: Sequence[Candidate], baseline: Candidate, strategy: Strategy, others: Sequence[Candidate] = ()
    ) -> None:
        """Fills `records`. The baseline and `others` are always measured. Ctrl-C ends the sweep early and loses nothing."""
        self._started = self.clock()
        everything = tuple(dict.fromkeys((baseline, *others, *candidates)))
        if self.database is not None:
            wanted = set(everything)
            self.records = {r.candidate: r for r in self.database.read(self.key) if r.candidate in wanted}
        try:
            self._survey(everything)
            self._measure((baseline, *others), strategy)
        except KeyboardInterrupt:
            self.interrupted = True
        finally:
            self._save()

    @property
    def distinct(self) -> tuple[Record, ...]:
        """The surveyed candidates that may be measured, one for each machine code and number of threads."""
        found: dict[tuple[str, int], Record] = {}
        for record in self.records.values():
            if record.status not in ENDED and record.code:
                found.setdefault((record.code, record.candidate.threads), record)
        return tuple(found.values())

    @property
    def measured(self) -> tuple[Record, ...]:
        """What was measured, fastest first."""
        found = [(record.time.median, record) for record in self.records.values() if record.time and record.status == "measured"]
        return tuple(record for _, record in sorted(found, key=lambda pair: pair[0]))

    # -- survey

    def _survey(self, candidates: Sequence[Candidate]) -> None:
        unknown = [c for c in candidates if c not in self.records]
        self.progress.stage("compile", len(unknown))
        jobs = (Job(self.subject, candidate, 0) for candidate in unknown if not self._spent(SURVEY))
        with self._saving():
            for job, outcome in self.workers.outcomes(jobs):
                self._note(job.candidate, outcome)
                self.progress.step(str(job.candidate))
        # in the order of the space, whatever order outcomes came in
        self.records = {c: self.records[c] for c in candidates if c in self.records}

    # -- rounds

    def _measure(self, always: Sequence[Candidate], strategy: Strategy) -> None:
        first = [c for c in always if c in self.records and self.records[c].status not in ENDED]
        for batch in strategy(self.distinct, self.records):
            self._rounds(list(dict.fromkeys((*first, *batch.candidates))), halving=batch.halving)

    def _rounds(self, batch: Sequence[Candidate], *, halving: bool) -> None:
        inside = list(batch)
        self.progress.stage("measure", self.effort.least * len(inside))
        for number in range(self.effort.most):
            turn = [c for c in inside if self._rounds_of(c) <= number]
            with self._saving():
                for job, outcome in self.workers.outcomes(Job(self.subject, c, self.effort.samples) for c in self._in_time(turn)):
                    self._note(job.candidate, outcome)
                    self.progress.step(self._best_text())
            inside = [c for c in inside if self.records[c].status not in ENDED]
            if self._spent() or number + 1 < self.effort.least:
                continue
            inside = self._contenders(inside, halving=halving)
            if self._settled(inside):
                break

    def _rounds_of(self, candidate: Candidate) -> int:
        return len(self.records[candidate].samples) // self.effort.samples

    def _in_time(self, turn: Sequence[Candidate]) -> Iterator[Candidate]:
        for candidate in turn:
            if self._spent():
                return
            yield candidate

    def _times(self, batch: Sequence[Candidate]) -> dict[Candidate, Estimate]:
        return {c: found for c in batch if (found := self.records[c].time) is not None}

    def _contenders(self, batch: Sequence[Candidate], *, halving: bool) -> list[Candidate]:
        """Those that may still be the fastest; with `halving` the faster half."""
        times = self._times(batch)
        if not times:
            return []
        if halving:
            times = dict(sorted(times.items(), key=lambda item: item[1].median)[: -(-len(times) // 2)])
        best = min(times.values(), key=lambda t: t.median)
        return [candidate for candidate, found in times.items() if found.low <= best.high]

    def _settled(self, batch: Sequence[Candidate]) -> bool:
        """One is left, or all that are left take the same time as far as anyone cares."""
        times = list(self._times(batch).values())
        if len(times) < 2:
            return True
        best = min(t.median for t in times)
        tolerance = self.effort.tolerance
        return all(t.median <= best * (1 + tolerance) and t.uncertainty <= tolerance for t in times)

    # -- bookkeeping

    def _spent(self, share: float = 1.0) -> bool:
        """Whether this share of the budget is used up."""
        return self.clock() - self._started >= self.effort.budget * share

    def _note(self, candidate: Candidate, outcome: Outcome) -> None:
        before = self.records.get(candidate) or Record(self.key, candidate, self.name, "compiled", points=self.points)
        match outcome:
            case Compiled(code, counts, traffic):
                after = replace(before, code=code, counts=counts, traffic=traffic)
            case Sampled(nanoseconds, ulps, together):
                after = before.with_samples(nanoseconds, ulps, together)
            case Failed(status, reason):
                after = replace(before, status=status, reason=reason)
        self.records[candidate] = replace(after, updated=self.today())
        self._unsaved[candidate] = None

    @contextmanager
    def _saving(self) -> Iterator[None]:
        try:
            yield
        finally:
            self._save()

    def _save(self) -> None:
        if self.database is not None and self._unsaved:
            self.database.write([self.records[candidate] for candidate in self._unsaved])
        self._unsaved.clear()

    def _best_text(self) -> str:
        best = next(iter(self.measured), None)
        if best is None or best.time is None:
            return ""
        return f"{best.candidate}: {best.time.median / (best.points or 1):.3f} ns"
