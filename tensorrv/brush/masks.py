"""Masks of brushes that run with fewer than all lanes.

The active lanes of a masked copy are the box of coordinates with c[d] < active[d] in every masked dimension d; there is
always at least one active iteration in each. So lane (0, ..., 0) is active, and what a lane does depends on comparisons of
its coordinates with uniform numbers only.
"""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.types import I1, I32
from rv.ir.values import FALSE, TRUE
from rv.widen.lanes import SCALAR, Coordinate, Pattern, is_scalar
from rv.widen.llvm_text import constant_text, int_vector, type_text
from tensorrv.brush.site import Site

NEVER = 2**31 - 1  # the coordinate of an element that no lane needs: never active


def mask_of(site: Site, coordinates: Sequence[Coordinate]) -> str | None:
    """Which of the lanes with these coordinates are active, as i1 per lane; None when all are, whatever the mask."""
    lanes = len(coordinates)
    result: str | None = None
    for d in sorted(site.copy.masked):
        column = [coordinate[d] if coordinate else 0 for coordinate in coordinates]
        if not any(column):
            continue
        active = site.state.active_in(d)
        bound = active if lanes == 1 else site.block.splat(active, I32, lanes)
        test = site.block.pure(f"icmp ult {type_text(I32, lanes)} {int_vector(I32, column)}, {bound}", [bound], weight=lanes > 1)
        result = test if result is None else both(site, result, test, lanes)
    return result


def activation(site: Site, pattern: Pattern) -> str | None:
    """Which of the lanes execute the block being written: active in the brush and under the block's predicate; None for all."""
    mask = mask_of(site, pattern)
    if site.predicate == TRUE:
        return mask
    return under(site, mask, site.operand(site.predicate, pattern), len(pattern))


def activation_of(site: Site, varies: frozenset[int], pattern: Pattern) -> str | None:
    """For which lanes of `pattern` some lane executes the block being written that differs from it in none of the dimensions
    `varies`; None for all."""
    if pattern == SCALAR and (site.predicate == TRUE or site.context.accompanied(site.label)):
        return None
    found: str | None = None
    for lanes in site.context.sharing(site.copy, varies, pattern, site.label):
        active = activation(site, lanes)
        if active is None:
            return None
        if is_scalar(pattern):
            active = any_lane(site, active, lanes)
        found = active if found is None else either(site, found, active, len(pattern))
    return found


def under(site: Site, mask: str | None, truth: str, lanes: int) -> str:
    """`mask and truth`, where lanes outside the mask may hold anything, even poison."""
    if mask is None:
        return truth
    text = type_text(I1, lanes)
    line = f"select {text} {mask}, {text} {truth}, {text} {constant_text(FALSE, lanes)}"
    return site.block.pure(line, [mask, truth], weight=lanes > 1)


def any_lane(site: Site, mask: str, pattern: Pattern) -> str:
    """Whether a lane of `mask` is set, as i1."""
    if is_scalar(pattern):
        return mask
    bits = f"i{len(pattern)}"
    packed = site.block.pure(f"bitcast {type_text(I1, len(pattern))} {mask} to {bits}", [mask])
    return site.block.pure(f"icmp ne {bits} {packed}, 0", [packed])


def both(site: Site, left: str, right: str, lanes: int) -> str:
    return site.block.pure(f"and {type_text(I1, lanes)} {left}, {right}", [left, right], weight=lanes > 1)


def either(site: Site, left: str, right: str, lanes: int) -> str:
    return site.block.pure(f"or {type_text(I1, lanes)} {left}, {right}", [left, right], weight=lanes > 1)


def mask_of_users(site: Site, users: Sequence[Sequence[Coordinate]]) -> str | None:
    """Which elements are needed, given for each the coordinates of the lanes that use it; None when all always are.

    An element is needed when one of its users is active. Of these only the minimal ones matter: the active lanes are a box at
    the origin.
    """
    minimal = [minimal_coordinates(coordinates, site.copy.masked) for coordinates in users]
    never = tuple(NEVER for _ in site.copy.sizes)
    depth = max(len(m) for m in minimal)
    if depth <= 1 and all(minimal):
        return mask_of(site, [m[0] for m in minimal])
    result: str | None = None
    for k in range(max(depth, 1)):
        test = mask_of(site, [m[k] if k < len(m) else never for m in minimal])
        if test is None:
            return None
        result = test if result is None else either(site, result, test, len(users))
    return result


def minimal_coordinates(coordinates: Sequence[Coordinate], masked: frozenset[int]) -> list[Coordinate]:
    """The coordinates, zeroed outside the masked dimensions, that no other one is below in all dimensions."""
    seen = {tuple(x if d in masked else 0 for d, x in enumerate(c)) for c in coordinates}
    return sorted(c for c in seen if not any(o != c and all(a <= b for a, b in zip(o, c, strict=True)) for o in seen))
