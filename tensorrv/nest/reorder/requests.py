"""A plan's order of the loops of a nest and its tiles around them, as the schedules to try.

A plan is about paths of loops, each in the one before, from an outermost to an innermost one; loops are distributed where others
stand beside a path. Where that is not possible it is about segments, in which each loop is the only one in the one before. Loops
that the order names take the places of these loops in the path. Tiles go around as many of its loops as they can: the first
schedule has them outermost, the last one right around the first of the loops that are tiled. A skewed loop without tiles goes
around the loops that skew it: its iterations are wavefronts, along which those run.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from rv.evolution.facts import Loop
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.schedule import Dimension, Schedule


@dataclass(frozen=True, slots=True)
class Request:
    """Loops of a segment in their new order, the sizes of their tiles, and what skews them; `what` is it for messages."""

    segment: tuple[Loop, ...]
    order: tuple[Loop, ...]
    sizes: tuple[tuple[str, int], ...]
    skews: tuple[tuple[str, tuple[tuple[str, int], ...]], ...]
    what: str

    def schedules(self) -> Iterator[Schedule]:
        """The schedules of the loops that are concerned, best first."""
        sizes, skews = dict(self.sizes), dict(self.skews)
        moved = [k for k, (old, new) in enumerate(zip(self.segment, self.order, strict=True)) if old != new]
        tiled = [k for k, loop in enumerate(self.order) if loop.header in sizes]
        along = {header for skewed, skew in self.skews for header in (skewed, *dict(skew))}
        moved += [k for k, loop in enumerate(self.order) if loop.header in along]
        last = max((*moved, *tiled))
        for place in range(tiled[0] + 1) if tiled else (min(moved),):
            first = min((place, *moved))
            around = (self._dimension(loop.header) for loop in self.order[first:place])
            tiles = (_tile(self.order[k].header, sizes, skews) for k in tiled)
            inside = (self._dimension(loop.header) for loop in self.order[place : last + 1])
            yield Schedule((*around, *tiles, *inside))

    @property
    def moved(self) -> tuple[str, ...]:
        """The loops that the last schedule, which changes the least, is about, as the source has them."""
        *_, last = self.schedules()
        scheduled = {header for d in last.dimensions for header in d.loops}
        return tuple(loop.header for loop in self.segment if loop.header in scheduled)

    def _dimension(self, header: str) -> Dimension:
        """The dimension of a loop around or inside tiles: wavefronts, if it is skewed without tiles."""
        skew = dict(self.skews).get(header)
        return Dimension((header,)) if skew is None or header in dict(self.sizes) else Dimension((header,), "skewed", 1, skew)


def _tile(header: str, sizes: Mapping[str, int], skews: Mapping[str, tuple[tuple[str, int], ...]]) -> Dimension:
    skew = skews.get(header, ())
    return Dimension((header,), "skewed" if skew else "tile", sizes[header], skew)


def requests(plan: Plan, loops: Mapping[str, Loop]) -> Iterator[Request]:
    """What a plan requests of each path from outermost to innermost loops, and of the segments of paths, outer ones first."""
    for innermost in loops.values():
        if any(loop.parent == innermost.header for loop in loops.values()):
            continue
        path = path_to(loops, innermost)
        parts = tuple(_segments(loops, path))
        for part in dict.fromkeys((path, *parts)):
            request = requested(plan, part, innermost=part[-1] == innermost)
            if request is not None:
                yield request


def path_to(loops: Mapping[str, Loop], innermost: Loop) -> tuple[Loop, ...]:
    """A loop behind those around it, outermost first."""
    path = [innermost]
    while path[0].parent is not None:
        path.insert(0, loops[path[0].parent])
    return tuple(path)


def _segments(loops: Mapping[str, Loop], path: Sequence[Loop]) -> Iterator[tuple[Loop, ...]]:
    """The path in pieces, which begin where a loop holds several."""
    first = 0
    for number, loop in enumerate(path):
        if sum(other.parent == loop.header for other in loops.values()) != 1:
            yield tuple(path[first : number + 1])
            first = number + 1


def requested(plan: Plan, segment: tuple[Loop, ...], *, innermost: bool) -> Request | None:
    """The plan's schedule of a segment; None when nothing changes."""
    sizes = tuple(_sizes(plan, segment, innermost=innermost))
    skews = tuple(_skews(plan, segment))
    order = _ordered(plan.order, _wavefronts_first(segment, [skew for skew in skews if skew[0] not in dict(sizes)]))
    if order == segment and not sizes and not skews:
        return None
    changes = [f"the order {', '.join(loop.name for loop in order)}"] if order != segment else []
    names = {loop.header: loop.name for loop in segment}
    changes += [f"tiling {', '.join(f'{names[header]}={size}' for header, size in sizes)}"] if sizes else []
    changes += [f"skewing {', '.join(str(skew) for skew in plan.skew)}"] if skews else []
    return Request(segment, order, sizes, skews, " and ".join(changes))


def _skews(plan: Plan, segment: tuple[Loop, ...]) -> Iterator[tuple[str, tuple[tuple[str, int], ...]]]:
    """The loops of the segment that are skewed by others of it, by header."""
    headers = {loop.name: loop.header for loop in reversed(segment)}
    for skew in plan.skew:
        if skew.loop in headers and all(name in headers for name, _ in skew.by):
            yield headers[skew.loop], tuple((headers[name], factor) for name, factor in skew.by)


def _wavefronts_first(
    segment: tuple[Loop, ...], skews: Sequence[tuple[str, tuple[tuple[str, int], ...]]]
) -> tuple[Loop, ...]:
    """The segment with skewed loops around those that skew them, where these run along the wavefronts."""
    order = list(segment)
    for header, skew in skews:
        loop = next(loop for loop in order if loop.header == header)
        others = [place for place, other in enumerate(order) if other.header in dict(skew)]
        if others and others[0] < order.index(loop):
            order.remove(loop)
            order.insert(others[0], loop)
    return tuple(order)


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
