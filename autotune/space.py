"""The search space: every combination of choices that a plan leaves open, as a tuple of candidates in a fixed order.

Whether a candidate is legal for the kernel is decided where it is compiled; candidates that give the same code are measured
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Final

from rv.target.machine import Target
from tensorrv.frontend.module import CFunction
from tensorrv.interface import interface_of
from tensorrv.kernel import register_lanes
from tensorrv.nest.model import Loop, Nests
from tensorrv.plan import Brush, Plan, TailPolicy

DEFAULT: Final = Plan()
MOST_LANES: Final = 256
MOST_REGISTERS: Final = 32


_OUTER: Final[dict[int, tuple[tuple[int, ...], ...]]] = {
    1: ((),),
    2: tuple((m,) for m in (1, 2, 4, 8, 16)),
    3: (*((1, m) for m in (1, 2, 4, 8)), (2, 2), (2, 4), (4, 2), (4, 4)),
}


@dataclass(frozen=True, slots=True, order=True)
class Candidate:
    """One point of the space: a plan, in its text form, and the number of threads it runs with."""

    plan: str
    threads: int = 1

    def __str__(self) -> str:
        return self.plan if self.threads == 1 else f"{self.plan} ({self.threads} threads)"


@dataclass(frozen=True, slots=True)
class Axes:
    """The values of every axis. `base` holds what is not varied: the floating-point mode and what the user answers for.

    `projections`: None stands for the plan's default, `every_projection` for all permutations of the dimensions that have more
    than one lane.
    """

    brushes: tuple[Brush, ...]
    base: Plan = DEFAULT
    every_projection: bool = True
    register_bits: tuple[int, ...] = (0,)
    tails: tuple[TailPolicy, ...] = ("auto",)
    threads: tuple[int, ...] = (1,)


def candidates(axes: Axes) -> tuple[Candidate, ...]:
    """All points, without repetitions."""
    found: dict[Candidate, None] = {}
    for brush, bits, tail, threads in product(axes.brushes, axes.register_bits, axes.tails, axes.threads):
        for projection in _projections(brush) if axes.every_projection else [None]:
            plan = replace(axes.base, brush=brush, projection=projection, register_bits=bits, tail=tail)
            found[Candidate(str(plan), threads)] = None
    return tuple(found)


def _projections(brush: Brush) -> Iterator[tuple[int, ...] | None]:
    """The default, and one permutation for each order of the dimensions that have several lanes."""
    yield None
    wide = [d for d, size in enumerate(brush.sizes) if size > 1]
    narrow = [d for d, size in enumerate(brush.sizes) if size == 1]
    if len(wide) > 1:
        for order in permutations(wide):
            yield (*order, *narrow)


def inner_loop_brush(function: CFunction, target: Target, rank: int) -> Brush:
    """Vectorization of the innermost brushed loop alone, one register at a time: what speed-ups are relative to."""
    return Brush((*(1,) * (rank - 1), register_lanes(function, target)))


def default_brushes(function: CFunction, target: Target) -> tuple[Brush, ...]:
    """Powers of two around the register width, in as many dimensions as the deepest nest has loops, three at most."""
    lanes = register_lanes(function, target)
    rank = min(3, max(1, _depth(interface_of(function).nests)))
    inner = [size for size in (lanes // 4, lanes // 2, lanes, 2 * lanes, 4 * lanes) if size > 1]
    found = [Brush((*sizes, size)) for sizes in _OUTER[rank] for size in inner]
    least, most = lanes, min(MOST_LANES, MOST_REGISTERS * lanes)
    return tuple(brush for brush in found if least <= brush.lanes <= most)


def _depth(nests: Nests) -> int:
    """The number of loops of the deepest nest."""

    def depth(loop: Loop) -> int:
        return 1 if loop.parent is None else 1 + depth(nests.loops[loop.parent])

    return max((depth(loop) for loop in nests.loops.values()), default=0)
