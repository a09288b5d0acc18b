"""Trip counts and run-time checks, as straight-line code."""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.types import size_of
from rv.widen.lanes import SCALAR
from tensorrv.brush.grids import Grid
from tensorrv.brush.site import Site
from tensorrv.nest.model import Footprint, Legal, Trip
from tensorrv.nest.polynomial import Polynomial


def emit_trip_count(site: Site, trip: Trip) -> str:
    """How often the loop runs, as i64: max(0, ceil(distance / |step|))."""
    block = site.block
    if trip.constant is not None:
        return str(trip.constant)
    distance = site.polynomial(trip.distance)
    step = abs(trip.step)
    count = distance
    if step > 1:
        count = block.integer("add", distance, step - 1)
        count = block.pure(f"udiv i64 {count}, {step}", [count])
    runs = block.pure(f"icmp sgt i64 {distance}, 0", [distance])
    return block.pure(f"select i1 {runs}, i64 {count}, i64 0", [runs, count])


def emit_grid_head(site: Site, grid: Grid, trips: str) -> str:
    """How many iterations to run until brushes stand on the grid: as i64, at most `trips`."""
    block = site.block
    if grid.first is not None:
        if trips.isdigit():
            return str(min(grid.first, int(trips)))
        count = str(grid.first)
    else:
        start = site.polynomial(grid.start)
        rest = block.pure(f"srem i64 {start}, {grid.step}", [start])
        if any(map(site.context.may_be_undefined, grid.start.symbols)):
            rest = block.pure(f"freeze i64 {rest}", [rest])
        beyond = block.pure(f"icmp sgt i64 {rest}, 0", [rest])
        next_ = block.pure(f"select i1 {beyond}, i64 {grid.step}, i64 0", [beyond])
        count = block.integer("sub", next_, rest)
    fewer = block.pure(f"icmp ult i64 {trips}, {count}", [trips, count])
    return block.pure(f"select i1 {fewer}, i64 {trips}, i64 {count}", [fewer, trips, count])


def emit_guard(site: Site, legal: Legal | None) -> str:
    """Whether all conditions hold and no two footprints overlap, as i1. A version that cannot be brushed after all never runs.

    A subscript that is never used may be undefined here, and a condition about it either way.
    """
    if legal is None:
        return "false"
    result = "true"
    for condition in legal.conditions:
        value = site.polynomial(condition.polynomial)
        holds = site.block.pure(f"icmp sge i64 {value}, 0", [value])
        result = _and(site, result, _decided(site, holds, [condition.polynomial]))
    for left, right in legal.overlaps:
        apart = _disjoint(site, left, right)
        result = _and(site, result, _decided(site, apart, [left.low, left.high, right.low, right.high]))
    return result


def _decided(site: Site, condition: str, about: Sequence[Polynomial]) -> str:
    """The condition, which a branch may test."""
    if not any(site.context.may_be_undefined(symbol) for polynomial in about for symbol in polynomial.symbols):
        return condition
    return site.block.pure(f"freeze i1 {condition}", [condition])


def _and(site: Site, left: str, right: str) -> str:
    return right if left == "true" else site.block.pure(f"and i1 {left}, {right}", [left, right])


def _disjoint(site: Site, left: Footprint, right: Footprint) -> str:
    """One footprint ends before the other begins."""
    first = _ends_before(site, left, right)
    second = _ends_before(site, right, left)
    return site.block.pure(f"or i1 {first}, {second}", [first, second])


def _ends_before(site: Site, left: Footprint, right: Footprint) -> str:
    end = _byte_address(site, left, site.block.integer("add", site.polynomial(left.high), 1))
    begin = _byte_address(site, right, site.polynomial(right.low))
    return site.block.pure(f"icmp ule i64 {end}, {begin}", [end, begin])


def _byte_address(site: Site, footprint: Footprint, offset: str) -> str:
    pointer = site.operand(footprint.array, SCALAR)
    base = site.block.pure(f"ptrtoint ptr {pointer} to i64", [pointer])
    return site.block.integer("add", base, site.block.integer("mul", offset, size_of(footprint.element)))
