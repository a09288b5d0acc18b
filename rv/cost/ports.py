"""How many cycles operations need at least, from the ports that take them.

For a set of ports the operations that no other port takes wait for each other; the longest such wait is reached when operations
are spread well (Hall's condition: Abel and Reineke, "uops.info", ASPLOS 2019, section 4). There are few ports, so all sets are
tried that are unions of what operations take.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping

from rv.target.description import Machine, Operation

Load = tuple[frozenset[str], float]
"""Ports one of which takes an operation, and for how many cycles."""


def busiest(loads: Iterable[Load]) -> float:
    """The cycles that all of these need."""
    together: dict[frozenset[str], float] = defaultdict(float)
    for ports, cycles in loads:
        together[ports] += cycles
    unions: set[frozenset[str]] = set()
    for ports in together:
        unions |= {ports, *(ports | union for union in unions)}
    return max((_confined(together, union) / len(union) for union in unions), default=0.0)


def _confined(loads: Mapping[frozenset[str], float], ports: frozenset[str]) -> float:
    """The cycles of what only these ports take."""
    return sum(cycles for takes, cycles in loads.items() if takes <= ports)


def least_cycles(machine: Machine, counts: Mapping[Operation, float], bits: int) -> float:
    """The cycles that so many operations on whole registers of `bits` bits need from their ports."""
    return busiest((machine.ports_of(kind, bits), count * machine.keeps(kind, bits)) for kind, count in counts.items())


def additions_to_multiply(machine: Machine, counts: Mapping[Operation, float], bits: int) -> int:
    """How many additions are better made on the ports of multiplications, as fused multiplications by one; 0 if none."""
    additions = int(counts.get("add", 0))

    def cycles(moved: int) -> float:
        changed = {**counts, "add": additions - moved, "multiply": counts.get("multiply", 0) + moved}
        return least_cycles(machine, changed, bits)

    return min(range(additions + 1), key=cycles)
