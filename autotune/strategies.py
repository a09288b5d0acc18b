"""The ways to search.

*Exhaustive* measures every candidate. *Guided* measures the tenth that the model finds best, with successive halving: after every
round the faster half of them goes on.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from autotune.machine import Machine, Ports
from autotune.model import predict_record
from autotune.record import Record
from autotune.space import Candidate
from autotune.sweep import Batch

SHARE: Final = 0.1  # of the candidates are measured when the model guides


@dataclass(frozen=True, slots=True)
class Guided:
    """The strategy for one machine. Candidates of whose code nothing is known come last."""

    machine: Machine
    ports: Ports
    share: float = SHARE

    def __call__(self, surveyed: Sequence[Record], known: Mapping[Candidate, Record]) -> Iterable[Batch]:
        times = {r.candidate: predict_record(r, self.machine, self.ports) for r in surveyed}
        order = sorted(times, key=lambda c: (times[c] is None, times[c]))
        yield Batch(order[: max(1, math.floor(len(order) * self.share))], halving=True)


def exhaustive(surveyed: Sequence[Record], known: Mapping[Candidate, Record]) -> Iterable[Batch]:
    """Every candidate, in one batch."""
    yield Batch([record.candidate for record in surveyed])
