"""Addresses of array elements: one running base per access group, rows a multiple of the pitch away, constants last.

The part of a subscript that does not change along the innermost loop is added first, so that it can leave that loop.
"""

from __future__ import annotations

from layouts.address import Digit
from rv.evolution.polynomial import Polynomial
from rv.ir.types import I64, PTR
from rv.vector.instructions import Binary
from rv.vector.values import ZERO, Operand, i64, integers, known_integer
from rv.widen.across.masks import mask_of
from rv.widen.lanes import SCALAR, Coordinate, Lanes
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import AccessGroup, Element, LaneElements
from tensorrv.brush.memory.placed import LaidOutGroup


def element_address(site: Site, group: AccessGroup | LaidOutGroup, element: Element) -> Operand:
    """The address of the element with these offsets from the element of `group` at the first lane."""
    key = (group, element[:-1])
    row = site.block.known.get(key)
    if row is None:
        match group:
            case LaidOutGroup():
                row = _placed_row_address(site, group, element[:-1])
            case AccessGroup():
                row = _row_address(site, group, element[:-1])
        site.block.known[key] = row
    return site.block.address(row, i64(element[-1]), group.element)


def _row_address(site: Site, group: AccessGroup, row: tuple[int, ...]) -> Operand:
    base = site.operand(group.array, SCALAR)
    base = site.block.address(base, _offset(site, group, group.subscripts[:-1]), group.element)
    base = site.block.address(base, site.polynomial(group.subscripts[-1]), group.element)
    return site.block.address(base, _offset(site, group, tuple(Polynomial.constant(e) for e in row)), group.element)


def _offset(site: Site, group: AccessGroup, outer: tuple[Polynomial, ...]) -> Operand:
    """The offset in elements of the row with these subscripts: ((s0*e1 + s1)*e2 + ...)*ek."""
    total: Operand = ZERO
    for subscript, extent in zip(outer, group.extents, strict=True):
        total = site.block.integer("add", total, site.polynomial(subscript))
        total = site.block.integer("mul", total, site.polynomial(extent))
    return total


def _placed_row_address(site: Site, group: LaidOutGroup, row: tuple[int, ...]) -> Operand:
    """The address of the element whose name is `row` and 0: the digits of what is common to all lanes, then known digits."""
    address = site.operand(group.array, SCALAR)
    opened = dict(zip(group.open_dimensions, row, strict=False))
    for digit, pitch in zip(group.address.digits, group.pitches, strict=True):
        common = _common_digit(site, group, digit, opened.get(digit.dimension), pitch)
        address = site.block.address(address, common, group.element)
    for known, pitch in zip(row[len(opened) :], group.far_pitches, strict=True):
        address = site.block.address(address, site.block.integer("mul", site.polynomial(pitch), known), group.element)
    return address


def _common_digit(site: Site, group: LaidOutGroup, digit: Digit, opened: int | None, pitch: Polynomial) -> Operand:
    """A digit of the common part, times its pitch; `opened`: how many moduli further the index is, in an open dimension."""
    common, modulus = group.common[digit.dimension], group.moduli[digit.dimension]
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


def lane_addresses(site: Site, elements: LaneElements, coordinates: Lanes) -> Operand:
    """The addresses of all lanes of a set of lanes, for gathers and scatters: a vector of pointers, or a pointer."""
    first = elements.at(coordinates[0])
    base = element_address(site, elements.group, first)
    lanes = len(coordinates)
    if lanes == 1:
        return base
    opened = len(elements.group.open_dimensions) if isinstance(elements.group, LaidOutGroup) else 0
    if any(elements.at(c)[:opened] != first[:opened] for c in coordinates):
        return site.block.vector([element_address(site, elements.group, elements.at(c)) for c in coordinates], PTR)
    moved = [tuple(a - b for a, b in zip(elements.at(c), first, strict=True)) for c in coordinates]
    total: Operand = integers(I64, [m[-1] for m in moved])
    for k, pitch in enumerate(_pitches(site, elements.group), opened):
        column = [m[k] for m in moved]
        if any(column):
            rows = site.block.binary("mul", site.block.broadcast(pitch, lanes), integers(I64, column))
            total = site.block.binary("add", rows, total)
    return site.block.address(base, total, elements.group.element)


def _pitches(site: Site, group: AccessGroup | LaidOutGroup) -> list[Operand]:
    """How many elements apart neighbours along each dimension but the last one are; without open dimensions."""
    if isinstance(group, LaidOutGroup):
        return [site.polynomial(pitch) for pitch in group.far_pitches]
    pitches: list[Operand] = []
    pitch: Operand = i64(1)
    for extent in reversed(group.extents):
        pitch = site.block.integer("mul", pitch, site.polynomial(extent))
        pitches.insert(0, pitch)
    return pitches


def lane_address(site: Site, elements: LaneElements, coordinate: Coordinate) -> Operand:
    """The address that one lane touches, or, when that lane is inactive, one that an active lane touches."""
    address = element_address(site, elements.group, elements.at(coordinate))
    active = mask_of(site, [coordinate])
    if active is None:
        return address
    safe = tuple(0 if d in site.variant.masked else c for d, c in enumerate(coordinate))
    other = element_address(site, elements.group, elements.at(safe))
    return site.block.select(active, address, other)
