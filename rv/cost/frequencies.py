"""How often code runs where that depends on data: what is assumed without a profile, on every machine."""

from __future__ import annotations

import math
from typing import Final

LOOP_TRIPS: Final = 8
"""Iterations of a loop that ends by data (LLVM's BranchProbabilityInfo takes 32 for all; loops inside brushes are short)."""
PARAMETER_TRIPS: Final = 256
"""Iterations of a loop whose trip count is a parameter."""
EQUAL: Final = 1 / 4
"""The chance that two values are equal (Ball and Larus, "Branch prediction for free", PLDI 1993: 16 % of integers)."""
NAN: Final = 1 / 16
"""The chance that a value is a NaN; code behind such tests is mostly never run."""
MISPREDICTED: Final = 1 / 4
"""The part of data-dependent branches with equal chances that is predicted wrong; random data reach 1/2, sorted data 0."""


def needed(chance: float, lanes: int) -> float:
    """The chance that some lane comes where each comes with this chance.

    Neighbouring lanes agree more often than independent ones: W lanes are taken to decide like sqrt(W) independent ones.
    """
    return 1 - unwanted(chance, lanes)


def unwanted(chance: float, lanes: int) -> float:
    """The chance that no lane comes there. Chances add up to a little more than 1 where they are rounded."""
    return float(max(0.0, 1 - chance) ** math.sqrt(lanes))


def longest_trips(lanes: float) -> float:
    """How many times as long as one lane the last of several stays in a loop, if all trip counts up to some limit are equally
    likely: the expected maximum over the expected value.
    """
    return 2 * lanes / (1 + lanes)
