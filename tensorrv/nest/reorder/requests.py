"""A plan's order of the loops of a nest and its tiles around them, as the schedules to try.

A segment is a path of loops each of which is the only one directly inside the one before. Loops that the order names take the
places of these loops in the segment. Tiles go around as many loops of the segment as they can: the first schedule has them
outermost, the last one right around the first of the loops that are tiled.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rv.evolution.facts import Loop
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.schedule import Dimension, Schedule


@dataclass(frozen=True, slots=True)
class Request:
    """Loops of a segment in their new order, and the sizes of their tiles; `what` is it for messages."""

    segment: tuple[Loop, ...]
    order: tuple[Loop, ...]
    sizes: tuple[tuple[str, int], ...]
    what: str

    def schedules(self) -> Iterator[Schedule]:
        """The schedules of the loops that are concerned, best first."""
        sizes = dict(self.sizes)
        moved = [k for k, (old, new) in enumerate(zip(self.segment, self.order, strict=True)) if old != new]
        tiled = [k for k, loop in enumerate(self.order) if loop.header in sizes]
        last = max((*moved, *tiled))
        for place in range(tiled[0] + 1) if tiled else (moved[0],):
            first = min((place, *moved))
            around = (Dimension((loop.header,)) for loop in self.order[first:place])
            tiles = (Dimension((self.order[k].header,), "tile", sizes[self.order[k].header]) for k in tiled)
            inside = (Dimension((loop.header,)) for loop in self.order[place : last + 1])
            yield Schedule((*around, *tiles, *inside))


def segments(loops: Sequence[Loop]) -> Iterator[tuple[tuple[Loop, ...], bool]]:
    """All segments, outer ones first, and whether each is innermost."""
    pending = [loop for loop in loops if loop.parent is None]
    while pending:
        path = [pending.pop(0)]
        while len(inside := [loop for loop in loops if loop.parent == path[-1].header]) == 1:
            path += inside
        yield tuple(path), not inside
        pending = [*inside, *pending]


def requested(plan: Plan, segment: tuple[Loop, ...], *, innermost: bool) -> Request | None:
    """The plan's schedule of a segment; None when nothing changes."""
    order = _ordered(plan.order, segment)
    sizes = tuple(_sizes(plan, segment, innermost=innermost))
    if order == segment and not sizes:
        return None
    changes = [f"the order {', '.join(loop.name for loop in order)}"] if order != segment else []
    names = {loop.header: loop.name for loop in segment}
    changes += [f"tiling {', '.join(f'{names[header]}={size}' for header, size in sizes)}"] if sizes else []
    return Request(segment, order, sizes, " and ".join(changes))


def _ordered(names: Sequence[str], segment: tuple[Loop, ...]) -> tuple[Loop, ...]:
    """The segment with the named loops in the order of the names, in the places that they have."""
    named = [next((loop for loop in segment if loop.name == name), None) for name in names]
    wanted = [loop for loop in named if loop is not None]
    following = iter(wanted)
    return tuple(next(following) if loop in wanted else loop for loop in segment)


def _sizes(plan: Plan, segment: tuple[Loop, ...], *, innermost: bool) -> Iterator[tuple[str, int]]:
    """The sizes of tiles by header; sizes without names are those of the innermost loops."""
    tile = plan.tile
    if tile.names:
        found = [(next((loop for loop in segment if loop.name == name), None), size) for name, size in tile.pairs]
    elif innermost:
        count = min(len(tile.sizes), len(segment))
        found = list(zip(segment[len(segment) - count :], tile.sizes[len(tile.sizes) - count :], strict=True))
    else:
        found = []
    yield from ((loop.header, size) for loop, size in found if loop is not None and size > 1)
