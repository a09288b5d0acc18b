"""A kernel's C signature in the terms of its callers: what each argument is and how large the arrays are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from rv.evolution.polynomial import Polynomial
from rv.ir.types import Type, size_of
from tensorrv.unit.elements import Record


@dataclass(frozen=True, slots=True)
class ScalarArgument:
    """A number passed by value. `c_type` is the name of its type in C; `signed` matters for integers only."""

    name: str
    type: Type
    signed: bool
    c_type: str


Limits = Literal["none", "offsets", "counts"]


@dataclass(frozen=True, slots=True)
class ArrayArgument:
    """A pointer to the first of an array of `element`s.

    `extents` are the declared lengths of all dimensions, outermost first, in the names of scalar arguments; None stands for a
    dimension without a declared length (only the outermost one can be so). `written` is false when the kernel only reads the
    array, `read` when it only writes it; `subscript` is true when elements of the array become subscripts of another. `record`
    describes elements that are structs; `element` then only gives their alignment. `limits`: elements are where loops begin and
    end ("offsets", as of the rows of a sparse matrix), or how far they go ("counts").
    """

    name: str
    element: Type
    signed: bool
    c_type: str
    restrict: bool
    written: bool
    subscript: bool
    extents: tuple[Polynomial | None, ...]
    record: Record | None = None
    limits: Limits = "none"
    read: bool = True

    @property
    def inner_extents(self) -> tuple[Polynomial, ...]:
        """The lengths of all dimensions but the outermost."""
        return tuple(extent for extent in self.extents[1:] if extent is not None)

    @property
    def element_size(self) -> int:
        return size_of(self.element) if self.record is None else max(1, self.record.size)


Argument = ScalarArgument | ArrayArgument


@dataclass(frozen=True, slots=True)
class Signature:
    """`sizes` are the integer arguments on which it depends which elements are touched."""

    name: str
    arguments: tuple[Argument, ...]
    result: Type
    result_signed: bool = True
    sizes: frozenset[str] = frozenset()

    @property
    def scalars(self) -> tuple[ScalarArgument, ...]:
        return tuple(a for a in self.arguments if isinstance(a, ScalarArgument))

    @property
    def arrays(self) -> tuple[ArrayArgument, ...]:
        return tuple(a for a in self.arguments if isinstance(a, ArrayArgument))

    @property
    def declared_names(self) -> frozenset[str]:
        """The integer arguments that occur in declared lengths."""
        lengths = (extent for array in self.arrays for extent in array.extents if extent is not None)
        return frozenset(symbol.name for length in lengths for symbol in length.symbols)


def declared_count(array: ArrayArgument, sizes: Mapping[str, int]) -> int | None:
    """The product of the declared lengths; None when the outermost is not declared."""
    count = 1
    for extent in array.extents:
        if extent is None:
            return None
        count *= max(0, extent.valued(sizes))
    return count
