"""Trip counts as straight-line code."""

from __future__ import annotations

from rv.evolution.facts import Trip
from rv.vector.values import ZERO, Operand, i64
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
