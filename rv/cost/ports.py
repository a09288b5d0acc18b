"""How many cycles operations need at least, from the ports that take them.

For a set of ports the operations that no other port takes wait for each other; the longest such wait is reached when operations
are spread well (Hall's condition: Abel and Reineke, "uops.info", ASPLOS 2019, section 4). There are few ports, so all sets are
tried that are unions of what operations take.
"""

from __future__ import annotations

from collections.abc import Mapping
from itertools import chain, combinations

from rv.target.description import Machine, Operation


def least_cycles(machine: Machine, counts: Mapping[Operation, float], bits: int) -> float:
    """The cycles that so many operations on whole registers of `bits` bits need from their ports."""
    takes = {operation: machine.ports_of(operation, bits) for operation, count in counts.items() if count}
    cycles = machine.occupied[machine.width(bits)]
    longest = 0.0
    for group in chain.from_iterable(combinations(takes, size) for size in range(1, len(takes) + 1)):
        ports = frozenset[str]().union(*(takes[operation] for operation in group))
        confined = sum(count for operation, count in counts.items() if count and takes[operation] <= ports)
        longest = max(longest, confined * cycles / len(ports))
    return longest


def additions_to_multiply(machine: Machine, counts: Mapping[Operation, float], bits: int) -> int:
    """How many additions are better made on the ports of multiplications, as fused multiplications by one; 0 if none."""
    additions = int(counts.get("add", 0))

    def cycles(moved: int) -> float:
        changed = {**counts, "add": additions - moved, "multiply": counts.get("multiply", 0) + moved}
        return least_cycles(machine, changed, bits)

    return min(range(additions + 1), key=cycles)
