"""Chunks: contiguous runs of elements, each loaded or stored once, and how lanes find their elements in them.

Thesis, section 11.6.2. The elements that lanes touch are sorted into rows and cut into chunks that vector registers hold. A
load may read over gaps of up to `gap` elements between elements that are needed: they lie between two elements that the
scalar code reads, so on a page that it reads. A store never does. In arrays whose blocks registers follow, chunks are windows:
they begin where registers begin, and a constant mask keeps a load from elements at their ends that are not needed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from tensorrv.brush.memory.access_groups import Element


@dataclass(frozen=True, slots=True)
class Chunk:
    """`length` contiguous elements from `start` on; a power of two, or the length of a register."""

    start: Element
    length: int

    def elements(self) -> tuple[Element, ...]:
        return tuple((*self.start[:-1], self.start[-1] + k) for k in range(self.length))


def cut_chunks(elements: Iterable[Element], width: int, gap: int) -> tuple[Chunk, ...]:
    """The chunks that cover `elements`, each at most `width` long, in order of their addresses."""
    chunks: list[Chunk] = []
    for run in _runs(sorted(set(elements)), gap):
        start, length = run.start, run.length
        while length:
            size = width if length >= width else 1 << (length.bit_length() - 1)
            chunks.append(Chunk(start, size))
            start = (*start[:-1], start[-1] + size)
            length -= size
    return tuple(chunks)


def cut_windows(elements: Iterable[Element], width: int) -> tuple[Chunk, ...]:
    """The chunks of `width` elements, each beginning at a multiple of `width`, in which any of `elements` is."""
    starts = {(*element[:-1], element[-1] // width * width) for element in elements}
    return tuple(Chunk(start, width) for start in sorted(starts))


def cover(elements: Iterable[Element], width: int) -> tuple[Chunk, ...]:
    """Pieces of `width` elements, as few as possible, that hold all of `elements`; their ends may lie outside of them."""
    chunks: list[Chunk] = []
    for element in sorted(set(elements)):
        last = chunks[-1].start if chunks else None
        if last is None or last[:-1] != element[:-1] or element[-1] - last[-1] >= width:
            chunks.append(Chunk(element, width))
    return tuple(chunks)


def with_gaps(elements: Iterable[Element], gap: int) -> frozenset[Element]:
    """The elements and those in gaps of up to `gap` between them."""
    runs = _runs(sorted(set(elements)), gap)
    return frozenset((*run.start[:-1], run.start[-1] + k) for run in runs for k in range(run.length))


def _runs(elements: Sequence[Element], gap: int) -> Iterable[Chunk]:
    first = last = elements[0]
    for element in elements[1:]:
        if element[:-1] != last[:-1] or element[-1] - last[-1] > gap + 1:
            yield Chunk(first, last[-1] - first[-1] + 1)
            first = element
        last = element
    yield Chunk(first, last[-1] - first[-1] + 1)


def is_contiguous(elements: Sequence[Element]) -> bool:
    """Whether lane after lane touches the next element."""
    first = elements[0]
    return all(e == (*first[:-1], first[-1] + k) for k, e in enumerate(elements))
