"""How the accesses of a brush are made: by access groups and chunks where their elements are known, else lane by lane."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.evolution.polynomial import Polynomial
from rv.ir.values import Value, Var
from rv.widen.loops.variant_tree import Variant
from rv.widen.memory.strided import Strided
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
        return self._elements[place, anchors]

    def strided(self, variant: Variant, label: str, pointer: Value) -> Strided | None:
        """Where lanes load what has no closed form, if that is a stride apart in all that run the block.

        Under a predicate the first lane may be passive, and then arithmetic may wrap in it.
        """
        if variant.nest is None or not isinstance(pointer, Var):
            return None
        shapes = self.shapes[variant.nest.headers[0]]
        strides = shapes.pointer_strides.get(pointer.name)
        return None if strides is None or shapes.in_block(label) else Strided(pointer, Polynomial.constant(0), strides)

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


def accesses_at(site: Site) -> BrushAccesses:
    """The accesses of the function that is being written."""
    assert isinstance(site.context.forms, BrushAccesses)
    return site.context.forms
