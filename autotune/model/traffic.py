"""How many lines of memory a brush moves, from the elements that its lanes touch (access groups), before any code is generated.

One brush touches a set of lines. Those that the previous brush along the innermost brushed loop did not touch are *moved*; of
these, the ones that no brush touched before along any dimension are *fresh* and come from where the arrays are; the others
were last touched one sweep of the innermost loop ago and come from the level that holds what a sweep touches (the layer
condition of stencils; the partial lines of transpositions). Starts of rows are taken as aligned to lines. A line
is as much as a miss brings along: two where prefetchers fetch the neighbour.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Final

from rv.evolution.facts import Legal, Loop, Trip
from rv.ir.instructions import Load, Store
from rv.ir.types import size_of
from rv.target.description import machine_of
from rv.widen.lanes import Coordinate
from rv.widen.loops.variant_tree import Variant
from tensorrv.brush.context import BrushContext
from tensorrv.brush.memory.access_groups import AccessGroup, LaneElements
from tensorrv.brush.memory.placed import LaidOutGroup
from tensorrv.brush.tensorize import Tensorized
from tensorrv.check.sizes import Sizes
from tensorrv.pipeline.explain.nests import main_variant

FARTHEST: Final = 8
"""How many previous brushes are considered."""

Line = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Traffic:
    """Bytes per iteration of the source's innermost loop: `fresh` for the first time, `again` after a sweep of the innermost
    brushed loop, which touches `sweep` bytes in total. `arrays` is the size of all arrays together. `stored` are those of the
    fresh bytes that are stored, `streamed` those of them that go around the caches.
    """

    fresh: float = 0.0
    again: float = 0.0
    sweep: float = 0.0
    arrays: float = 0.0
    stored: float = 0.0
    streamed: float = 0.0


@dataclass(frozen=True, slots=True)
class _Footprint:
    """The elements of one array that a brush touches, and how they move from brush to brush.

    `offsets` hold one number per dimension of the array, which the family makes elements of. `line` bytes move at once.
    """

    name: tuple[str, int]
    stored: bool
    loaded: bool
    group: AccessGroup | LaidOutGroup
    strides: tuple[tuple[int, ...], ...]
    offsets: frozenset[tuple[int, ...]]
    line: int

    def lies_along(self, dimension: int) -> bool:
        """Whether elements of one line may belong to different iterations of this dimension."""
        rows = self.strides if isinstance(self.group, LaidOutGroup) else self.strides[-1:]
        return any(row[dimension] for row in rows)

    def lines(self, shift: Coordinate) -> Iterator[Line]:
        """The lines of the brush that begins `shift` iterations away."""
        move = tuple(sum(s * c for s, c in zip(row, shift, strict=True)) for row in self.strides)
        size = size_of(self.group.element)
        for offset in self.offsets:
            place = self.group.place([o + m for o, m in zip(offset, move, strict=True)])
            yield (self.name, place[:-1], place[-1] * size // self.line)


def traffic_of(tensorized: Tensorized, sizes: Sizes, arrays: float) -> Traffic:
    """The traffic of the first nest that takes the brush; none where nothing is known about its elements."""
    context = tensorized.widened.context
    choice = next((choice for choice in tensorized.choices if isinstance(choice.outcome, Legal)), None)
    if choice is None:
        return Traffic(arrays=arrays)
    headers = tuple(header for header, _ in choice.brush)
    main = main_variant(context, headers)
    line = machine_of(context.target).memory.fetched
    footprints = _footprints(context, main, line)
    origins = tuple(product(*(_places(footprints, d, m, line) for d, m in enumerate(main.sizes))))
    stored = {footprint.name for footprint in footprints if footprint.stored}
    loaded = {footprint.name for footprint in footprints if footprint.loaded or not isinstance(footprint.group, AccessGroup)}
    stream = main.nest is not None and main.nest.stream
    fresh = again = kept = around = 0
    for origin in origins:
        moved, before = _moved(footprints, main.sizes, origin)
        again += len(moved & before)
        fresh += len(moved - before)
        kept += sum(line[0] in stored for line in moved - before)
        around += sum(stream and line[0] in stored - loaded for line in moved - before)
    lanes = math.prod(main.sizes) * len(origins)
    sweep = (fresh + again) * line / lanes * math.prod(main.sizes[:-1]) * _trips(context.loops[headers[-1]].trip, sizes)
    points = lanes * _iterations(context.loops, headers[-1], sizes)
    share = line / points
    return Traffic(fresh * share, again * share, sweep, arrays, kept * share, around * share)


def _iterations(loops: Mapping[str, Loop], header: str, sizes: Sizes) -> int:
    """How many iterations of innermost loops are in one of this loop, as far as trip counts follow from the sizes."""
    inside = (_trips(loop.trip, sizes) * _iterations(loops, one, sizes) for one, loop in loops.items() if loop.parent == header)
    return max(inside, default=1)


def _places(footprints: Sequence[_Footprint], dimension: int, size: int, line: int) -> range:
    """Where in a line a brush of this size may begin, if lines lie along this dimension."""
    most = line // min((size_of(footprint.group.element) for footprint in footprints), default=line)
    along = any(footprint.lies_along(dimension) for footprint in footprints)
    return range(0, most, size) if along and size < most else range(1)


def _moved(footprints: Sequence[_Footprint], sizes: Coordinate, origin: Coordinate) -> tuple[set[Line], set[Line]]:
    """The lines that the brush at `origin` touches and the one before it in the row did not, and those of earlier rows."""

    def lines(steps: Coordinate) -> set[Line]:
        shift = tuple(o + step * m for o, step, m in zip(origin, steps, sizes, strict=True))
        return {line for footprint in footprints for line in footprint.lines(shift)}

    reaches = [_reach(footprints, dimension, size) for dimension, size in enumerate(sizes[:-1])]
    around = [*(range(-reach, reach + 1) for reach in reaches), range(-1, 2)]
    here = tuple(0 for _ in sizes)
    before: set[Line] = set()
    for steps in product(*around):
        if steps[:-1] < here[:-1]:
            before |= lines(steps)
    return lines(here) - lines((*here[:-1], -1)), before


def _reach(footprints: Sequence[_Footprint], dimension: int, size: int) -> int:
    """How many brushes away along a dimension one may touch the same elements."""
    found = 1
    for footprint in footprints:
        for k, row in enumerate(footprint.strides):
            if row[dimension]:
                places = [offset[k] for offset in footprint.offsets]
                found = max(found, (max(places) - min(places)) // (size * abs(row[dimension])))
    return min(found, FARTHEST)


def _footprints(context: BrushContext, main: Variant, line: int) -> tuple[_Footprint, ...]:
    everything = main.lanes(frozenset(range(len(main.sizes))))
    found: dict[tuple[AccessGroup | LaidOutGroup, tuple[tuple[int, ...], ...]], set[tuple[int, ...]]] = {}
    kinds: dict[tuple[AccessGroup | LaidOutGroup, tuple[tuple[int, ...], ...]], set[type]] = {}
    for label in context.order:
        for position, instruction in enumerate(context.block(label).body) if label in main.blocks else ():
            elements = context.elements(main, label, position)
            if elements is not None and isinstance(instruction, Load | Store):
                offsets = found.setdefault((elements.group, elements.strides), set())
                offsets.update(_offset(elements, lane) for lane in everything)
                kinds.setdefault((elements.group, elements.strides), set()).add(type(instruction))
    return tuple(
        _Footprint(
            (group.array.name, number),
            Store in kinds[group, strides],
            Load in kinds[group, strides],
            group,
            strides,
            frozenset(offsets),
            line,
        )
        for number, ((group, strides), offsets) in enumerate(found.items())
    )


def _offset(elements: LaneElements, lane: Coordinate) -> tuple[int, ...]:
    rows = zip(elements.origin, elements.strides, strict=True)
    return tuple(start + sum(stride * c for stride, c in zip(row, lane, strict=True)) for start, row in rows)


def _trips(trip: Trip | None, sizes: Sizes) -> int:
    """How often the innermost brushed loop runs; 1 where that depends on more than the sizes."""
    if trip is None:
        return 1
    if not all(symbol.is_variable and symbol.name in sizes for symbol in trip.distance.symbols):
        return 1
    distance = trip.distance.valued(sizes)
    return max(1, distance // abs(trip.step))
