"""The search strategies.

*Exhaustive* measures every candidate. *Guided* measures a tenth, in a few steps: next come those that may be the fastest by what
the cost model predicts and by its errors for those measured so far (a lower confidence bound, as in Bayesian
optimization). They run interleaved with the fastest so far. Where a step has several, successive halving: after every round the
faster half goes on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from autotune.model.prediction import predict
from autotune.search.surrogate import Expected, expected_times
from autotune.search.sweep import Batch
from autotune.space import Candidate
from autotune.store.record import Record
from rv.cost.margins import REPORTED
from rv.target.description import Machine
from tensorrv.schedule.plan import parse_plan

SHARE: Final = 0.1  # of the candidates are measured when the model guides
STEPS: Final = 8  # times that it is decided what to measure next
DARING: Final = 0.5  # standard deviations by which a candidate may be faster than expected


@dataclass(frozen=True, slots=True)
class Guided:
    """The strategy for one machine. Candidates of whose code nothing is known are left out, if there are others."""

    machine: Machine
    share: float = SHARE

    def __call__(self, surveyed: Sequence[Record], known: Mapping[Candidate, Record]) -> Iterable[Batch]:
        predictions = {r.candidate: predict_record(r, self.machine) for r in surveyed}
        predicted = {candidate: time for candidate, time in predictions.items() if time} or dict.fromkeys(predictions, 1.0)
        quota = min(len(predicted), max(1, math.floor(len(predictions) * self.share)))
        tried: list[Candidate] = []
        while len(tried) < quota:
            times = {c: time for c in predicted if (time := _time(known, c)) is not None}
            fastest = min((c for c in tried if c in times), key=times.__getitem__, default=None)
            chosen = _choose(predicted, times, tried, min(-(-quota // STEPS), quota - len(tried)))
            tried += chosen
            yield Batch(chosen if fastest is None else [fastest, *chosen], halving=len(chosen) > 1)


def _choose(
    predicted: Mapping[Candidate, float], measured: Mapping[Candidate, float], tried: Sequence[Candidate], number: int
) -> list[Candidate]:
    """The next candidates to measure. Those chosen first are believed to take as long as expected, so that others differ."""
    chosen: list[Candidate] = []
    believed = dict(measured)
    for _ in range(number):
        expected = expected_times(predicted, believed)
        rest = (candidate for candidate in predicted if candidate not in tried and candidate not in chosen)
        best = min(rest, key=lambda candidate: _rank(candidate, expected[candidate]))
        chosen.append(best)
        believed[best] = math.exp(expected[best].mean)
    return chosen


def _rank(candidate: Candidate, expected: Expected) -> tuple[int, int]:
    """Least first: how fast it may be as far as that means something, then the lanes, since small code is good code."""
    bound = expected.mean - DARING * expected.deviation
    return round(bound / REPORTED), parse_plan(candidate.plan).brush.lanes


def _time(known: Mapping[Candidate, Record], candidate: Candidate) -> float | None:
    record = known.get(candidate)
    return record.time.median if record is not None and record.time is not None else None


def exhaustive(surveyed: Sequence[Record], known: Mapping[Candidate, Record]) -> Iterable[Batch]:
    """Every candidate, in one batch."""
    yield Batch([record.candidate for record in surveyed])


def predict_record(record: Record, machine: Machine) -> float | None:
    """Nanoseconds per point on as many threads as the candidate has; None where nothing is known about its code."""
    if record.counts is None or record.traffic is None:
        return None
    return predict(record.counts, record.traffic, machine).nanoseconds / record.candidate.threads
