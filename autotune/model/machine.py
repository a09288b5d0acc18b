"""What a machine can do: its clock, how fast data moves at every level of its memory, and how many instructions of each kind it
starts per cycle.

The first two are measured here, with kernels that this tool compiles; the last comes from the description of the core
(`rv.target.description`).
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import asdict, dataclass, replace
from itertools import pairwise
from typing import Any, Final

import numpy as np

from rv.target.description import machine_of
from rv.target.machine import Target, resolve_target
from tensorrv.check.bench import Stopwatch
from tensorrv.frontend.c.module import CFunction, parse_c
from tensorrv.interface.facts import interface_of
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import SCALAR, Brush, Plan

_STREAM: Final = """void f(int n, const double A[restrict n], double B[restrict n])
{ for (int i = 0; i < n; ++i) B[i] = 2 * A[i]; }"""
_CHAIN: Final = "long f(int n, unsigned x) { for (int i = 0; i < n; ++i) x = x * x + 12345u; return x; }"
CYCLES_OF_CHAIN: Final = 4  # a multiplication takes three, an addition one
STREAM_SIZES: Final = tuple(1 << power for power in (14, 17, 19, 20, 21, 22, 24, 26))  # bytes
REPETITIONS: Final = 7


@dataclass(frozen=True, slots=True)
class Machine:
    """`ghz` is cycles per nanosecond; `levels` are bytes of data and the nanoseconds in which a byte of as much data moves."""

    ghz: float
    levels: tuple[tuple[float, float], ...]

    def nanoseconds(self, bytes_: float) -> float:
        """The time that a byte takes to move when the data that is gone through has this size: interpolated in its logarithm."""
        sizes = [math.log(size) for size, _ in self.levels]
        times = [time for _, time in self.levels]
        return float(np.interp(math.log(max(1.0, bytes_)), sizes, times))


UNMEASURED: Final = Machine(3.0, ((16e3, 0.010), (32e3, 0.010), (64e3, 0.016), (1e6, 0.020), (4e6, 0.040), (6.4e7, 0.075)))
"""A server of about 2023: for targets that are not this machine."""


@dataclass(frozen=True, slots=True)
class Ports:
    """Vector instructions that start per cycle, by kind; `vector` are arithmetic and shuffles together, `width` all instructions.

    A division occupies its port for `division` cycles, and a gather the load ports for `gather` cycles for each of its elements.
    `scalar` integer operations start per cycle; results of floating-point arithmetic are there after `latency` cycles, loads
    after `load_latency`.
    """

    loads: float
    stores: float
    shuffles: float
    arithmetic: float
    vector: float
    width: float
    division: float
    gather: float
    scalar: float = 4
    latency: float = 4
    load_latency: float = 5


_SCALAR_DIVISION: Final = 4.5
"""Cycles for which a division of scalars keeps the divider: uops.info, VDIVSD on Golden Cove and Zen 4, between 4 and 5."""


def ports_of(target: Target, bits: int) -> Ports:
    """The ports of the target's core for code with registers of `bits` bits."""
    core = machine_of(target)
    return Ports(
        loads=core.per_cycle("load", bits),
        stores=core.per_cycle("store", bits),
        shuffles=core.per_cycle("shuffle", bits),
        arithmetic=core.arithmetic_per_cycle(bits),
        vector=core.together_per_cycle(("add", "multiply", "shuffle", "logic"), bits),
        width=core.issue,
        division=core.divider(bits).of[False, 64].cycles,
        gather=core.gather,
        latency=core.latency["add"],
    )


def scalar_ports(target: Target) -> Ports:
    """The ports for scalar code."""
    return replace(ports_of(target, 64), division=_SCALAR_DIVISION)


def measure_machine() -> Machine:
    """Measures this machine, in about a second."""
    return Machine(_clock(), _monotone([(float(size), _stream(size)) for size in STREAM_SIZES]))


def machine_as_json(machine: Machine) -> dict[str, Any]:
    return asdict(machine)


def machine_from_json(data: Mapping[str, Any]) -> Machine:
    return Machine(float(data["ghz"]), tuple((float(size), float(time)) for size, time in data["levels"]))


def _monotone(levels: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Farther levels are not faster: what looks like it was disturbed."""
    result = levels[:1]
    for (_, _), (size, time) in pairwise(levels):
        result.append((size, max(time, result[-1][1])))
    return tuple(result)


def _function(text: str) -> CFunction:
    return parse_c("<measuring>", text=text).functions[0]


def _clock() -> float:
    kernel = compile_function(_function(_CHAIN), Plan(SCALAR), resolve_target("native"))
    stopwatch = Stopwatch(interface_of(kernel.source).signature, interface_of(kernel.source).reaches, {"n": 100_000, "x": 3})
    address = kernel.module.jit().address("f")
    best = min(stopwatch.time(address, 5) for _ in range(REPETITIONS))
    return CYCLES_OF_CHAIN * 100_000 / best


def _stream(size: int) -> float:
    """Nanoseconds per byte moved when two arrays take `size` bytes together."""
    target = resolve_target("native")
    function = _function(_STREAM)
    kernel = compile_function(function, Plan(Brush((target.register_bits // 16,))), target)
    interface = interface_of(function)
    stopwatch = Stopwatch(interface.signature, interface.reaches, {"n": size // 16})
    address = kernel.module.jit().address("f")
    calls = max(1, (1 << 22) // size)
    stopwatch.time(address, 2)
    return min(stopwatch.time(address, calls) for _ in range(REPETITIONS)) / size


