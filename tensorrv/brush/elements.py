"""Which array elements the lanes of an access touch: access groups (thesis, section 11.4).

Two accesses belong to one *family* when they go through the same array and their subscripts differ by constants only. Within a
family an element is named by its constant offsets, one per array dimension, relative to the element that the subscripts
name at the first lane of the brush; equal offsets are the same element. The last offset counts contiguous elements.
"""

from __future__ import annotations

from dataclasses import dataclass

from rv.ir.types import Type
from rv.ir.values import Var
from rv.widen.lanes import Coordinate
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Access, counter
from tensorrv.nest.polynomial import Polynomial

Element = tuple[int, ...]
SHORT_ROW = 16  # elements: rows up to here are seen as interleaved data


@dataclass(frozen=True, slots=True)
class Family:
    """An array, the lengths of its dimensions 1.., and subscripts without their constants."""

    array: Var
    element: Type
    extents: tuple[Polynomial, ...]
    subscripts: tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True)
class LaneElements:
    """The element that each lane touches: `origin[k] + sum over d of strides[k][d] * coordinate[d]`."""

    family: Family
    origin: Element
    strides: tuple[tuple[int, ...], ...]

    def at(self, coordinate: Coordinate) -> Element:
        if coordinate == ():
            return self.origin
        return tuple(
            start + sum(stride * c for stride, c in zip(row, coordinate, strict=True))
            for start, row in zip(self.origin, self.strides, strict=True)
        )

    @property
    def contiguous_dimension(self) -> int | None:
        """The dimension of the brush along which neighbouring lanes touch neighbouring elements, if there is one."""
        for d in range(len(self.strides[0])):
            column = [row[d] for row in self.strides]
            if column[-1] in (1, -1) and not any(column[:-1]):
                return d
        return None


def lane_elements(access: Access, shapes: NestShapes) -> LaneElements | None:
    """The elements of an access, or None when they are not a constant stride apart in every dimension of the brush.

    Lanes whose array is a pointer of their own have no elements in common.
    """
    if access.subscripts is None or shapes.of(access.array) or any(shapes.of_polynomial(extent) for extent in access.extents):
        return None
    all_subscripts, extents = _joined(access.subscripts, access.extents)
    strides: list[tuple[int, ...]] = []
    for subscript in all_subscripts:
        row = [subscript.coefficient(counter(header)).as_constant for header in shapes.headers]
        uniform_rest = all(symbol.startswith("@") or not shapes.of_symbol(symbol) for symbol in subscript.symbols)
        if None in row or not uniform_rest:
            return None
        strides.append(tuple(c for c in row if c is not None))
    origin = tuple(subscript.constant_term for subscript in all_subscripts)
    subscripts = tuple(subscript - subscript.constant_term for subscript in all_subscripts)
    return LaneElements(Family(access.array, access.element, extents, subscripts), origin, tuple(strides))


def _joined(
    subscripts: tuple[Polynomial, ...], extents: tuple[Polynomial, ...]
) -> tuple[tuple[Polynomial, ...], tuple[Polynomial, ...]]:
    """The subscripts with short rows of constant length, such as colours or components, joined to one dimension."""
    while extents and 1 <= (extents[-1].as_constant or 0) <= SHORT_ROW:
        subscripts = (*subscripts[:-2], subscripts[-2] * extents[-1] + subscripts[-1])
        extents = (*extents[:-2], extents[-2] * extents[-1]) if len(extents) > 1 else ()
    return subscripts, extents
