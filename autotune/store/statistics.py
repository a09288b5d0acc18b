"""Medians with confidence intervals from order statistics: no assumption about how disturbances are distributed."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

_Z: Final = 1.96  # 95 %


@dataclass(frozen=True, slots=True)
class Estimate:
    """The median of `samples` numbers, and the interval that holds the true median with 95 % confidence."""

    median: float
    low: float
    high: float
    samples: int

    @property
    def uncertainty(self) -> float:
        """Half the interval, relative to the median."""
        return (self.high - self.low) / 2 / self.median if self.median else math.inf


def estimate(samples: Sequence[float]) -> Estimate:
    """The estimate; with fewer than six samples the interval is all of them. ValueError without samples."""
    ordered = sorted(samples)
    count = len(ordered)
    if not count:
        raise ValueError("no samples")
    # the number of samples below the median is binomial with p = 1/2
    below = max(0, math.floor((count - _Z * math.sqrt(count)) / 2))
    return Estimate(statistics.median(ordered), ordered[below], ordered[count - 1 - below], count)
