"""The cost model: from what the code of a plan does, and what the machine can do, to nanoseconds per point and what limits them.

A roofline with several roofs. In the core every kind of instruction needs time on its ports, all instructions need places in
the front end, and a chain of operations from one iteration to the next takes their latencies. Outside of it lines move: fresh
ones from where the arrays are, others from the level that holds one sweep of the innermost brushed loop. The longest of these
limits the loop. What moves overlaps with what is computed only in part.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from autotune.model.counts import Counts
from autotune.model.traffic import Traffic
from rv.cost.memory import TRANSFERS, nanoseconds_per_byte, overlapped
from rv.cost.throughput import Throughput, throughput
from rv.target.description import Machine


@dataclass(frozen=True, slots=True)
class Prediction:
    """`nanoseconds` per point; `limit` is the resource that takes longest, `resources` the nanoseconds that each takes."""

    nanoseconds: float
    limit: str
    resources: Mapping[str, float]


def predict(counts: Counts, traffic: Traffic, machine: Machine) -> Prediction:
    """The time of one point on one thread."""
    per_cycle = counts.points * machine.ghz * machine.clock.get(counts.bits, 1.0)
    core = {name: cycles / per_cycle for name, cycles in core_cycles(counts, throughput(machine, counts.bits)).items()}
    lines = {"memory": _fresh(traffic, machine), "cache": _again(traffic, machine)}
    computing, moving = max(core.values()), sum(lines.values())
    total = overlapped(computing, moving)
    resources = {**core, **lines}
    return Prediction(total, max(resources, key=resources.__getitem__), resources)


def core_cycles(counts: Counts, ports: Throughput) -> dict[str, float]:
    """Cycles that one iteration of the hot loop needs from every resource of the core."""
    # what is spilled is stored once and loaded about once
    loads = counts.loads + counts.split_loads * ports.split + counts.spills / 2 + counts.gathered
    return {
        "loads": loads / ports.loads,
        "stores": (counts.stores + counts.spills / 2) / ports.stores,
        "shuffles": counts.shuffles / ports.shuffles,
        "arithmetic": counts.arithmetic / ports.arithmetic + counts.divisions * ports.division,
        "vector units": (counts.arithmetic + counts.shuffles + counts.gathered) / ports.vector,
        "front end": counts.instructions / ports.width,
        "latency": counts.chain,
    }


def _fresh(traffic: Traffic, machine: Machine) -> float:
    """What is stored is read before and written back after; what goes around the caches is written once, to the memory.

    The machine's bytes were half loaded and half stored: three transfers for two of them.
    """
    transfers = traffic.fresh - traffic.stored + 2 * (traffic.stored - traffic.streamed)
    near = nanoseconds_per_byte(machine, traffic.arrays)
    far = nanoseconds_per_byte(machine, machine.memory.levels[-1].bytes)
    return (transfers * near + traffic.streamed * far) / TRANSFERS


def _again(traffic: Traffic, machine: Machine) -> float:
    near = traffic.sweep <= machine.memory.nearest
    return 0.0 if near else traffic.again * nanoseconds_per_byte(machine, traffic.sweep)


def rank_correlation(pairs: Sequence[tuple[float, float]]) -> float:
    """Spearman's coefficient: 1 when both orders are the same, -1 when they are opposite; 1 for fewer than two pairs."""
    if len(pairs) < 2:
        return 1.0
    left, right = (_ranks([pair[side] for pair in pairs]) for side in (0, 1))
    mean = (len(pairs) - 1) / 2
    covariance = sum((a - mean) * (b - mean) for a, b in zip(left, right, strict=True))
    spread = sum((a - mean) ** 2 for a in left) * sum((b - mean) ** 2 for b in right)
    return covariance / spread**0.5 if spread else 0.0


def _ranks(values: Sequence[float]) -> list[float]:
    """The place of each value in the order of all; equal ones share the mean of their places."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end + 1 < len(order) and values[order[end + 1]] == values[order[start]]:
            end += 1
        for place in range(start, end + 1):
            ranks[order[place]] = (start + end) / 2
        start = end + 1
    return ranks
