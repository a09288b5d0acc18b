"""How much a sweep may measure."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Effort:
    """How much is measured. `budget` in seconds for the whole sweep; `tolerance` relative to the best time.

    Every candidate gets `least` rounds of `samples` samples if the budget allows, and `most` at most.
    """

    budget: float = 60.0
    samples: int = 5
    least: int = 3
    most: int = 20
    tolerance: float = 0.01
