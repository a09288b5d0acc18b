"""Addresses of array elements: one running base per family, rows a multiple of the pitch away, constants last.

The part of a subscript that does not change along the innermost loop is added first, so that it can leave that loop.
"""

from __future__ import annotations

from layouts.address import Digit
from rv.evolution.polynomial import Polynomial
from rv.ir.types import I64, PTR
from rv.vector.instructions import Binary
from rv.vector.values import ZERO, Operand, i64, integers, known_integer
from rv.widen.across.masks import mask_of
from rv.widen.lanes import SCALAR, Coordinate, Pattern
from rv.widen.site import Site
from tensorrv.brush.elements import Element, Family, LaneElements
from tensorrv.brush.placed import PlacedFamily


def element_address(site: Site, family: Family | PlacedFamily, element: Element) -> Operand:
    """The address of the element with these offsets from the element of `family` at the first lane."""
    key = (family, element[:-1])
    row = site.block.known.get(key)
    if row is None:
        match family:
            case PlacedFamily():
                row = _placed_row_address(site, family, element[:-1])
            case Family():
                row = _row_address(site, family, element[:-1])
        site.block.known[key] = row
    return site.block.address(row, i64(element[-1]), family.element)


def _row_address(site: Site, family: Family, row: tuple[int, ...]) -> Operand:
    base = site.operand(family.array, SCALAR)
    base = site.block.address(base, _offset(site, family, family.subscripts[:-1]), family.element)
    base = site.block.address(base, site.polynomial(family.subscripts[-1]), family.element)
    return site.block.address(base, _offset(site, family, tuple(Polynomial.constant(e) for e in row)), family.element)


def _offset(site: Site, family: Family, outer: tuple[Polynomial, ...]) -> Operand:
    """The offset in elements of the row with these subscripts: ((s0*e1 + s1)*e2 + ...)*ek."""
    total: Operand = ZERO
    for subscript, extent in zip(outer, family.extents, strict=True):
        total = site.block.integer("add", total, site.polynomial(subscript))
        total = site.block.integer("mul", total, site.polynomial(extent))
    return total


def _placed_row_address(site: Site, family: PlacedFamily, row: tuple[int, ...]) -> Operand:
    """The address of the element whose name is `row` and 0: the digits of what is common to all lanes, then known digits."""
    address = site.operand(family.array, SCALAR)
    opened = dict(zip(family.open_dimensions, row, strict=False))
    for digit, pitch in zip(family.address.digits, family.pitches, strict=True):
        common = _common_digit(site, family, digit, opened.get(digit.dimension), pitch)
        address = site.block.address(address, common, family.element)
    for known, pitch in zip(row[len(opened) :], family.far_pitches, strict=True):
        address = site.block.address(address, site.block.integer("mul", site.polynomial(pitch), known), family.element)
    return address


def _common_digit(site: Site, family: PlacedFamily, digit: Digit, opened: int | None, pitch: Polynomial) -> Operand:
    """A digit of the common part, times its pitch; `opened`: how many moduli further the index is, in an open dimension."""
    common, modulus = family.common[digit.dimension], family.moduli[digit.dimension]
    if opened is None:
        if digit.modulus is not None:
            return ZERO
        scaled = pitch.scaled_down(digit.divisor)
        if scaled is not None:
            return site.block.integer("mul", site.polynomial(common), site.polynomial(scaled))
        divided = common.scaled_down(digit.divisor)
        if divided is not None:
            return site.block.integer("mul", site.polynomial(divided), site.polynomial(pitch))
        exact = site.block.add(Binary("sdiv", site.polynomial(common), i64(digit.divisor), promise="exact"))
        return site.block.integer("mul", exact, site.polynomial(pitch))
    if digit.modulus is not None and digit.divisor * digit.modulus <= modulus:
        return ZERO
    index = site.polynomial(common + opened * modulus)
    quotient = _quotient(site, index, digit.divisor)
    value = quotient if digit.modulus is None else _remainder(site, quotient, digit.modulus)
    return site.block.integer("mul", value, site.polynomial(pitch))


def _quotient(site: Site, value: Operand, divisor: int) -> Operand:
    """`value` divided by a constant; values of elements that are accessed are not negative."""
    known = known_integer(value)
    if divisor == 1:
        return value
    if known is not None:
        return i64(known // divisor)
    if divisor & (divisor - 1):
        return site.block.binary("udiv", value, i64(divisor))
    return site.block.binary("lshr", value, i64(divisor.bit_length() - 1))


def _remainder(site: Site, value: Operand, divisor: int) -> Operand:
    """The remainder of `value` divided by a constant, likewise."""
    known = known_integer(value)
    if known is not None:
        return i64(known % divisor)
    if divisor & (divisor - 1):
        return site.block.binary("urem", value, i64(divisor))
    return site.block.binary("and", value, i64(divisor - 1))


def lane_addresses(site: Site, elements: LaneElements, pattern: Pattern) -> Operand:
    """The addresses of all lanes of a pattern, for gathers and scatters: a vector of pointers, or a pointer."""
    first = elements.at(pattern[0])
    base = element_address(site, elements.family, first)
    lanes = len(pattern)
    if lanes == 1:
        return base
    opened = len(elements.family.open_dimensions) if isinstance(elements.family, PlacedFamily) else 0
    if any(elements.at(c)[:opened] != first[:opened] for c in pattern):
        return site.block.vector([element_address(site, elements.family, elements.at(c)) for c in pattern], PTR)
    moved = [tuple(a - b for a, b in zip(elements.at(c), first, strict=True)) for c in pattern]
    total: Operand = integers(I64, [m[-1] for m in moved])
    for k, pitch in enumerate(_pitches(site, elements.family), opened):
        column = [m[k] for m in moved]
        if any(column):
            rows = site.block.binary("mul", site.block.broadcast(pitch, lanes), integers(I64, column))
            total = site.block.binary("add", rows, total)
    return site.block.address(base, total, elements.family.element)


def _pitches(site: Site, family: Family | PlacedFamily) -> list[Operand]:
    """How many elements apart neighbours along each dimension but the last one are; without open dimensions."""
    if isinstance(family, PlacedFamily):
        return [site.polynomial(pitch) for pitch in family.far_pitches]
    pitches: list[Operand] = []
    pitch: Operand = i64(1)
    for extent in reversed(family.extents):
        pitch = site.block.integer("mul", pitch, site.polynomial(extent))
        pitches.insert(0, pitch)
    return pitches


def lane_address(site: Site, elements: LaneElements, coordinate: Coordinate) -> Operand:
    """The address that one lane touches, or, when that lane is inactive, one that an active lane touches."""
    address = element_address(site, elements.family, elements.at(coordinate))
    active = mask_of(site, [coordinate])
    if active is None:
        return address
    safe = tuple(0 if d in site.copy.masked else c for d, c in enumerate(coordinate))
    other = element_address(site, elements.family, elements.at(safe))
    return site.block.select(active, address, other)
