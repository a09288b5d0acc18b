"""The ways to search.

*Exhaustive* measures every candidate. *Guided* measures a tenth: one half of that are the candidates that the model finds best,
the other half those near the fastest of the first, as far as the model has no better ones. Successive halving: after every
round the faster half goes on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

from autotune.machine import Machine
from autotune.model import predict_record
from autotune.record import Record
from autotune.space import Candidate
from autotune.sweep import Batch
from rv.target.machine import Target
from tensorrv.plan import Brush, Plan, parse_plan

SHARE: Final = 0.1  # of the candidates are measured when the model guides
TELLS_APART: Final = 0.02  # relative difference of predictions that means something
FEW: Final = 4  # candidates: fewer are all chosen by the model


@dataclass(frozen=True, slots=True)
class Guided:
    """The strategy for one machine. Candidates of whose code nothing is known come last."""

    machine: Machine
    target: Target
    share: float = SHARE

    def __call__(self, surveyed: Sequence[Record], known: Mapping[Candidate, Record]) -> Iterable[Batch]:
        ranks = {r.candidate: _rank(r, predict_record(r, self.machine, self.target)) for r in surveyed}
        order = sorted(ranks, key=ranks.__getitem__)
        quota = max(1, math.floor(len(order) * self.share))
        first = order[: quota if quota < FEW else -(-quota // 2)]
        yield Batch(first, halving=True)
        fastest = min((c for c in first if _time(known, c) is not None), key=lambda c: _time(known, c) or 0.0, default=None)
        rest = [candidate for candidate in order if candidate not in first]
        if fastest is not None and quota > len(first):
            near = sorted(rest, key=lambda c: not are_neighbours(c, fastest))[: quota - len(first)]
            yield Batch([fastest, *near], halving=True)


def _rank(record: Record, predicted: float | None) -> tuple[float, int]:
    """Least first: the predicted time as far as the model can tell times apart, then the lanes, since small code is good code."""
    if predicted is None:
        return math.inf, 0
    return round(math.log(predicted) / TELLS_APART), parse_plan(record.candidate.plan).brush.lanes


def _time(known: Mapping[Candidate, Record], candidate: Candidate) -> float | None:
    record = known.get(candidate)
    return record.time.median if record is not None and record.time is not None else None


def are_neighbours(one: Candidate, other: Candidate) -> bool:
    """Whether two candidates differ in one choice only, where a brush counts as one if a single size is twice the other."""
    if one.threads != other.threads:
        return False
    left, right = parse_plan(one.plan), parse_plan(other.plan)
    differing = [field.name for field in fields(Plan) if getattr(left, field.name) != getattr(right, field.name)]
    if differing == ["brush"]:
        return _one_step(left.brush, right.brush)
    return len(differing) == 1


def _one_step(left: Brush, right: Brush) -> bool:
    if left.rank != right.rank or left.names != right.names:
        return False
    ratios = [max(a, b) / min(a, b) for a, b in zip(left.sizes, right.sizes, strict=True) if a != b]
    return ratios == [2.0]


def exhaustive(surveyed: Sequence[Record], known: Mapping[Candidate, Record]) -> Iterable[Batch]:
    """Every candidate, in one batch."""
    yield Batch([record.candidate for record in surveyed])
