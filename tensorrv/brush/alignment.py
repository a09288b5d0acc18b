"""Aligning the stores of a brush to cache lines.

A vector store that crosses from one line to the next costs two. Where the iterations of a nest may run in any order, the
innermost brushed loop can begin with a partial brush, after which its stores are aligned. They may when every element that
the nest writes belongs to one iteration: its subscripts tell the counters of all brushed loops, and all accesses of a written
array have the same subscripts.
"""

from __future__ import annotations

from rv.ir.types import size_of
from tensorrv.brush.addresses import element_address
from tensorrv.brush.elements import Family, LaneElements, lane_elements
from tensorrv.brush.prefetch import LINE
from tensorrv.brush.shapes import NestShapes
from tensorrv.brush.site import Site
from tensorrv.nest.model import Access, Nests, counter
from tensorrv.nest.polynomial import Polynomial
from tensorrv.nest.region import available_before

SHORT = 4  # whole brushes, and lines; shorter loops are not worth a head


def find_anchor(facts: Nests, shapes: NestShapes) -> tuple[str, int] | None:
    """The place of the first store that is contiguous along the innermost brushed loop, if iterations may run in any order."""
    region = facts.loops[shapes.headers[0]].blocks
    accesses = [access for access in facts.accesses if access.block in region]
    written = {access.array.name for access in accesses if access.kind == "store"}
    found: dict[str, LaneElements] = {}
    anchor: Access | None = None
    for access in accesses:
        if access.array.name not in written:
            continue
        elements = lane_elements(access, shapes)
        if elements is None or not _tells_iterations(elements) or found.setdefault(access.array.name, elements) != elements:
            return None
        innermost = len(shapes.headers) - 1
        rows = isinstance(elements.family, Family)
        if rows and anchor is None and access.kind == "store" and elements.strides[-1][innermost] == 1:
            # the head is measured before the loop, where its counter is 0
            own = counter(shapes.headers[innermost])
            address = (*elements.family.polynomials, Polynomial.symbol(f"%{access.array.name}"))
            at_start = [polynomial.without([own]) for polynomial in address]
            anchor = access if available_before(facts, at_start, facts.loops[shapes.headers[innermost]]) else None
    return None if anchor is None else (anchor.block, anchor.position)


def _tells_iterations(elements: LaneElements) -> bool:
    """Whether every dimension of the brush has a subscript in which no other one occurs."""
    alone = {d for row in elements.strides for d, stride in enumerate(row) if stride and sum(map(bool, row)) == 1}
    return len(alone) == len(elements.strides[0])


def emit_head_length(site: Site, elements: LaneElements, trips: str, width: int) -> str:
    """How many iterations to run until the address of `elements` starts a line: as i64, less than `trips`.

    `site` is before the loop, whose counter is known there; `trips` are the iterations that are left.
    """
    block = site.block
    size = size_of(elements.family.element)
    address = element_address(site, elements.family, elements.origin)
    place = block.pure(f"ptrtoint ptr {address} to i64", [address])
    past = block.pure(f"sub i64 0, {place}", [place])
    distance = block.pure(f"and i64 {past}, {LINE - 1}", [past])
    elements_ = block.pure(f"udiv i64 {distance}, {size}", [distance])
    if any(site.context.may_be_undefined(symbol) for p in elements.family.polynomials for symbol in p.symbols):
        elements_ = block.pure(f"freeze i64 {elements_}", [elements_])  # where nothing is stored there
    long = block.pure(f"icmp uge i64 {trips}, {SHORT * max(width, LINE // size)}", [trips])
    return block.pure(f"select i1 {long}, i64 {elements_}, i64 0", [long, elements_])
