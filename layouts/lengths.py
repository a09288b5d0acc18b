"""Lengths of the dimensions of stored arrays, as expressions over the lengths `n0, n1, ...` of the array itself.

Plain data: code that has a value for `nk` (an integer, a register of a compiler) folds over the expression with `match`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import assert_never


@dataclass(frozen=True, slots=True)
class Constant:
    """`value` elements."""

    value: int

    def __str__(self) -> str:
        return str(self.value)


@dataclass(frozen=True, slots=True)
class Extent:
    """The length of the array along `dimension`."""

    dimension: int

    def __str__(self) -> str:
        return f"n{self.dimension}"


@dataclass(frozen=True, slots=True)
class Plus:
    """`extra` elements more."""

    length: Length
    extra: int

    def __str__(self) -> str:
        return f"({self.length} + {self.extra})"


@dataclass(frozen=True, slots=True)
class Blocks:
    """How many blocks of `size` cover the length: the last one may be partial."""

    length: Length
    size: int

    def __str__(self) -> str:
        return f"ceil({self.length} / {self.size})"


@dataclass(frozen=True, slots=True)
class RoundedUp:
    """The next multiple of `multiple`."""

    length: Length
    multiple: int

    def __str__(self) -> str:
        return f"ceil({self.length} / {self.multiple})*{self.multiple}"


Length = Constant | Extent | Plus | Blocks | RoundedUp


def evaluate(length: Length, shape: Sequence[int]) -> int:
    """The length for an array of this shape."""
    match length:
        case Constant(value):
            return value
        case Extent(dimension):
            return shape[dimension]
        case Plus(inner, extra):
            return evaluate(inner, shape) + extra
        case Blocks(inner, size):
            return -(-evaluate(inner, shape) // size)
        case RoundedUp(inner, multiple):
            return -(-evaluate(inner, shape) // multiple) * multiple
        case _:
            assert_never(length)


def extents_of(length: Length) -> frozenset[int]:
    """The dimensions of the array whose lengths occur."""
    match length:
        case Constant():
            return frozenset()
        case Extent(dimension):
            return frozenset({dimension})
        case Plus(inner) | Blocks(inner) | RoundedUp(inner):
            return extents_of(inner)
        case _:
            assert_never(length)
