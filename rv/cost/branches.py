"""What tests and branches cost, and how much code they are worth."""

from __future__ import annotations

from typing import Final

from rv.cost.frequencies import MISPREDICTED
from rv.target.description import Machine

REFETCHED: Final = 3
"""Cycles beside a misprediction itself: what was fetched in vain has taken the ports of what was under way."""
KEPT: Final = 4
"""Instructions of a test: a comparison, the move out of a predicate register, and values kept across blocks."""
WORTH_RUNNING: Final = 64
"""Instructions of an arm that are rather executed in vain than branched around, before it is known whether lanes will differ."""
WORTH_SKIPPING: Final = 12
"""Instructions of arms from which on a branch that is the same in all iterations of a loop stays one: lanes agree about it."""
SLOW: Final = 8
"""As how many of these a division, a root or a call counts."""
BETWEEN_TESTS: Final = 4
"""Brushes of a search between two tests: finding the place in them against testing them (both take as many instructions)."""
ENTRY: Final = 10
"""Cycles for entering a brushed loop: its bounds and limits, a head and a tail."""


def mispredicted(machine: Machine) -> float:
    """Cycles of a branch that is predicted wrong."""
    return machine.misprediction + REFETCHED


def data_dependent(machine: Machine) -> float:
    """Cycles of a branch that depends on data, on average."""
    return mispredicted(machine) * MISPREDICTED


def test(machine: Machine) -> float:
    """Instructions that could run instead of a test whether some lane needs code, mispredictions included."""
    return KEPT + machine.misprediction * MISPREDICTED * machine.issue
