"""How many instructions of each kind start in a cycle, for counts of kinds: what takes longest limits a loop."""

from __future__ import annotations

from dataclasses import dataclass

from rv.target.description import Machine


@dataclass(frozen=True, slots=True)
class Throughput:
    """Instructions that start per cycle, by kind; `vector` are arithmetic and shuffles together, `width` all instructions.

    A division occupies its port for `division` cycles, and a gather the load ports for `gather` cycles for each of its elements.
    Results of floating-point arithmetic are there after `latency` cycles. An access that crosses lines counts for `split` more.
    """

    loads: float
    stores: float
    shuffles: float
    arithmetic: float
    vector: float
    scalar: float
    width: float
    division: float
    gather: float
    latency: float
    split: float


def throughput(core: Machine, bits: int) -> Throughput:
    """For code with registers of `bits` bits; scalar code has 64."""
    return Throughput(
        loads=core.per_cycle("load", bits),
        stores=core.per_cycle("store", bits),
        shuffles=core.per_cycle("shuffle", bits),
        arithmetic=core.arithmetic_per_cycle(bits),
        vector=core.together_per_cycle(("add", "multiply", "shuffle", "logic"), bits),
        scalar=core.per_cycle("integer", 64),
        width=core.issue,
        division=core.divider(bits).of[False, 64].cycles,
        gather=core.gather,
        latency=core.latency_of("add", bits),
        split=core.memory.split_load,
    )
