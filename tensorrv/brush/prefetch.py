"""Prefetching what a brush will write.

A brush of several rows writes to as many places at once. A store that misses the first-level cache waits for its line, stores
retire in order, and hardware prefetchers follow few streams: without help a multi-row brush on arrays that only fit the
second-level cache runs at half its speed. So the lines that brushes a few iterations ahead will write are asked for early, in
main loops only. Prefetching touches no memory in the sense of the language: it never faults.
"""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.types import size_of
from tensorrv.brush.addresses import element_address
from tensorrv.brush.chunks import Piece
from tensorrv.brush.elements import Element, LaneElements
from tensorrv.brush.placed import PlacedFamily
from tensorrv.brush.site import Site

LINE = 64  # bytes in a cache line, on all machines we know
AHEAD = 2  # brushes; measured on jacobi5, 4x8 to 8x16, 256x256 and 1024x1024 doubles, Sapphire Rapids

BLOCK = 4  # registers stored to one block of a layout; measured on 8x8 blocks of the same kernels and transpose


def prefetch_stores(site: Site, elements: LaneElements, pieces: Sequence[Piece]) -> None:
    """Ask for the lines of `pieces`, moved on by some iterations of the innermost brushed loop."""
    copy = site.copy
    rows = len({piece.start[:-1] for piece in pieces})
    block = isinstance(elements.family, PlacedFamily) and len(pieces) >= BLOCK
    if not in_main_loop(site) or copy.stream or (rows < 2 and not block):
        return
    ahead = tuple(copy.width * AHEAD * (d == copy.level) for d in range(len(copy.sizes)))
    step = tuple(later - now for later, now in zip(elements.at(ahead), elements.at(()), strict=True))
    for start in _lines(pieces, size_of(elements.family.element)):
        target = tuple(a + b for a, b in zip(start, step, strict=True))
        address = element_address(site, elements.family, target)
        site.llvm.declare("llvm.prefetch.p0", "declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
        site.block.prefetch(f"call void @llvm.prefetch.p0(ptr {address}, i32 1, i32 3, i32 1)", [address])


def in_main_loop(site: Site) -> bool:
    """Whether this is code of whole brushes, in the body of the innermost brushed loop."""
    copy = site.copy
    return copy.nest is not None and copy.level == copy.nest.rank - 1 and copy.sizes == copy.nest.sizes and not copy.masked


def _lines(pieces: Sequence[Piece], size: int) -> list[Element]:
    """One element for each cache line, roughly: a new one starts LINE bytes after the last, or in another row."""
    result: list[Element] = []
    for piece in sorted(pieces, key=lambda p: p.start):
        for k in range(0, piece.length, max(1, LINE // size)):
            element = (*piece.start[:-1], piece.start[-1] + k)
            last = result[-1] if result else None
            if last is None or last[:-1] != element[:-1] or element[-1] - last[-1] >= LINE // size:
                result.append(element)
    return result
