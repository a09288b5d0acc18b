"""Where the elements of an array are: address maps of layouts, their inverses and extents.

Every layout is a list of *digits*, outermost first. A digit is `index[dimension] // divisor % modulus`; the digits of one
dimension, put together, are its index in a mixed radix. With lengths l1, l2, ... of the digits after the first,

    offset(index) = ((digit0 * l1 + digit1) * l2 + digit2) * ...

in elements. It is a bijection from the indices of the array into 0 .. extent - 1, where extent is the product of all lengths.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import prod
from typing import TypeVar, assert_never

from layouts.layout import Aligned, Blocked, ColumnMajor, Layout, LayoutError, Padded, Permuted, Step, steps_of
from layouts.lengths import Blocks, Constant, Extent, Length, Plus, RoundedUp, evaluate, extents_of

Number = TypeVar("Number")


@dataclass(frozen=True, slots=True)
class Digit:
    """`index[dimension] // divisor % modulus`, without the remainder where `modulus` is None; `length` values have a place."""

    dimension: int
    divisor: int
    modulus: int | None
    length: Length

    def of(self, index: int) -> int:
        """The digit of an index along its dimension."""
        quotient = index // self.divisor
        return quotient if self.modulus is None else quotient % self.modulus


@dataclass(frozen=True, slots=True)
class AddressMap:
    """The digits of a layout for arrays of `rank` dimensions, outermost first."""

    rank: int
    digits: tuple[Digit, ...]

    def lengths(self, shape: Sequence[int]) -> tuple[int, ...]:
        """The number of places of every digit, for an array of this shape."""
        return tuple(evaluate(digit.length, shape) for digit in self.digits)

    def extent(self, shape: Sequence[int]) -> int:
        """How many elements have to be stored, padding included."""
        return prod(self.lengths(shape))

    def offset(self, index: Sequence[int], shape: Sequence[int]) -> int:
        """The place of an element; the index is within the shape, entry by entry."""
        total = 0
        for digit, length in zip(self.digits, self.lengths(shape), strict=True):
            total = total * length + digit.of(index[digit.dimension])
        return total

    def index(self, offset: int, shape: Sequence[int]) -> tuple[int, ...] | None:
        """The element at a place, the inverse of `offset`; None for padding."""
        found = [0] * self.rank
        for digit, length in zip(reversed(self.digits), reversed(self.lengths(shape)), strict=True):
            offset, value = divmod(offset, length)
            if digit.modulus is not None and value >= digit.modulus:
                return None
            found[digit.dimension] += value * digit.divisor
        inside = offset == 0 and all(i < n for i, n in zip(found, shape, strict=True))
        return tuple(found) if inside else None

    def block(self, dimension: int) -> int:
        """After how many indices along `dimension` only its outermost digit changes: the size of its blocks."""
        return next(digit.divisor for digit in self.digits if digit.dimension == dimension and digit.modulus is None)

    @property
    def needed_extents(self) -> frozenset[int]:
        """The dimensions whose lengths the offsets depend on."""
        return frozenset[int]().union(*(extents_of(digit.length) for digit in self.digits[1:]))

    @property
    def is_row_major(self) -> bool:
        return self == address_map_of_steps((), self.rank)

    def text(self, names: Sequence[str], extents: Sequence[str]) -> str:
        """The offset in C, for indices of these names and lengths written like this."""
        total = ""
        for digit in self.digits:
            value = _digit_text(digit, names[digit.dimension])
            total = f"{_factor(total)}*{_length_text(digit.length, extents)} + {value}" if total else value
        return total

    def extent_text(self, extents: Sequence[str]) -> str:
        """The extent in C, for lengths written like this."""
        return "*".join(_length_text(digit.length, extents) for digit in self.digits)


def address_map(layout: Layout, rank: int) -> AddressMap:
    """The address map of a layout for arrays of this rank. Raises LayoutError when it does not fit."""
    return address_map_of_steps(steps_of(layout), rank)


@lru_cache(maxsize=256)
def address_map_of_steps(steps: tuple[Step, ...], rank: int) -> AddressMap:
    """The address map after these steps. Raises LayoutError."""
    digits = tuple(Digit(k, 1, None, Extent(k)) for k in range(rank))
    for step in steps:
        digits = _apply(step, digits)
    return AddressMap(rank, digits)


def _apply(step: Step, digits: tuple[Digit, ...]) -> tuple[Digit, ...]:
    match step:
        case ColumnMajor():
            return tuple(reversed(digits))
        case Permuted(axes):
            if len(axes) != len(digits):
                raise LayoutError(f"'{step}' permutes {len(axes)} dimensions where there are {len(digits)}")
            return tuple(digits[axis] for axis in axes)
        case Padded(extra):
            return (*digits[:-1], replace(digits[-1], length=_folded(Plus(digits[-1].length, extra)))) if extra else digits
        case Aligned(multiple):
            return (*digits[:-1], replace(digits[-1], length=_folded(RoundedUp(digits[-1].length, multiple))))
        case Blocked(sizes):
            return _blocked(sizes, digits)
        case _:
            assert_never(step)


def _blocked(sizes: tuple[int, ...], digits: tuple[Digit, ...]) -> tuple[Digit, ...]:
    if len(sizes) > len(digits):
        raise LayoutError(f"'{Blocked(*sizes)}' blocks {len(sizes)} dimensions where there are {len(digits)}")
    pairs = list(zip((1,) * (len(digits) - len(sizes)) + sizes, digits, strict=True))
    return (*(_quotient(*pair) for pair in pairs), *(_remainder(*pair) for pair in pairs if pair[0] > 1))


def _quotient(size: int, digit: Digit) -> Digit:
    if size == 1:
        return digit
    if digit.modulus is not None and digit.modulus % size:
        raise LayoutError(f"blocks of {size} do not divide blocks of {digit.modulus}", "take a divisor for the inner blocks")
    modulus = None if digit.modulus is None else digit.modulus // size
    return Digit(digit.dimension, digit.divisor * size, modulus, _folded(Blocks(digit.length, size)))


def _folded(length: Length) -> Length:
    return length if extents_of(length) else Constant(evaluate(length, ()))


def _remainder(size: int, digit: Digit) -> Digit:
    return Digit(digit.dimension, digit.divisor, size, Constant(size))


# -- as C text


def _digit_text(digit: Digit, name: str) -> str:
    quotient = name if digit.divisor == 1 else f"{name}/{digit.divisor}"
    return quotient if digit.modulus is None else f"{quotient}%{digit.modulus}"


def _length_text(length: Length, extents: Sequence[str]) -> str:
    match length:
        case Constant(value):
            return str(value)
        case Extent(dimension):
            return _factor(extents[dimension])
        case Plus(inner, extra):
            return f"({_length_text(inner, extents)} + {extra})"
        case Blocks(inner, size):
            return f"(({_length_text(inner, extents)} + {size - 1})/{size})"
        case RoundedUp(inner, multiple):
            return f"(({_length_text(inner, extents)} + {multiple - 1})/{multiple}*{multiple})"
        case _:
            assert_never(length)


def _factor(text: str) -> str:
    return f"({text})" if " " in text else text
