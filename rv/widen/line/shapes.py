"""Which lanes a value has when the iterations of one loop become lanes: its shape on the stride-alignment lattice."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.strides.shape_analysis import VectorShapes, vector_shapes
from rv.analysis.strides.shape_lattice import Shape
from rv.evolution.counter_shapes import counter_shapes
from rv.evolution.facts import LoopFacts
from rv.ir.values import Value
from rv.widen.protocols import UNIFORM, Dimensions

LANES: Final[Dimensions] = frozenset({0})
"""The one dimension there is."""


@dataclass(frozen=True, slots=True)
class LineShapes:
    """The shapes of the values that are defined inside one loop; everything else is uniform in it."""

    shapes: VectorShapes

    def of(self, value: Value) -> Dimensions:
        return UNIFORM if self.shapes.of(value).is_uniform else LANES

    def in_block(self, label: str) -> Dimensions:
        return LANES if label in self.shapes.found.activations else UNIFORM

    def object_of(self, pointer: Value) -> str | None:
        return self.shapes.found.memory.of(pointer)

    def of_object(self, group: str) -> Dimensions:
        return LANES if group in self.shapes.found.objects else UNIFORM

    @property
    def groups(self) -> Collection[str]:
        return self.shapes.found.memory.groups

    @property
    def objects(self) -> Mapping[str, Shape]:
        """What control flow adds to what stack objects hold, by their allocas."""
        return self.shapes.found.objects

    def stride(self, pointer: Value) -> int | None:
        """How many bytes an address moves from one lane to the next; None when that is no number."""
        return self.shapes.of(pointer).stride


def line_shapes(facts: LoopFacts, header: str, lanes: int, objects: Mapping[str, Shape] | None = None) -> LineShapes:
    """The shapes inside the loop `header`, for so many lanes.

    `objects`: for linearized code, those that stack objects had before.
    """
    region = facts.loops[header].blocks
    given = counter_shapes(facts, (header,), 0, lanes)
    return LineShapes(vector_shapes(facts.function, given, lanes, region, separated=objects))
