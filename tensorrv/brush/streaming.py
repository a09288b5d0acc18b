"""Writing around the caches: stores of whole registers that no one reads soon.

A store to a line that is not in a cache first reads that line. For results that are larger than the caches this is a third of the
traffic of a stencil, and wasted. A non-temporal store of an aligned register does without. Whether everything that a main
loop stores is aligned depends on addresses, so it comes twice, and a test before it decides (`Variant.stream`). The processor
may make such stores visible late: a fence after the nest, in each thread that runs a part of it, puts them before whatever
tells other threads of the results. Nothing inside a brushed nest could tell, and a fence after every row waits for memory there.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from rv.ir.instructions import Store
from rv.ir.types import size_of
from rv.ir.values import TRUE
from rv.widen.lanes import Pattern
from tensorrv.brush.addresses import element_address
from tensorrv.brush.chunks import is_contiguous
from tensorrv.brush.copies import Copy
from tensorrv.brush.elements import Family, LaneElements
from tensorrv.brush.site import Site

REGISTERS: Final = (16, 32, 64)
"""Bytes that one non-temporal store writes."""


def streams(copy: Copy, elements: LaneElements, pattern: Pattern, *, always: bool) -> bool:
    """Whether a register is stored around the caches: as a whole, by code that `always` runs in its block."""
    touched = [elements.at(coordinate) for coordinate in pattern]
    size = size_of(elements.family.element)
    rows = isinstance(elements.family, Family)
    whole = len(touched) > 1 and is_contiguous(touched) and size * len(touched) in REGISTERS
    # from one brush to the next, registers move by whole registers
    return copy.stream and always and rows and whole and elements.strides[-1][copy.level] == 1 and copy.width % len(touched) == 0


def emit_all_aligned(site: Site, copy: Copy) -> str:
    """Whether all registers that `copy` streams are aligned at the iteration that the site knows, as i1."""
    block = site.block
    past = "0"
    for address, size in _streamed(site, copy):
        number = block.pure(f"ptrtoint ptr {address} to i64", [address])
        low = block.pure(f"and i64 {number}, {size - 1}", [number])
        past = low if past == "0" else block.pure(f"or i64 {past}, {low}", [past, low])
    return "false" if past == "0" else block.pure(f"icmp eq i64 {past}, 0", [past])


def _streamed(site: Site, copy: Copy) -> Iterator[tuple[str, int]]:
    """The addresses of the registers that a copy streams, and their sizes in bytes."""
    context = site.context
    for label in copy.blocks:
        block = context.block(label)
        for position, store in enumerate(block.body):
            elements = context.elements(copy, label, position) if isinstance(store, Store) else None
            if elements is None or not isinstance(store, Store):
                continue
            for pattern in context.store_patterns(copy, label, position, store):
                if streams(copy, elements, pattern, always=block.predicate == TRUE):
                    address = element_address(site, elements.family, elements.at(pattern[0]))
                    yield address, size_of(elements.family.element) * len(pattern)


def emit_fence(site: Site) -> None:
    """What was streamed is visible before anything that follows. AArch64 orders such stores like others."""
    if site.context.target.architecture == "x86_64":
        site.llvm.declare("llvm.x86.sse.sfence", "declare void @llvm.x86.sse.sfence()")
        site.block.store("call void @llvm.x86.sse.sfence()", [], "", None)
