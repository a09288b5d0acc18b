"""Addresses of array elements: one running base per family, rows a multiple of the pitch away, constants last.

The part of a subscript that does not change along the innermost loop is added first, so that it can leave that loop.
"""

from __future__ import annotations

from rv.ir.types import PTR
from rv.widen.lanes import Coordinate
from tensorrv.brush.elements import Element, Family, LaneElements
from tensorrv.brush.masks import mask_of
from tensorrv.brush.site import Site
from tensorrv.nest.polynomial import Polynomial


def element_address(site: Site, family: Family, element: Element) -> str:
    """The address of the element with these offsets from the element of `family` at the first lane."""
    key = (family, element[:-1])
    row = site.block.known.get(key)
    if row is None:
        row = site.block.known[key] = _row_address(site, family, element[:-1])
    return _advance(site, row, family, str(element[-1]))


def _row_address(site: Site, family: Family, row: tuple[int, ...]) -> str:
    base = _advance(site, f"%{family.array.name}", family, _offset(site, family, family.subscripts[:-1]))
    base = _advance(site, base, family, site.polynomial(family.subscripts[-1]))
    return _advance(site, base, family, _offset(site, family, tuple(Polynomial.constant(e) for e in row)))


def _offset(site: Site, family: Family, outer: tuple[Polynomial, ...]) -> str:
    """The offset in elements of the row with these subscripts: ((s0*e1 + s1)*e2 + ...)*ek."""
    total = "0"
    for subscript, extent in zip(outer, family.extents, strict=True):
        total = site.block.integer("add", total, site.polynomial(subscript))
        total = site.block.integer("mul", total, site.polynomial(extent))
    return total


def _advance(site: Site, base: str, family: Family, offset: str) -> str:
    if offset == "0":
        return base
    return site.block.pure(f"getelementptr {family.element}, {PTR} {base}, i64 {offset}", [base, offset])


def lane_address(site: Site, elements: LaneElements, coordinate: Coordinate) -> str:
    """The address that one lane touches, or, when that lane is inactive, one that an active lane touches."""
    address = element_address(site, elements.family, elements.at(coordinate))
    active = mask_of(site, [coordinate])
    if active is None:
        return address
    safe = tuple(0 if d in site.copy.masked else c for d, c in enumerate(coordinate))
    other = element_address(site, elements.family, elements.at(safe))
    return site.block.pure(f"select i1 {active}, ptr {address}, ptr {other}", [active, address, other])
