"""What the stages of tensorization look up about one function, besides what widening does."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.widen.context import Context
from rv.widen.loops.variant_tree import Variant
from tensorrv.brush.memory.access_groups import LaneElements
from tensorrv.brush.memory.accesses import BrushAccesses, Place
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Access
from tensorrv.schedule.plan import Plan


@dataclass(slots=True, kw_only=True)
class BrushContext(Context):
    """One function on its way to vector code under a plan."""

    plan: Plan
    shapes: Mapping[str, NestShapes]
    accesses: Mapping[Place, Access]

    def elements(self, variant: Variant, label: str, position: int) -> LaneElements | None:
        """The elements that the access at this place touches, or None if they are not known."""
        assert isinstance(self.forms, BrushAccesses)
        return self.forms.elements(variant, label, position)

    def tensor_shapes(self, variant: Variant) -> NestShapes | None:
        return self.shapes[variant.nest.headers[0]] if variant.nest else None
