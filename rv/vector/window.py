"""How long a processor takes for the nodes of a block in a given order.

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

from rv.vector.dependences import Node

WAITING: Final = 96
UNITS: Final = 2
ARITHMETIC, LOAD, DIVISION = 4, 7, 24
DIVIDER: Final = 16
"""Cycles for which a division keeps the divider."""


def cycles(nodes: Sequence[Node], order: Sequence[int]) -> float:
    """The time that a turn adds to another before it, in cycles."""
    clock = _Clock()
    first = clock.run(nodes, order)
    return clock.run(nodes, order) - first


def least_cycles(nodes: Sequence[Node]) -> float:
    """The time for which the units or the divider are busy, in any order."""
    arithmetic = [node for node in nodes if node.kind == "pure"]
    return max(sum(node.weight for node in arithmetic) / UNITS, DIVIDER * sum(map(_divides, arithmetic)))


def _divides(node: Node) -> bool:
    return node.weight > 0 and node.division


class _Clock:
    """The time at which the units, the divider and the waiting places are free."""

    def __init__(self) -> None:
        self._taken: dict[int, float] = {}
        self._divisions: list[float] = []
        self._waiting: list[float] = []
        self._entered = 0.0
        self._last = 0.0

    def run(self, nodes: Sequence[Node], order: Sequence[int]) -> float:
        """One turn: the time at which its last operation is done."""
        done = [0.0] * len(nodes)
        for k in order:
            node = nodes[k]
            if len(self._waiting) == WAITING:
                self._entered = max(self._entered, heapq.heappop(self._waiting))
            start = max([self._entered, *(done[operand] for operand in node.before)])
            if node.kind == "pure" and node.weight:
                start, latency = self._start(start, node)
            else:
                latency = LOAD if node.kind == "load" else 1
            heapq.heappush(self._waiting, start)
            done[k] = start + latency
            self._last = max(self._last, done[k])
        return self._last

    def _start(self, at: float, node: Node) -> tuple[float, float]:
        latency: float = ARITHMETIC
        if _divides(node):
            at, latency = self._divide(at), DIVISION
        slot = int(at)
        while self._taken.get(slot, 0.0) + node.weight > UNITS and self._taken.get(slot, 0.0):
            slot += 1
        self._taken[slot] = self._taken.get(slot, 0.0) + node.weight
        return max(at, slot), latency

    def _divide(self, at: float) -> float:
        """The first time from `at` on at which the divider is free for a division, which then takes it."""
        place = bisect.bisect_right(self._divisions, at - DIVIDER)
        while place < len(self._divisions) and self._divisions[place] < at + DIVIDER:
            at = self._divisions[place] + DIVIDER
            place += 1
        self._divisions.insert(place, at)
        return at
