"""A nest that takes a brush, and where the brushes of its variants stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce
from math import gcd

from rv.widen.loops.variant_tree import Variant, VectorNest
from tensorrv.brush.grids import Grid
from tensorrv.brush.memory.placed import Anchor
from tensorrv.nest.model import Nests


@dataclass(frozen=True, slots=True)
class StoreAnchor:
    """The place of a store that is to be aligned, and with how many whole brushes in the innermost brushed loop that pays."""

    block: str
    position: int
    least_brushes: int


@dataclass(frozen=True, slots=True)
class BrushedNest(VectorNest):
    """A chain of loops to brush, with the sizes and the projection of the brush.

    `anchor` is a store whose lines the innermost brushed loop may be aligned to. `grids`: loop by loop, where brushes start
    for the sake of layouts. Main loops that stream write to the `nontemporal` arrays around the caches if there are any, else to
    all. `prefetch`: how many brushes ahead loads are prefetched.
    """

    facts: Nests
    anchor: StoreAnchor | None = None
    grids: tuple[Grid | None, ...] = ()
    nontemporal: frozenset[str] = frozenset()
    prefetch: int = 0


def brushed_nest(variant: Variant) -> BrushedNest:
    """The nest of a variant of the body of one of its loops."""
    assert isinstance(variant.nest, BrushedNest)
    return variant.nest


def anchors_of(variant: Variant) -> tuple[Anchor, ...]:
    """Where brushes of a variant stand on the grids of its nest."""
    if variant.nest is None or variant.parent is None:
        return ()
    nest = brushed_nest(variant)
    grid = nest.grids[variant.level]
    if grid is None:
        return anchors_of(variant.parent)
    siblings = variant.parent.children[nest.headers[variant.level]]
    before = siblings[: siblings.index(variant) + 1]
    step = reduce(gcd, (sibling.width for sibling in before if not sibling.head), grid.step)
    return anchors_of(variant.parent) + _anchors(grid, variant, step)


def _anchors(grid: Grid, variant: Variant, step: int) -> tuple[Anchor, ...]:
    """What is known of the counter at the first lane of a variant; `step` divides how far it moves from the first brush on."""
    if not variant.head:
        return (grid.anchor(0, step),)
    # a head runs once, or one iteration at a time
    known = grid.first is not None and grid.first <= variant.width
    return (grid.anchor(grid.first or 0, grid.step),) if known else ()
