"""How the accesses of a brush are made: by access groups and chunks where their elements are known, else lane by lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import reduce
from math import gcd

from rv.ir.values import Value
from rv.widen.loops.variant_tree import Variant
from rv.widen.protocols import UNIFORM, Dimensions
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import AccessGroup, Element, LaneElements, lane_elements
from tensorrv.brush.memory.placed import Anchor, LaidOutGroup
from tensorrv.brush.nest import anchors_of
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Access

Place = tuple[str, str, int]
"""The outermost header of a nest, a block, and a position in it."""


Streamed = tuple[AccessGroup | LaidOutGroup, Element, int]
"""A chunk of neighbours: its access group, its first element and its length."""


@dataclass(slots=True)
class BrushAccesses:
    """The accesses of all brushed nests, and what has been found out about them so far.

    `streamed` are the chunks that the code of each variant writes around the caches.
    """

    accesses: Mapping[Place, Access]
    shapes: Mapping[str, NestShapes]
    streamed: dict[Variant, dict[Streamed, None]] = field(default_factory=dict)
    _anchors: dict[Variant, tuple[Anchor, ...]] = field(default_factory=dict)
    _elements: dict[tuple[Place, tuple[Anchor, ...]], LaneElements | None] = field(default_factory=dict)

    def elements(self, variant: Variant, label: str, position: int) -> LaneElements | None:
        """The elements that the access at this place touches, or None if they are not known."""
        if variant.nest is None:
            return None
        if variant not in self._anchors:
            self._anchors[variant] = anchors_of(variant)
        place, anchors = (variant.nest.headers[0], label, position), self._anchors[variant]
        if (place, anchors) not in self._elements:
            access = self.accesses.get(place)
            self._elements[place, anchors] = lane_elements(access, self.shapes[place[0]], anchors) if access else None
        found = self._elements[place, anchors]
        return None if found is None or not _holds_in(found, variant) else found

    def dimensions(self, variant: Variant, label: str, position: int, pointer: Value) -> Dimensions:
        elements = self.elements(variant, label, position)
        if elements is not None:
            return elements.varying
        return self.shapes[variant.nest.headers[0]].of(pointer) if variant.nest is not None else UNIFORM

    def is_together(self, variant: Variant, label: str, position: int) -> bool:
        elements = self.elements(variant, label, position)
        return elements is not None and elements.contiguous_dimension is not None

    def is_idle(self, variant: Variant) -> bool:
        return variant.stream and not self.streamed.get(variant)


def _holds_in(elements: LaneElements, variant: Variant) -> bool:
    """Whether lanes of a variant are apart as those of the first brush of its size in a whole brush are.

    A whole brush is followed by narrower ones, which begin at multiples of a common divisor of all sizes that ran before.
    """
    for d in range(len(variant.sizes) if elements.apart else 0):
        step = _starts(variant, d)
        for rows in elements.apart:
            row = rows[d] or ()
            for start in range(0, len(row), step):
                own = row[start : start + variant.sizes[d]]
                if any(value - own[0] != first for value, first in zip(own, row, strict=False)):
                    return False
    return True


def _starts(variant: Variant, dimension: int) -> int:
    """What the places where brushes of a variant begin along a dimension are multiples of, within a whole brush."""
    own: Variant | None = variant
    while own is not None and own.level != dimension:
        own = own.parent
    if own is None or own.parent is None or own.header is None:
        return 1
    siblings = own.parent.children[own.header]
    return reduce(gcd, (sibling.width for sibling in siblings[: siblings.index(own) + 1]))


def accesses_at(site: Site) -> BrushAccesses:
    """The accesses of the function that is being written."""
    assert isinstance(site.context.forms, BrushAccesses)
    return site.context.forms
