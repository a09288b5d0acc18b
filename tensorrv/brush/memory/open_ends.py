"""What a brush may read behind its last element: up to the first element of the iteration that follows it.

    for (i = 0; i < n; i++) use(p[4 * i], p[4 * i + 1], p[4 * i + 2]);

The last pixel's fourth byte need not exist, but the brush that is followed by another iteration reads all of its own: that
iteration reads elements behind them. So whole brushes of such a loop leave at least one iteration over (`BrushPass.followed`),
and take registers where otherwise pieces of 8, 4, 2 and 1 elements are left.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rv.cost.accesses import LONGEST_GAP, SHORT_LOOP
from rv.ir.values import TRUE
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import AccessGroup, Element, LaneElements, lane_elements
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Nests


def has_open_ends(facts: Nests, shapes: NestShapes, size: int) -> bool:
    """Whether loads of the innermost loop of a brush leave elements out behind the last one that they touch."""
    header = shapes.headers[-1]
    trip = facts.loops[header].trip
    if size == 1 or trip is None or (trip.constant is not None and trip.constant <= SHORT_LOOP * size):
        return False
    groups: dict[AccessGroup, list[LaneElements]] = {}
    for access in facts.accesses:
        always = facts.innermost.get(access.block) == header and facts.function.block(access.block).predicate == TRUE
        elements = lane_elements(access, shapes) if access.kind == "load" and always else None
        if elements is not None and isinstance(elements.group, AccessGroup):
            groups.setdefault(elements.group, []).append(elements)
    return any(_behind(members, 1) for members in groups.values())


def readable_behind(site: Site, members: Sequence[LaneElements]) -> tuple[Element, ...]:
    """The elements behind those of loads that run together which may be read; none unless an iteration follows the brush."""
    variant = site.variant
    if not variant.followed or variant.nest is None or site.predicate != TRUE:
        return ()
    if variant.nest.facts.innermost.get(site.label) != variant.nest.headers[-1]:
        return ()
    return tuple(_behind(members, variant.width))


def _behind(members: Iterable[LaneElements], size: int) -> list[Element]:
    """What lies between the last of `size` iterations of the innermost loop and the first one after them, in one row."""
    touched: list[tuple[Element, Element]] = []
    for elements in members:
        *rows, last = elements.strides
        step = last[-1]
        if step < 2 or any(row[-1] for row in rows) or any(any(row[:-1]) for row in elements.strides):
            return []
        place = elements.origin
        touched.append(((*place[:-1], place[-1] + step * (size - 1)), (*place[:-1], place[-1] + step * size)))
    if len({first[:-1] for first, _ in touched}) != 1:
        return []
    end, next_ = max(last[-1] for last, _ in touched), min(next_[-1] for _, next_ in touched)
    row = touched[0][0][:-1]
    return [(*row, k) for k in range(end + 1, next_)] if next_ - end - 1 <= LONGEST_GAP else []
