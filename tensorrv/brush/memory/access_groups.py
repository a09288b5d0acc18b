"""Which array elements the lanes of an access touch: access groups (thesis, section 11.4).

Two accesses belong to one *access group* when they go through the same array and their subscripts differ by constants only.
Within an access group an element is named by its constant offsets, one per array dimension, relative to the element that the
subscripts name at the first lane of the brush; equal offsets are the same element. The last offset counts contiguous elements.
Lanes are constant strides apart along each dimension of the brush, or by the numbers of a pattern: `t[i / 8]` has one element for
eight lanes in a row, `t[i % 8]` the same eight elements again and again (`tensorrv.brush.memory.patterned`).
Arrays with a layout have access groups of their own, which name elements by digits (`tensorrv.brush.memory.placed`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import product
from operator import add, mul

from rv.cost.accesses import SHORT_ROW
from rv.evolution.polynomial import Polynomial, counter
from rv.ir.types import Type
from rv.ir.values import Var
from rv.widen.lanes import Coordinate
from tensorrv.brush.memory.patterned import patterned
from tensorrv.brush.memory.placed import Anchor, LaidOutGroup, common_part, pitches
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Access, Placement

Element = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class AccessGroup:
    """An array, the lengths of its dimensions 1.., and subscripts without their constants."""

    array: Var
    element: Type
    extents: tuple[Polynomial, ...]
    subscripts: tuple[Polynomial, ...]

    def place(self, values: Sequence[int]) -> Element:
        """The name of the element with these offsets."""
        return tuple(values)

    @property
    def polynomials(self) -> tuple[Polynomial, ...]:
        """All that addresses are computed from."""
        return (*self.subscripts, *self.extents)

    @property
    def contiguous_dimension(self) -> int:
        """The dimension of the array along which neighbours are contiguous."""
        return len(self.extents)


@dataclass(frozen=True, slots=True)
class LaneElements:
    """The element that each lane touches: `access group.place` of `origin[k] + sum over d of strides[k][d] * coordinate[d]`.

    Where `apart[k][d]` is given, its number for the coordinate takes the place of the multiple of the stride, which is 0.
    """

    group: AccessGroup | LaidOutGroup
    origin: tuple[int, ...]
    strides: tuple[tuple[int, ...], ...]
    apart: Apart = ()

    def at(self, coordinate: Coordinate) -> Element:
        if coordinate == ():
            return self.group.place(self.origin)
        found = [
            start + sum(stride * c for stride, c in zip(row, coordinate, strict=True))
            for start, row in zip(self.origin, self.strides, strict=True)
        ]
        for k, rows in enumerate(self.apart):
            found[k] += sum(row[c] for row, c in zip(rows, coordinate, strict=True) if row is not None)
        return self.group.place(found)

    @property
    def contiguous_dimension(self) -> int | None:
        """The dimension of the brush along which neighbouring lanes touch neighbouring elements, if there is one."""
        found = _contiguous_along(self.strides, self.group.contiguous_dimension)
        return None if found is None or any(rows[found] is not None for rows in self.apart) else found

    @property
    def varying(self) -> frozenset[int]:
        """The dimensions of the brush along which lanes touch different elements."""
        return _varying(self.strides) | {d for rows in self.apart for d, row in enumerate(rows) if row is not None}

    def all_at(self, sizes: tuple[int, ...], steps: tuple[int, ...]) -> set[Element]:
        """The elements of the lanes of a brush; `steps` are the distances of the lanes that count, along each dimension."""
        if self.apart:
            return {self.at(c) for c in product(*(range(0, m, step) for m, step in zip(sizes, steps, strict=True)))}
        offsets = _offsets(self.strides, sizes, steps)
        return {self.group.place(list(map(add, self.origin, offset))) for offset in offsets}


Strides = tuple[tuple[int, ...], ...]
Apart = tuple[tuple[tuple[int, ...] | None, ...], ...]
"""Per dimension of the array and of the brush: how far lanes are from the first one, where that is no constant stride."""


@lru_cache(maxsize=4096)
def _contiguous_along(strides: Strides, inner: int) -> int | None:
    for d in range(len(strides[0])):
        column = [row[d] for row in strides]
        if column[inner] in (1, -1) and sum(map(bool, column)) == 1:
            return d
    return None


@lru_cache(maxsize=4096)
def _varying(strides: Strides) -> frozenset[int]:
    return frozenset(d for row in strides for d, stride in enumerate(row) if stride)


@lru_cache(maxsize=4096)
def _offsets(strides: Strides, sizes: tuple[int, ...], steps: tuple[int, ...]) -> tuple[tuple[int, ...], ...]:
    """From the element of the first lane to those of the others that differ from it."""
    varying = _varying(strides)
    places = [range(0, size, step) if d in varying else range(1) for d, (size, step) in enumerate(zip(sizes, steps, strict=True))]
    return tuple(tuple(sum(map(mul, row, coordinate)) for row in strides) for coordinate in product(*places))


def lane_elements(access: Access, shapes: NestShapes, anchors: Sequence[Anchor] = ()) -> LaneElements | None:
    """The elements of an access, or None when it is not known how far apart they are along every dimension of the brush.

    `anchors`: where in its blocks an array with a layout is accessed. Lanes whose array is a pointer of their own have no
    elements in common.
    """
    if access.subscripts is None:
        return _patterned(access, shapes)
    if shapes.of(access.array) or any(shapes.of_polynomial(extent) for extent in access.extents):
        return None
    if access.placement is not None:
        return _placed(access, access.placement, shapes, anchors)
    all_subscripts, extents = _joined(access.subscripts, access.extents)
    strides = _strides(all_subscripts, shapes)
    if strides is None:
        return None
    origin = tuple(subscript.constant_term for subscript in all_subscripts)
    subscripts = tuple(subscript - subscript.constant_term for subscript in all_subscripts)
    return LaneElements(AccessGroup(access.array, access.element, extents, subscripts), origin, strides)


def _patterned(access: Access, shapes: NestShapes) -> LaneElements | None:
    """The elements of a load whose subscripts are no closed forms."""
    found = patterned(access, shapes)
    if found is None:
        return None
    origin = tuple(subscript.constant_term for subscript in found.subscripts)
    subscripts = tuple(subscript - subscript.constant_term for subscript in found.subscripts)
    rows = [[(line.stride, None) if line.stride is not None else (0, line.moves) for line in own] for own in found.lines]
    strides = tuple(tuple(stride for stride, _ in row) for row in rows)
    apart = tuple(tuple(moves for _, moves in row) for row in rows)
    group = AccessGroup(access.array, access.element, found.extents, subscripts)
    return LaneElements(group, origin, strides, apart if any(any(row) for row in apart) else ())


def _placed(access: Access, placement: Placement, shapes: NestShapes, anchors: Sequence[Anchor]) -> LaneElements | None:
    assert access.subscripts is not None
    strides = _strides(access.subscripts, shapes)
    if strides is None:
        return None
    address = placement.address
    parts = [
        common_part(subscript, address.block(k), [digit for digit in address.digits if digit.dimension == k], anchors)
        for k, subscript in enumerate(access.subscripts)
    ]
    common, origin, moduli = zip(*parts, strict=True)
    group = LaidOutGroup(access.array, access.element, address, pitches(address, placement.lengths), common, moduli)
    return LaneElements(group, origin, strides)


def _strides(all_subscripts: Sequence[Polynomial], shapes: NestShapes) -> tuple[tuple[int, ...], ...] | None:
    """How every subscript changes from one lane to the next along each dimension of the brush; None unless by a constant."""
    strides: list[tuple[int, ...]] = []
    for subscript in all_subscripts:
        row = [subscript.coefficient(counter(header)).as_constant for header in shapes.headers]
        uniform_rest = all(symbol.is_counter or not shapes.of_symbol(symbol) for symbol in subscript.symbols)
        if None in row or not uniform_rest:
            return None
        strides.append(tuple(c for c in row if c is not None))
    return tuple(strides)


def _joined(
    subscripts: tuple[Polynomial, ...], extents: tuple[Polynomial, ...]
) -> tuple[tuple[Polynomial, ...], tuple[Polynomial, ...]]:
    """The subscripts with short rows of constant length, such as colours or components, joined to one dimension."""
    while extents and 1 <= (extents[-1].as_constant or 0) <= SHORT_ROW:
        subscripts = (*subscripts[:-2], subscripts[-2] * extents[-1] + subscripts[-1])
        extents = (*extents[:-2], extents[-2] * extents[-1]) if len(extents) > 1 else ()
    return subscripts, extents
