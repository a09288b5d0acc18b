"""Prefetching what a brush will write and read, in main loops.

A brush of several rows writes to as many places at once. A store that misses the first-level cache waits for its line, stores
retire in order, and hardware prefetchers follow few streams: without help a multi-row brush on arrays that only fit the
second-level cache runs at half its speed. So the lines that brushes a few iterations ahead will write are prefetched.

Prefetching of loads is left to the hardware unless the plan contains it: brushes of several rows on arrays larger than the caches
gain when lines are prefetched while the loads of earlier brushes are still in flight. Entries of worklists are prefetched
when it is noted down (`rv.widen.memory.worklists`). Prefetching touches no memory in the sense of the language: it never faults.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rv.cost.memory import BRUSHES_AHEAD, LEAST_REGISTERS
from rv.ir.types import size_of
from rv.target.description import machine_of
from rv.vector.instructions import Prefetch
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import Element, LaneElements
from tensorrv.brush.memory.addresses import element_address
from tensorrv.brush.memory.chunks import Chunk
from tensorrv.brush.memory.placed import LaidOutGroup
from tensorrv.brush.nest import brushed_nest


def prefetch_stores(site: Site, elements: LaneElements, chunks: Sequence[Chunk]) -> None:
    """Prefetches the lines of `chunks`, some iterations of the innermost brushed loop ahead."""
    rows = len({chunk.start[:-1] for chunk in chunks})
    block = isinstance(elements.group, LaidOutGroup) and len(chunks) >= LEAST_REGISTERS
    if not in_main_loop(site) or site.variant.stream or (rows < 2 and not block):
        return
    lines = _lines(chunks, _line(site, elements))
    _prefetch(site, elements, lines, BRUSHES_AHEAD, writing=True)


def prefetch_loads(site: Site, elements: LaneElements, chunks: Sequence[Chunk]) -> None:
    """Prefetches the lines that some brushes later are the first to read, if the plan requests it."""
    nest = brushed_nest(site.variant)
    if not nest.prefetch or not in_main_loop(site) or elements.apart:
        return
    # what loops inside the brush read, they read again and again
    if nest.facts.innermost.get(site.label) != nest.headers[-1]:
        return
    step = _step(site, elements, 1)
    if not any(step):
        return
    line = _line(site, elements)
    lines = _lines(chunks, line) if any(step[:-1]) else _new_lines(chunks, step[-1], line)
    _prefetch(site, elements, lines, nest.prefetch, writing=False)


def _line(site: Site, elements: LaneElements) -> int:
    """The elements of a line."""
    return machine_of(site.context.target).memory.line // size_of(elements.group.element)


def in_main_loop(site: Site) -> bool:
    """Whether this is code of whole brushes, in the body of the innermost brushed loop."""
    variant = site.variant
    return (
        variant.nest is not None
        and variant.level == variant.nest.rank - 1
        and variant.sizes == variant.nest.sizes
        and not variant.masked
    )


def _step(site: Site, elements: LaneElements, brushes: int) -> tuple[int, ...]:
    """How elements move from one brush to one that comes so many brushes later."""
    variant = site.variant
    ahead = tuple(variant.width * brushes * (d == variant.level) for d in range(len(variant.sizes)))
    return tuple(later - now for later, now in zip(elements.at(ahead), elements.at(()), strict=True))


def _prefetch(site: Site, elements: LaneElements, lines: Iterable[Element], brushes: int, *, writing: bool) -> None:
    """Prefetches the lines of these elements, some brushes ahead."""
    step = _step(site, elements, brushes)
    for start in lines:
        target = tuple(a + b for a, b in zip(start, step, strict=True))
        site.block.effect(Prefetch(element_address(site, elements.group, target), writing))


def _lines(chunks: Sequence[Chunk], line: int) -> list[Element]:
    """One element for each cache line, roughly: a new one starts `line` elements after the last, or in another row."""
    result: list[Element] = []
    for chunk in sorted(chunks, key=lambda p: p.start):
        for k in range(0, chunk.length, max(1, line)):
            element = (*chunk.start[:-1], chunk.start[-1] + k)
            last = result[-1] if result else None
            if last is None or last[:-1] != element[:-1] or element[-1] - last[-1] >= line:
                result.append(element)
    return result


def _new_lines(chunks: Sequence[Chunk], move: int, line: int) -> list[Element]:
    """One element for each line of a row that lanes touch and the brush before did not, where brushes move by `move` elements
    along rows: those less than `move` behind the foremost one, each at least a line behind the one before.
    """
    forward = 1 if move > 0 else -1
    result: list[Element] = []
    foremost: Element = ()
    touched = {element for chunk in chunks for element in chunk.elements()}
    for element in sorted(touched, key=lambda e: (e[:-1], -forward * e[-1])):
        if not foremost or element[:-1] != foremost[:-1]:
            foremost = element
            result.append(element)
            continue
        behind, apart = forward * (foremost[-1] - element[-1]), forward * (result[-1][-1] - element[-1])
        if behind < abs(move) and apart >= max(1, line):
            result.append(element)
    return result
