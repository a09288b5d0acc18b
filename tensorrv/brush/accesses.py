"""How the accesses of a brush are made: by access groups and chunks where their elements are known, else lane by lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.ir.instructions import Load, Store
from rv.ir.values import Value
from rv.widen.lanes import SCALAR, Pattern
from rv.widen.loops.copies import Copy
from rv.widen.protocols import UNIFORM, Dimensions, Reads
from rv.widen.site import Site
from tensorrv.brush.elements import Element, Family, LaneElements, lane_elements
from tensorrv.brush.nest import anchors_of
from tensorrv.brush.placed import Anchor, PlacedFamily
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Access

Place = tuple[str, str, int]
"""The outermost header of a nest, a block, and a position in it."""


Streamed = tuple[Family | PlacedFamily, Element, int]
"""A piece of neighbours: its family, its first element and its length."""


@dataclass(slots=True)
class BrushAccesses:
    """The accesses of all brushed nests, and what has been found out about them so far.

    `streamed` are the pieces that the code of each copy writes around the caches.
    """

    accesses: Mapping[Place, Access]
    shapes: Mapping[str, NestShapes]
    streamed: dict[Copy, list[Streamed]] = field(default_factory=dict)
    _anchors: dict[Copy, tuple[Anchor, ...]] = field(default_factory=dict)
    _elements: dict[tuple[Place, tuple[Anchor, ...]], LaneElements | None] = field(default_factory=dict)

    def elements(self, copy: Copy, label: str, position: int) -> LaneElements | None:
        """The elements that the access at this place touches, or None if they are not known."""
        if copy.nest is None:
            return None
        if copy not in self._anchors:
            self._anchors[copy] = anchors_of(copy)
        place, anchors = (copy.nest.headers[0], label, position), self._anchors[copy]
        if (place, anchors) not in self._elements:
            access = self.accesses.get(place)
            self._elements[place, anchors] = lane_elements(access, self.shapes[place[0]], anchors) if access else None
        return self._elements[place, anchors]

    def dimensions(self, copy: Copy, label: str, position: int, pointer: Value) -> Dimensions:
        elements = self.elements(copy, label, position)
        if elements is not None:
            return frozenset(d for row in elements.strides for d, stride in enumerate(row) if stride)
        return self.shapes[copy.nest.headers[0]].of(pointer) if copy.nest is not None else UNIFORM

    def reads(self, copy: Copy, label: str, position: int, access: Load | Store, pattern: Pattern) -> Reads:
        elements = self.elements(copy, label, position)
        if elements is None:
            return Reads(((access.pointer, pattern),))
        return Reads(((elements.family.array, SCALAR),), elements.family.polynomials)

    def is_together(self, copy: Copy, label: str, position: int) -> bool:
        elements = self.elements(copy, label, position)
        return elements is not None and elements.contiguous_dimension is not None

    def is_idle(self, copy: Copy) -> bool:
        return copy.stream and not self.streamed.get(copy)


def accesses_at(site: Site) -> BrushAccesses:
    """The accesses of the function that is being written."""
    assert isinstance(site.context.forms, BrushAccesses)
    return site.context.forms
