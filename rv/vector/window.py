"""How long a processor takes for the nodes of a block in a given order.

A processor starts an operation when its operands are there, whatever the order, but looks ahead only so far: an operation that
waits takes one of a few places, and when they are taken nothing more comes in. So a long chain of dependent operations is hidden
behind others only where these are near. The model contains arithmetic on some units, a divider, and loads; the block is taken to
follow itself, as the iterations of a loop do, and the time from one iteration to the next is counted.
"""

from __future__ import annotations

import bisect
import heapq
from collections.abc import Sequence
from dataclasses import dataclass

from rv.target.description import Machine
from rv.vector.dependences import Node


@dataclass(frozen=True, slots=True)
class Timing:
    """A processor in the model, for registers of one width.

    `waiting` places; `units` operations start in a cycle and have their results after `arithmetic` cycles; the divider starts
    a division every `divider` cycles, whose result comes after `division`.
    """

    waiting: int
    units: float
    arithmetic: int
    load: int
    divider: float
    division: int


def timing_of(machine: Machine, bits: int) -> Timing:
    """The timing of a described core for registers of `bits` bits; quotients of doubles stand for all divisions."""
    quotient = machine.divider(bits).of[False, 64]
    return Timing(
        machine.scheduler,
        machine.arithmetic_per_cycle(bits),
        max(machine.latency_of("add", bits), machine.latency_of("fused", bits)),
        machine.latency_of("load", bits),
        quotient.cycles,
        quotient.result,
    )


def cycles(nodes: Sequence[Node], order: Sequence[int], timing: Timing) -> float:
    """The time that an iteration adds to another before it, in cycles."""
    clock = _Clock(timing)
    first = clock.run(nodes, order)
    return clock.run(nodes, order) - first


def least_cycles(nodes: Sequence[Node], timing: Timing) -> float:
    """The time for which the units or the divider are busy, in any order."""
    arithmetic = [node for node in nodes if node.kind == "pure"]
    return max(sum(node.weight for node in arithmetic) / timing.units, timing.divider * sum(map(_divides, arithmetic)))


def _divides(node: Node) -> bool:
    return node.weight > 0 and node.division


class _Clock:
    """The time at which the units, the divider and the waiting places are free."""

    def __init__(self, timing: Timing) -> None:
        self._timing = timing
        self._taken: dict[int, float] = {}
        self._divisions: list[float] = []
        self._waiting: list[float] = []
        self._entered = 0.0
        self._last = 0.0

    def run(self, nodes: Sequence[Node], order: Sequence[int]) -> float:
        """One iteration: the time at which its last operation is done."""
        done = [0.0] * len(nodes)
        for k in order:
            node = nodes[k]
            if len(self._waiting) == self._timing.waiting:
                self._entered = max(self._entered, heapq.heappop(self._waiting))
            start = max([self._entered, *(done[operand] for operand in node.before)])
            if node.kind == "pure" and node.weight:
                start, latency = self._start(start, node)
            else:
                latency = self._timing.load if node.kind == "load" else 1
            heapq.heappush(self._waiting, start)
            done[k] = start + latency
            self._last = max(self._last, done[k])
        return self._last

    def _start(self, at: float, node: Node) -> tuple[float, float]:
        latency: float = self._timing.arithmetic
        if _divides(node):
            at, latency = self._divide(at), self._timing.division
        slot = int(at)
        while self._taken.get(slot, 0.0) + node.weight > self._timing.units and self._taken.get(slot, 0.0):
            slot += 1
        self._taken[slot] = self._taken.get(slot, 0.0) + node.weight
        return max(at, slot), latency

    def _divide(self, at: float) -> float:
        """The first time from `at` on at which the divider is free for a division, which then takes it."""
        place = bisect.bisect_right(self._divisions, at - self._timing.divider)
        while place < len(self._divisions) and self._divisions[place] < at + self._timing.divider:
            at = self._divisions[place] + self._timing.divider
            place += 1
        self._divisions.insert(place, at)
        return at
