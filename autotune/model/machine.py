"""Measuring this machine's clock, and how fast data moves at every level of its memory.

Both are measured with kernels that this tool compiles, and take the place of what the description of the core says
(`rv.target.description`). `autotune.describe` measures the rest.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Final

from rv.target.description import Level, Machine
from rv.target.machine import resolve_target
from tensorrv.check.bench import Stopwatch
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.facts import interface_of
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import SCALAR, Brush, Plan
from tensorrv.unit.unit import Unit

_STREAM: Final = """void f(int n, const double A[restrict n], double B[restrict n])
{ for (int i = 0; i < n; ++i) B[i] = 2 * A[i]; }"""
_CHAIN: Final = "long f(int n, unsigned x) { for (int i = 0; i < n; ++i) x = x * x + 12345u; return x; }"
CYCLES_OF_CHAIN: Final = 4  # a multiplication takes three, an addition one
STREAM_SIZES: Final = tuple(1 << power for power in (14, 17, 19, 20, 21, 22, 24, 26))  # bytes
REPETITIONS: Final = 7


@dataclass(frozen=True, slots=True)
class Speeds:
    """`ghz` is cycles per nanosecond; `levels` are bytes of data and the nanoseconds in which one of as many is copied."""

    ghz: float
    levels: tuple[tuple[float, float], ...]


def measure_speeds() -> Speeds:
    """Measures this machine, in about a second."""
    return Speeds(_clock(), _monotone([(float(size), _stream(size)) for size in STREAM_SIZES]))


def speeds_from_json(data: Mapping[str, Any]) -> Speeds:
    return Speeds(float(data["ghz"]), tuple((float(size), float(time)) for size, time in data["levels"]))


def with_speeds(core: Machine, found: Speeds) -> Machine:
    """The description with speeds that were measured."""
    latencies = [core.memory.holding(size).latency for size, _ in found.levels]
    measured = zip(found.levels, latencies, strict=True)
    levels = tuple(Level(size, latency, 1 / max(time * found.ghz, 1e-12)) for (size, time), latency in measured)
    return replace(core, ghz=found.ghz, memory=replace(core.memory, levels=levels))


def _monotone(levels: list[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Farther levels are not faster: what looks like it was disturbed."""
    result = levels[:1]
    for (_, _), (size, time) in pairwise(levels):
        result.append((size, max(time, result[-1][1])))
    return tuple(result)


def _function(text: str) -> Unit:
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


