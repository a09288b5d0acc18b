"""Lines that move between the levels of memory, beside what is computed."""

from __future__ import annotations

import math
from bisect import bisect_left
from typing import Final

from rv.target.description import Machine

APART: Final = 0.35
"""How much of the shorter of computing and moving is not hidden behind the longer one; docs/decisions/cost-model.md."""
TRANSFERS: Final = 3 / 2
"""Lines that move for each one of a copy: what is stored is loaded before."""


def overlapped(computing: float, moving: float) -> float:
    """The time of both, in any unit."""
    return max(computing, moving) + APART * min(computing, moving)


def cycles_per_byte(machine: Machine, bytes_: float) -> float:
    """The time in which a byte of as much data is copied; between the sizes of levels interpolated in their logarithms."""
    levels = machine.memory.levels
    place = bisect_left([level.bytes for level in levels], bytes_)
    if place in (0, len(levels)):
        return 1 / levels[min(place, len(levels) - 1)].move
    near, far = levels[place - 1], levels[place]
    part = math.log(bytes_ / near.bytes) / math.log(far.bytes / near.bytes)
    return (1 - part) / near.move + part / far.move


def nanoseconds_per_byte(machine: Machine, bytes_: float) -> float:
    return cycles_per_byte(machine, bytes_) / machine.ghz


def line_from_second_level(machine: Machine) -> float:
    """Cycles for a line that comes from the second level or goes there, its part of the accesses to the first included."""
    return machine.memory.line / machine.memory.second.move


def waiting(machine: Machine, loads: float) -> float:
    """Cycles of so many loads that meet the low address bits of stores whose lines are still to come."""
    return machine.memory.aliased * loads


BRUSHES_AHEAD: Final = 2
"""The lines of stores are fetched for so many brushes later: one takes as long as a line takes from the second level, or less."""
LEAST_REGISTERS: Final = 4
"""Stored to one block of a layout, from which on its lines are fetched: as many as stores that wait anyway."""
NEXT_ROW: Final = 16
"""Bytes: how far rows of large arrays are apart modulo a page where that hurts: lengths of a power of two and a border."""
