"""The search space: every combination of choices that a plan leaves open, as a tuple of candidates in a fixed order.

Whether a candidate is legal for the kernel is decided where it is compiled; candidates that give the same code are measured
once.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import permutations, product
from typing import Final

from layouts.layout import Layout
from rv.evolution.facts import Loop
from rv.target.machine import Target
from rv.transform.loops.unroll_inner import unroll_inner
from rv.transform.prepare import prepare
from rv.widen.policies import TailPolicy
from tensorrv.interface.facts import interface_of
from tensorrv.nest.split.split import split
from tensorrv.pipeline.kernel import register_lanes
from tensorrv.schedule.plan import (
    SCALAR,
    UNTILED,
    VECTORIZERS,
    Brush,
    Plan,
    PlanError,
    Skew,
    SplitPolicy,
    StorePolicy,
    ThreadMode,
    Tile,
    UnrollPolicy,
    parse_array_layout,
)
from tensorrv.unit.elements import Record
from tensorrv.unit.unit import Unit

Layouts = tuple[tuple[str, Layout], ...]
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


THREADS: Final = range(1, 1025)


@dataclass(frozen=True, slots=True)
class Axes:
    """The values of every axis. `base` holds what is not varied: the floating-point mode and the user's assumptions.

    `every_projection`: both orders of lanes for brushes with two dimensions of more than one lane, not just the plan's default.
    `layouts` are combinations: a layout for each array that has one. Raises PlanError for no number of threads.
    """

    brushes: tuple[Brush, ...]
    base: Plan = DEFAULT
    every_projection: bool = True
    register_bits: tuple[int, ...] = (0,)
    tails: tuple[TailPolicy, ...] = ("auto",)
    stores: tuple[StorePolicy, ...] = ("cached",)
    prefetches: tuple[int, ...] = (0,)
    threads: tuple[int, ...] = (1,)
    layouts: tuple[Layouts, ...] = ((),)
    orders: tuple[tuple[str, ...], ...] = ((),)
    tiles: tuple[Tile, ...] = (UNTILED,)
    fusions: tuple[bool, ...] = (False,)
    splits: tuple[SplitPolicy, ...] = ("auto",)
    skews: tuple[tuple[Skew, ...], ...] = ((),)
    unrolls: tuple[UnrollPolicy, ...] = ("auto",)

    def __post_init__(self) -> None:
        for number in self.threads:
            if number not in THREADS:
                raise PlanError(f"'{number}' is not a number of threads", f"choose from {THREADS[0]} to {THREADS[-1]}")


def candidates(axes: Axes) -> tuple[Candidate, ...]:
    """All points, without repetitions."""
    found: dict[Candidate, None] = {}
    memory = tuple(product(axes.stores, axes.prefetches))
    schedules = tuple(product(axes.orders, axes.tiles, axes.fusions, axes.splits, axes.skews, axes.unrolls))
    rest = product(axes.layouts, schedules, axes.brushes, axes.register_bits, axes.tails, memory, axes.threads)
    for layouts, (order, tile, fuse, policy, skew, unroll), brush, bits, tail, (stores, prefetch), threads in rest:
        for projection in _projections(brush) if axes.every_projection else [None]:
            mode: ThreadMode = "openmp" if threads > 1 else "none"
            plan = replace(axes.base, brush=brush, projection=projection, register_bits=bits, tail=tail, threads=mode)
            plan = replace(plan, stores=stores, prefetch=prefetch, layouts=layouts)
            plan = replace(plan, order=order, tile=tile, fuse=fuse, split=policy, skew=skew, unroll=unroll)
            found[Candidate(str(plan), threads)] = None
    return (*found, *without_brush(axes))


def without_brush(axes: Axes) -> tuple[Candidate, ...]:
    """Scalar code, and what LLVM's loop vectorizer makes of it: what every brush competes with."""
    plans = (replace(axes.base, brush=SCALAR, vectorizer=vectorizer) for vectorizer in VECTORIZERS)
    return tuple(Candidate(str(plan)) for plan in plans)


def default_splits(function: Unit) -> tuple[SplitPolicy, ...]:
    """With and without pieces, where loops can be divided; a definite brush divides none by itself."""
    return ("auto", "all") if split(prepare(function.function), DEFAULT).divided else ("auto",)


def default_unrolls(function: Unit) -> tuple[UnrollPolicy, ...]:
    """With inner loops and with straight code, where there are such loops; a definite brush unrolls none by itself."""
    prepared = prepare(function.function)
    return ("auto", "all") if unroll_inner(prepared) is not prepared else ("auto",)


def _projections(brush: Brush) -> Iterator[tuple[int, ...] | None]:
    """Both orders where two dimensions have several lanes; else the plan's default."""
    wide = [d for d, size in enumerate(brush.sizes) if size > 1]
    narrow = [d for d, size in enumerate(brush.sizes) if size == 1]
    if len(wide) != 2:
        yield None
        return
    for order in permutations(reversed(wide)):
        yield (*order, *narrow)


def inner_loop_brush(function: Unit, target: Target, rank: int) -> Brush:
    """Vectorization of the innermost brushed loop alone, one register at a time: what speed-ups are relative to."""
    return Brush((*(1,) * (rank - 1), register_lanes(function, target)))


def layouts_of(function: Unit, text: str) -> Layouts:
    """The layouts written `2x2`, for every array of numbers with as many dimensions at least, or `A=2x2;B=1,0`, or `row`.

    Raises PlanError.
    """
    if text == "row":
        return ()
    if "=" in text:
        return tuple(parse_array_layout(part) for part in text.split(";"))
    layout = parse_array_layout(f"all={text}")[1]
    blocks = len(text.partition("+")[0].split("x"))
    arrays = [p.name for p in function.parameters if p.rank >= blocks and not isinstance(p.element, Record)]
    return tuple((name, layout) for name in arrays)


def default_brushes(function: Unit, target: Target) -> tuple[Brush, ...]:
    """Powers of two around the register width, in as many dimensions as the deepest nest has loops, three at most."""
    lanes = register_lanes(function, target)
    rank = min(3, max(1, loop_depth(function)))
    inner = [size for size in (lanes // 4, lanes // 2, lanes, 2 * lanes, 4 * lanes) if size > 1]
    found = [Brush((*sizes, size)) for sizes in _OUTER[rank] for size in inner]
    least, most = lanes, min(MOST_LANES, MOST_REGISTERS * lanes)
    return tuple(brush for brush in found if least <= brush.lanes <= most)


def loop_depth(function: Unit) -> int:
    """The number of loops of the deepest nest."""
    nests = interface_of(function).nests

    def depth(loop: Loop) -> int:
        return 1 if loop.parent is None else 1 + depth(nests.loops[loop.parent])

    return max((depth(loop) for loop in nests.loops.values()), default=0)
