"""The ports of kinds of operations, from how many start in a cycle alone and in pairs.

As many ports take a kind as operations of it start in a cycle. Two kinds beside each other take no longer than each alone if they
share no port, as long as both together if they share all, and something between where they share some. Of all ways to give kinds
their ports the one is taken whose times for all pairs are nearest to the measured ones; ports that no measurement tells apart are
the same to everything that counts with them (`rv.cost.ports`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, permutations
from typing import Final

from autotune.measure.core.loops import nanoseconds
from rv.cost.ports import busiest
from rv.target.description import Machine, Operation
from rv.target.machine import Target

Ports = Mapping[Operation, frozenset[str]]
Pair = tuple[Operation, Operation]
KINDS: Final[tuple[Operation, ...]] = ("add", "multiply", "fused", "logic", "shift", "shuffle", "across", "convert")
ON_X86: Final[tuple[Operation, ...]] = ("minimum", "product")
"""Kinds for which one operation of the vector IR is one instruction there only."""
MOST: Final = 6
SURPLUS: Final = 0.01
"""The error of all pairs that a port more has to take away."""
CLOSE: Final = 0.01
"""The square of a relative error of a tenth, which pairs have on average where ports explain their times."""


def kinds_of(target: Target, bits: int) -> tuple[Operation, ...]:
    """The kinds for which there is a loop."""
    on_x86 = target.architecture == "x86_64" and target.short_bits >= bits
    return (*KINDS, *(ON_X86 if on_x86 else ()))


def chains_of(target: Target) -> int:
    """Chains of each of two kinds, so that all of them stay in registers."""
    return 12 if target.registers >= 32 else 6


def measure_pairs(target: Target, bits: int, ghz: float) -> dict[Pair, float]:
    """Cycles of an operation of each of two kinds; of a kind and itself for two of it."""
    kinds, chains = kinds_of(target, bits), chains_of(target)
    alone = {kind: ghz * nanoseconds(target, bits, [kind], chains) for kind in kinds}
    both = {pair: ghz * nanoseconds(target, bits, list(pair), chains) for pair in combinations(kinds, 2)}
    return {(kind, kind): 2 * time for kind, time in alone.items()} | both


@functools.cache
def expected(first: frozenset[str], second: frozenset[str], occupied: float) -> float:
    """The cycles of two operations that these ports take."""
    return busiest(((first, occupied), (second, occupied)))


def fitting(pairs: Mapping[Pair, float], occupied: float) -> dict[Operation, frozenset[str]]:
    """The ports by which the times of pairs are explained best, called `0`, `1` and so on: more of them only where that helps."""
    kinds = sorted({kind for pair in pairs for kind in pair}, key=lambda kind: pairs[kind, kind])
    counts = {kind: max(1, round(2 * occupied / pairs[kind, kind])) for kind in kinds}
    best = _Fit(pairs, occupied)
    for total in range(max(counts.values()), MOST + 1):
        best.error -= SURPLUS
        best.extend({}, 0.0, kinds, counts, [str(number) for number in range(total)])
        if best.error < CLOSE * len(pairs):
            break
    return best.ports


@dataclass
class _Fit:
    """The best ports so far, and their error."""

    pairs: Mapping[Pair, float]
    occupied: float
    ports: dict[Operation, frozenset[str]] = field(default_factory=dict)
    error: float = math.inf

    def extend(
        self, ports: Ports, error: float, kinds: Sequence[Operation], counts: Mapping[Operation, int], names: Sequence[str]
    ) -> None:
        """Kinds get their ports one after the other, what fits best first."""
        if not kinds:
            self.ports, self.error = dict(ports), error
            return
        kind, *others = kinds
        choices = _choices(names, counts[kind], ports)
        for more, own in sorted((error + self._added(ports, kind, own), sorted(own)) for own in choices):
            if more < self.error:
                self.extend({**ports, kind: frozenset(own)}, more, others, counts, names)

    def _added(self, ports: Ports, kind: Operation, own: frozenset[str]) -> float:
        """The squares of relative errors for a kind beside those that have their ports, and beside itself."""
        known = {**ports, kind: own}
        return sum(
            math.log(time / expected(known[first], known[second], self.occupied)) ** 2
            for (first, second), time in self.pairs.items()
            if kind in (first, second) and first in known and second in known
        )


def _choices(names: Sequence[str], count: int, ports: Ports) -> Iterator[frozenset[str]]:
    """Sets of so many ports; of those that differ only in ports that take the same kinds the first."""
    seen = set[str]()
    for own in combinations(names, count):
        like = str(sorted(sorted(kind for kind in ports if name in ports[kind]) for name in own))
        if like not in seen:
            seen.add(like)
            yield frozenset(own)


def named_as(ports: Ports, core: Machine, bits: int) -> dict[Operation, frozenset[str]]:
    """The ports with the names that make most of them those of a description."""
    own = sorted(frozenset[str]().union(*ports.values()))
    described = {kind: core.ports_of(kind, bits) for kind in ports}
    names = sorted(frozenset[str]().union(*described.values()))
    names += [name for name in "0123456789" if name not in names][: max(0, len(own) - len(names))]

    def renamed(order: Sequence[str]) -> dict[Operation, frozenset[str]]:
        new = dict(zip(own, order, strict=False))
        return {kind: frozenset(new[port] for port in found) for kind, found in ports.items()}

    candidates = [renamed(order) for order in permutations(names, len(own))]
    return max(candidates, key=lambda found: sum(len(found[kind] & described[kind]) for kind in found))
