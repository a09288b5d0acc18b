"""What a layout costs and what it saves: elements copied into it and back, against accesses and shuffles of a sweep.

A sweep is one call. Both are counted in instructions on memory and between registers, as `--explain` counts them for a brush:
the same brush on row-major arrays is compiled beside. An array is packed once, and unpacked once if the kernel writes it; both
load and store every element once, in whole registers at best. After how many sweeps that is made up for does not depend on
sizes as long as the arrays have about as many elements as the nest has iterations.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from rv.cost.accesses import gathered
from rv.ir.types import size_of
from rv.target.description import machine_of
from tensorrv.brush.tensorize import tensorize
from tensorrv.interface.array_uses import written_arrays
from tensorrv.pipeline.explain.nests import NestReport, explain
from tensorrv.pipeline.kernel import Kernel

MEMORY = ("vector loads", "scalar loads", "gathers", "stores")


@dataclass(frozen=True, slots=True)
class Conversion:
    """Moving one array: `bytes_copied` for each of its elements, loaded and stored, there and (if it is written) back."""

    array: str
    layout: str
    back: bool
    bytes_copied: int
    instructions: float


@dataclass(frozen=True, slots=True)
class NestSaving:
    """One nest: instructions of an iteration on memory and between registers, on row-major arrays and as it is.

    `sweeps`: after so many sweeps the conversions are made up for; None when nothing is saved.
    """

    nest: str
    memory: tuple[float, float]
    shuffles: tuple[float, float]
    sweeps: int | None


@dataclass(frozen=True, slots=True)
class LayoutCost:
    conversions: tuple[Conversion, ...]
    savings: tuple[NestSaving, ...]


def layout_cost(kernel: Kernel) -> LayoutCost | None:
    """What the layouts of a kernel cost and save; None when all its arrays are row-major."""
    if not kernel.tensorized.arrays:
        return None
    plan = replace(kernel.plan, layouts=())
    rows = tensorize(kernel.source.function, plan, kernel.target, lambda _: contextlib.nullcontext())
    conversions = tuple(_conversions(kernel))
    total = sum(conversion.instructions for conversion in conversions)
    pairs = zip(explain(rows), explain(kernel.tensorized), strict=True)
    lane = gathered(machine_of(kernel.target))
    savings = tuple(_saving(before, after, total, lane) for before, after in pairs if before.counts and after.counts)
    return LayoutCost(conversions, savings)


def _conversions(kernel: Kernel) -> Iterator[Conversion]:
    written = written_arrays(kernel.source.function)
    for name, array in kernel.tensorized.arrays.items():
        size = size_of(array.element)
        ways = 1 + (name in written)
        lanes = kernel.target.register_bits // (8 * size)
        yield Conversion(name, str(array.layout), name in written, 2 * size * ways, 2 * ways / lanes)


def _saving(before: NestReport, after: NestReport, conversion: float, lane: float) -> NestSaving:
    memory = tuple(_per_iteration(report, MEMORY, lane) for report in (before, after))
    shuffles = tuple(_per_iteration(report, ("shuffles",), lane) for report in (before, after))
    saved = memory[0] + shuffles[0] - memory[1] - shuffles[1]
    sweeps = math.ceil(conversion / saved) if saved > 0 else None
    title = " > ".join(loop.name for loop in after.loops)
    return NestSaving(title, (memory[0], memory[1]), (shuffles[0], shuffles[1]), sweeps)


def _per_iteration(report: NestReport, kinds: tuple[str, ...], lane: float) -> float:
    """Instructions; each lane of a gather counts for `lane`."""
    counts: Mapping[str, int] = report.counts or {}
    weights = {"gathers": report.register_lanes * lane}
    return sum(counts.get(kind, 0) * weights.get(kind, 1) for kind in kinds) / report.lanes


def layout_cost_text(name: str, cost: LayoutCost) -> Iterator[str]:
    """The report for people, line by line."""
    for conversion in cost.conversions:
        back = " and back" if conversion.back else ""
        yield (
            f"{name}: {conversion.array} to layout {conversion.layout}{back}: {conversion.bytes_copied} bytes copied and "
            f"{conversion.instructions:.2f} instructions per element"
        )
    for saving in cost.savings:
        after = "pays from the first sweep on" if saving.sweeps == 1 else f"pays after {saving.sweeps} sweeps"
        yield (
            f"{name}, nest {saving.nest}: per iteration {saving.memory[0]:.2f} -> {saving.memory[1]:.2f} loads and stores, "
            f"{saving.shuffles[0]:.2f} -> {saving.shuffles[1]:.2f} shuffles; "
            + (after if saving.sweeps is not None else "does not pay according to these counts")
        )
