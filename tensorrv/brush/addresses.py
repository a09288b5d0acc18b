"""Addresses of array elements: one running base per family, rows a multiple of the pitch away, constants last.

The part of a subscript that does not change along the innermost loop is added first, so that it can leave that loop.
"""

from __future__ import annotations

from layouts.address import Digit
from rv.ir.types import I64, PTR
from rv.widen.lanes import SCALAR, Coordinate, Pattern
from rv.widen.llvm_text import int_vector, type_text
from tensorrv.brush.elements import Element, Family, LaneElements
from tensorrv.brush.masks import mask_of
from tensorrv.brush.placed import PlacedFamily
from tensorrv.brush.site import Site
from tensorrv.nest.polynomial import Polynomial


def element_address(site: Site, family: Family | PlacedFamily, element: Element) -> str:
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
    return _advance(site, row, family, str(element[-1]))


def _row_address(site: Site, family: Family, row: tuple[int, ...]) -> str:
    base = _advance(site, site.operand(family.array, SCALAR), family, _offset(site, family, family.subscripts[:-1]))
    base = _advance(site, base, family, site.polynomial(family.subscripts[-1]))
    return _advance(site, base, family, _offset(site, family, tuple(Polynomial.constant(e) for e in row)))


def _offset(site: Site, family: Family, outer: tuple[Polynomial, ...]) -> str:
    """The offset in elements of the row with these subscripts: ((s0*e1 + s1)*e2 + ...)*ek."""
    total = "0"
    for subscript, extent in zip(outer, family.extents, strict=True):
        total = site.block.integer("add", total, site.polynomial(subscript))
        total = site.block.integer("mul", total, site.polynomial(extent))
    return total


def _placed_row_address(site: Site, family: PlacedFamily, row: tuple[int, ...]) -> str:
    """The address of the element whose name is `row` and 0: the digits of what is common to all lanes, then known digits."""
    address = site.operand(family.array, SCALAR)
    opened = dict(zip(family.open_dimensions, row, strict=False))
    for digit, pitch in zip(family.address.digits, family.pitches, strict=True):
        common = _common_digit(site, family, digit, opened.get(digit.dimension), pitch)
        address = _advance(site, address, family, common)
    for known, pitch in zip(row[len(opened) :], family.far_pitches, strict=True):
        address = _advance(site, address, family, site.block.integer("mul", site.polynomial(pitch), known))
    return address


def _common_digit(site: Site, family: PlacedFamily, digit: Digit, opened: int | None, pitch: Polynomial) -> str:
    """A digit of the common part, times its pitch; `opened`: how many moduli further the index is, in an open dimension."""
    common, modulus = family.common[digit.dimension], family.moduli[digit.dimension]
    if opened is None:
        if digit.modulus is not None:
            return "0"
        scaled = pitch.scaled_down(digit.divisor)
        if scaled is not None:
            return site.block.integer("mul", site.polynomial(common), site.polynomial(scaled))
        divided = common.scaled_down(digit.divisor)
        if divided is not None:
            return site.block.integer("mul", site.polynomial(divided), site.polynomial(pitch))
        index = site.polynomial(common)
        quotient = site.block.pure(f"sdiv exact i64 {index}, {digit.divisor}", [index])
        return site.block.integer("mul", quotient, site.polynomial(pitch))
    if digit.modulus is not None and digit.divisor * digit.modulus <= modulus:
        return "0"
    index = site.polynomial(common + opened * modulus)
    quotient = _divided(site, "lshr", "udiv", index, digit.divisor)
    value = quotient if digit.modulus is None else _divided(site, "and", "urem", quotient, digit.modulus)
    return site.block.integer("mul", value, site.polynomial(pitch))


def _divided(site: Site, shift: str, division: str, value: str, divisor: int) -> str:
    """`value` divided by a constant, or the remainder; values of elements that are accessed are not negative."""
    if divisor == 1 and division == "udiv":
        return value
    if value.lstrip("-").isdigit():
        return str(int(value) // divisor if division == "udiv" else int(value) % divisor)
    if divisor & (divisor - 1):
        return site.block.pure(f"{division} i64 {value}, {divisor}", [value])
    operand = divisor.bit_length() - 1 if shift == "lshr" else divisor - 1
    return site.block.pure(f"{shift} i64 {value}, {operand}", [value])


def _advance(site: Site, base: str, family: Family | PlacedFamily, offset: str) -> str:
    if offset == "0":
        return base
    return site.block.pure(f"getelementptr {family.element}, {PTR} {base}, i64 {offset}", [base, offset])


def lane_addresses(site: Site, elements: LaneElements, pattern: Pattern) -> str:
    """The addresses of all lanes of a pattern, for gathers and scatters: a vector of pointers, or a pointer."""
    first = elements.at(pattern[0])
    base = element_address(site, elements.family, first)
    lanes = len(pattern)
    if lanes == 1:
        return base
    opened = len(elements.family.open_dimensions) if isinstance(elements.family, PlacedFamily) else 0
    if any(elements.at(c)[:opened] != first[:opened] for c in pattern):
        return site.block.build_vector([element_address(site, elements.family, elements.at(c)) for c in pattern], PTR)
    moved = [tuple(a - b for a, b in zip(elements.at(c), first, strict=True)) for c in pattern]
    vector, weight = type_text(I64, lanes), site.weight(64, lanes)
    total = int_vector(I64, [m[-1] for m in moved])
    for k, pitch in enumerate(_pitches(site, elements.family), opened):
        column = [m[k] for m in moved]
        if any(column):
            splat = site.block.splat(pitch, I64, lanes)
            rows = site.block.pure(f"mul {vector} {splat}, {int_vector(I64, column)}", [splat], weight=weight)
            total = site.block.pure(f"add {vector} {rows}, {total}", [rows, total], weight=weight)
    return site.block.pure(
        f"getelementptr {elements.family.element}, {PTR} {base}, {vector} {total}", [base, total], weight=weight
    )


def _pitches(site: Site, family: Family | PlacedFamily) -> list[str]:
    """How many elements apart neighbours along each dimension but the last one are; without open dimensions."""
    if isinstance(family, PlacedFamily):
        return [site.polynomial(pitch) for pitch in family.far_pitches]
    pitches: list[str] = []
    pitch = "1"
    for extent in reversed(family.extents):
        pitch = site.block.integer("mul", pitch, site.polynomial(extent))
        pitches.insert(0, pitch)
    return pitches


def lane_address(site: Site, elements: LaneElements, coordinate: Coordinate) -> str:
    """The address that one lane touches, or, when that lane is inactive, one that an active lane touches."""
    address = element_address(site, elements.family, elements.at(coordinate))
    active = mask_of(site, [coordinate])
    if active is None:
        return address
    safe = tuple(0 if d in site.copy.masked else c for d, c in enumerate(coordinate))
    other = element_address(site, elements.family, elements.at(safe))
    return site.block.pure(f"select i1 {active}, ptr {address}, ptr {other}", [active, address, other])
