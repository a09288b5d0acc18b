"""Trip counts and run-time checks, as straight-line code."""

from __future__ import annotations

from collections.abc import Sequence

from rv.evolution.facts import Footprint, Legal, Trip
from rv.evolution.polynomial import Polynomial
from rv.ir.types import I64, size_of
from rv.vector.values import FALSE, TRUE, ZERO, Operand, i64
from rv.widen.lanes import SCALAR
from rv.widen.site import Site


def emit_trip_count(site: Site, trip: Trip) -> Operand:
    """How often the loop runs, as i64: max(0, ceil(distance / |step|))."""
    block = site.block
    if trip.constant is not None:
        return i64(trip.constant)
    distance = site.polynomial(trip.distance)
    step = abs(trip.step)
    count = distance
    if step > 1:
        count = block.integer("add", distance, step - 1)
        count = block.binary("udiv", count, i64(step))
    return block.select(block.compare("sgt", distance, ZERO), count, ZERO)


def emit_guard(site: Site, legal: Legal | None) -> Operand:
    """Whether all conditions hold and no two footprints overlap, as i1. A version that cannot be brushed after all never runs.

    A subscript that is never used may be undefined here, and a condition about it either way.
    """
    if legal is None:
        return FALSE
    result: Operand = TRUE
    for condition in legal.conditions:
        value = site.polynomial(condition.polynomial)
        holds = site.block.compare("sge", value, ZERO)
        result = _and(site, result, _decided(site, holds, [condition.polynomial]))
    for left, right in legal.overlaps:
        apart = _disjoint(site, left, right)
        result = _and(site, result, _decided(site, apart, [left.low, left.high, right.low, right.high]))
    return result


def _decided(site: Site, condition: Operand, about: Sequence[Polynomial]) -> Operand:
    """The condition, which a branch may test."""
    if not any(site.context.may_be_undefined(symbol) for polynomial in about for symbol in polynomial.symbols):
        return condition
    return site.block.freeze(condition)


def _and(site: Site, left: Operand, right: Operand) -> Operand:
    return right if left == TRUE else site.block.binary("and", left, right)


def _disjoint(site: Site, left: Footprint, right: Footprint) -> Operand:
    """One footprint ends before the other begins."""
    first = _ends_before(site, left, right)
    second = _ends_before(site, right, left)
    return site.block.binary("or", first, second)


def _ends_before(site: Site, left: Footprint, right: Footprint) -> Operand:
    end = _byte_address(site, left, site.block.integer("add", site.polynomial(left.high), 1))
    begin = _byte_address(site, right, site.polynomial(right.low))
    return site.block.compare("ule", end, begin)


def _byte_address(site: Site, footprint: Footprint, offset: Operand) -> Operand:
    base = site.block.convert("ptrtoint", site.operand(footprint.array, SCALAR), I64)
    return site.block.integer("add", base, site.block.integer("mul", offset, size_of(footprint.element)))
