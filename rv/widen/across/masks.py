"""Masks of brushes that run with fewer than all lanes.

The active lanes of a masked variant are the box of coordinates with c[d] < active[d] in every masked dimension d; there is
always at least one active iteration in each. So lane (0, ..., 0) is active, and what a lane does depends on comparisons of
its coordinates with uniform numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.types import I32
from rv.ir.values import FALSE, TRUE
from rv.vector.types import lanes_of
from rv.vector.values import Operand, constant, integers
from rv.widen.lanes import SCALAR, Coordinate, Lanes, is_scalar
from rv.widen.site import Site

NEVER = 2**31 - 1  # the coordinate of an element that no lane needs: never active


def mask_of(site: Site, coordinates: Sequence[Coordinate]) -> Operand | None:
    """Which of the lanes with these coordinates are active, as i1 per lane; None when all are, whatever the mask."""
    lanes = len(coordinates)
    result: Operand | None = None
    for d in sorted(site.variant.masked):
        column = [coordinate[d] if coordinate else 0 for coordinate in coordinates]
        if not any(column):
            continue
        active = site.state.active_in(d)
        bound = active if lanes == 1 else site.block.broadcast(active, lanes)
        test = site.block.compare("ult", integers(I32, column), bound)
        result = test if result is None else both(site, result, test)
    return result


def activation(site: Site, coordinates: Lanes) -> Operand | None:
    """Which of the lanes execute the block being written: active in the brush and under the block's predicate; None for all."""
    mask = mask_of(site, coordinates)
    if site.predicate == TRUE:
        return mask
    return under(site, mask, site.operand(site.predicate, coordinates))


def activation_of(site: Site, varies: frozenset[int], coordinates: Lanes) -> Operand | None:
    """For which lanes of `coordinates` some lane executes the block being written that differs from it in none of the dimensions
    `varies`; None for all."""
    if coordinates == SCALAR and (site.predicate == TRUE or site.context.accompanied(site.label)):
        return None
    found: Operand | None = None
    for lanes in site.context.sharing(site.variant, varies, coordinates, site.label):
        active = activation(site, lanes)
        if active is None:
            return None
        if is_scalar(coordinates):
            active = site.block.any_lane(active)
        found = active if found is None else either(site, found, active)
    return found


def under(site: Site, mask: Operand | None, truth: Operand) -> Operand:
    """`mask and truth`, where lanes outside the mask may hold anything, even poison."""
    if mask is None:
        return truth
    return site.block.select(mask, truth, constant(FALSE, lanes_of(mask.type)))


def both(site: Site, left: Operand, right: Operand) -> Operand:
    return site.block.binary("and", left, right)


def either(site: Site, left: Operand, right: Operand) -> Operand:
    return site.block.binary("or", left, right)


def mask_of_users(site: Site, users: Sequence[Sequence[Coordinate]]) -> Operand | None:
    """Which elements are needed, given for each the coordinates of the lanes that use it; None when all always are.

    An element is needed when one of its users is active. Of these only the minimal ones matter: the active lanes are a box at
    the origin.
    """
    minimal = [minimal_coordinates(coordinates, site.variant.masked) for coordinates in users]
    never = tuple(NEVER for _ in site.variant.sizes)
    depth = max(len(m) for m in minimal)
    if depth <= 1 and all(minimal):
        return mask_of(site, [m[0] for m in minimal])
    result: Operand | None = None
    for k in range(max(depth, 1)):
        test = mask_of(site, [m[k] if k < len(m) else never for m in minimal])
        if test is None:
            return None
        result = test if result is None else either(site, result, test)
    return result


def minimal_coordinates(coordinates: Sequence[Coordinate], masked: frozenset[int]) -> list[Coordinate]:
    """The coordinates, zeroed outside the masked dimensions, that no other one is below in all dimensions."""
    seen = {tuple(x if d in masked else 0 for d, x in enumerate(c)) for c in coordinates}
    return sorted(c for c in seen if not any(o != c and all(a <= b for a, b in zip(o, c, strict=True)) for o in seen))
