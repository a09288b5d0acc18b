"""How long a processor takes for the lines of a block in a given order.

A processor starts an operation when its operands are there, whatever the order, but looks ahead only so far: an operation that
waits takes one of `WAITING` places, and when they are taken nothing more comes in. So a long chain of dependent operations is
hidden behind others only where these are near. The model knows arithmetic of four cycles on two units, a divider, and loads; the
block is taken to follow itself, as the turns of a loop do, and the time from one turn to the next is counted.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Sequence
from typing import Final

from rv.widen.lines import Line

WAITING: Final = 96
UNITS: Final = 2
ARITHMETIC, LOAD, DIVISION = 4, 7, 24
DIVIDER: Final = 16
"""Cycles for which a division keeps the divider."""


def cycles(lines: Sequence[Line], order: Sequence[int]) -> float:
    """The time that a turn adds to another before it, in cycles."""
    clock = _Clock()
    first = clock.run(lines, order)
    return clock.run(lines, order) - first


def least_cycles(lines: Sequence[Line]) -> float:
    """The time for which the units or the divider are busy, in any order."""
    arithmetic = [line for line in lines if line.kind == "pure"]
    return max(sum(line.weight for line in arithmetic) / UNITS, DIVIDER * sum(map(_divides, arithmetic)))


def _divides(line: Line) -> bool:
    return line.weight > 0 and ("fdiv" in line.text or "@llvm.sqrt" in line.text)


class _Clock:
    """The time at which the units, the divider and the waiting places are free."""

    def __init__(self) -> None:
        self._taken: dict[int, float] = {}
        self._divisions: list[float] = []
        self._waiting: list[float] = []
        self._entered = 0.0
        self._last = 0.0

    def run(self, lines: Sequence[Line], order: Sequence[int]) -> float:
        """One turn: the time at which its last operation is done."""
        done = [0.0] * len(lines)
        for k in order:
            line = lines[k]
            if len(self._waiting) == WAITING:
                self._entered = max(self._entered, heapq.heappop(self._waiting))
            start = max([self._entered, *(done[operand] for operand in line.before)])
            if line.kind == "pure" and line.weight:
                start, latency = self._start(start, line)
            else:
                latency = LOAD if line.kind == "load" else 1
            heapq.heappush(self._waiting, start)
            done[k] = start + latency
            self._last = max(self._last, done[k])
        return self._last

    def _start(self, at: float, line: Line) -> tuple[float, float]:
        latency: float = ARITHMETIC
        if _divides(line):
            at, latency = self._divide(at), DIVISION
        slot = int(at)
        while self._taken.get(slot, 0.0) + line.weight > UNITS and self._taken.get(slot, 0.0):
            slot += 1
        self._taken[slot] = self._taken.get(slot, 0.0) + line.weight
        return max(at, slot), latency

    def _divide(self, at: float) -> float:
        """The first time from `at` on at which the divider is free for a division, which then takes it."""
        place = bisect.bisect_right(self._divisions, at - DIVIDER)
        while place < len(self._divisions) and self._divisions[place] < at + DIVIDER:
            at = self._divisions[place] + DIVIDER
            place += 1
        self._divisions.insert(place, at)
        return at
