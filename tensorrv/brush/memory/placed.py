"""Elements of arrays with a layout: the digits of their indices, lane by lane.

Along every dimension of an array the index is p + v, where p is what all lanes have in common and v is a number known for
each lane. When p is known to be a multiple of some g, the digits below g are those of v mod g: known numbers. The others are
computed at run time, once for each v // g. With g as large as the layout's blocks, which is what grids are for
(`tensorrv.brush.grids`), every digit is known up to a common multiple, so an element is a constant offset from a common
base.

An element's name is (v // g for each dimension whose blocks are larger than its g, then the digits whose pitch is not a small
constant, then the sum of the others times their pitches): equal names are equal elements, the last entry counts contiguous ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd
from typing import Final

from layouts.address import AddressMap, Digit
from rv.evolution.polynomial import Polynomial, counter
from rv.ir.types import Type
from rv.ir.values import Var

NEAR: Final = 256
"""Elements: digits with constant pitches up to here are added up, so that chunks run across them."""


@dataclass(frozen=True, slots=True)
class Anchor:
    """What is known of a brushed loop's counter: `polynomial`, in which it has coefficient 1, is a multiple of `modulus`."""

    header: str
    polynomial: Polynomial
    modulus: int


@dataclass(frozen=True, slots=True)
class LaidOutGroup:
    """An array with a layout and, for every dimension, the common part p of the index, a multiple of its modulus g.

    `pitches` are how many elements apart values of each digit are.
    """

    array: Var
    element: Type
    address: AddressMap
    pitches: tuple[Polynomial, ...]
    common: tuple[Polynomial, ...]
    moduli: tuple[int, ...]

    def place(self, values: Sequence[int]) -> tuple[int, ...]:
        """The name of the element with these v."""
        far: list[int] = []
        near = 0
        for digit, pitch in zip(self.address.digits, self.pitches, strict=True):
            known = self._known(digit, values[digit.dimension])
            constant = near_pitch(pitch)
            if constant is None:
                far.append(known)
            else:
                near += known * constant
        return (*(values[k] // self.moduli[k] for k in self.open_dimensions), *far, near)

    def _known(self, digit: Digit, value: int) -> int:
        """The part of a digit that is known: all of it, up to a common multiple, or what lies below the modulus."""
        modulus = self.moduli[digit.dimension]
        if modulus == self.address.block(digit.dimension):
            return digit.of(value)
        return digit.of(value % modulus) if digit.divisor < modulus else 0

    def movement(self, steps: Sequence[int]) -> int:
        """A number of which addresses, in elements, move by multiples when index k moves by multiples of `steps[k]`.

        Common parts stay multiples of their moduli, so that digits below these stay what they are.
        """
        found = 0
        for digit, pitch in zip(self.address.digits, self.pitches, strict=True):
            step, modulus = steps[digit.dimension], self.moduli[digit.dimension]
            if step and digit.modulus is None and digit.divisor == modulus:
                found = gcd(found, step // modulus * pitch.content)
            elif step and digit.divisor >= modulus:
                found = gcd(found, pitch.content)
            elif step and digit.modulus is not None and digit.divisor * digit.modulus > modulus:
                found = gcd(found, modulus // digit.divisor * pitch.content)
        return found

    @property
    def open_dimensions(self) -> tuple[int, ...]:
        """The dimensions of which the position in a block is not known."""
        return tuple(k for k, modulus in enumerate(self.moduli) if modulus != self.address.block(k))

    @property
    def far_pitches(self) -> tuple[Polynomial, ...]:
        """The pitches of the entries of an element's name between the open dimensions and the last entry."""
        return tuple(pitch for pitch in self.pitches if near_pitch(pitch) is None)

    @property
    def polynomials(self) -> tuple[Polynomial, ...]:
        """All that addresses are computed from."""
        return (*self.common, *self.pitches)

    @property
    def contiguous_dimension(self) -> int:
        """The dimension of the array along which neighbours are contiguous, within a block."""
        return self.address.digits[-1].dimension


def near_pitch(pitch: Polynomial) -> int | None:
    """The pitch when it is a small constant."""
    constant = pitch.as_constant
    return constant if constant is not None and constant <= NEAR else None


def pitches(address: AddressMap, lengths: Sequence[Polynomial]) -> tuple[Polynomial, ...]:
    """How many elements apart values of each digit are: the product of the lengths of all digits behind it."""
    found = [Polynomial.constant(1)]
    for length in reversed(lengths[1:]):
        found.insert(0, found[0] * length)
    return tuple(found)


def common_part(
    subscript: Polynomial, block: int, digits: Sequence[Digit], anchors: Sequence[Anchor]
) -> tuple[Polynomial, int, int]:
    """(p, v, g) of a subscript at the first lane, for blocks of this size: the index is p + v, and g divides p."""
    common = subscript - subscript.constant_term
    modulus, residue = _residue(common, block, anchors)
    while not _fits(modulus, digits):
        modulus -= 1
        while block % modulus:
            modulus -= 1
    return common - residue, subscript.constant_term + residue, modulus


def _residue(polynomial: Polynomial, block: int, anchors: Sequence[Anchor]) -> tuple[int, int]:
    """(g, r) with g the largest known divisor of `block` for which polynomial = r modulo g; r is 0 on a grid of brushes."""
    modulus = block
    for anchor in anchors:
        slope = polynomial.coefficient(counter(anchor.header)).as_constant
        if slope:
            polynomial = polynomial - anchor.polynomial * slope
            modulus = gcd(modulus, slope * anchor.modulus)
    for monomial, coefficient in polynomial.terms:
        if monomial:
            modulus = gcd(modulus, coefficient)
    return modulus, polynomial.constant_term


def _fits(modulus: int, digits: Sequence[Digit]) -> bool:
    """Whether every digit either ends below the modulus or begins at a multiple of it, or is cut by it evenly."""
    for digit in digits:
        if digit.divisor < modulus and modulus % digit.divisor:
            return False
        if digit.divisor >= modulus and digit.divisor % modulus:
            return False
        if digit.modulus is not None and digit.divisor < modulus:
            end = digit.divisor * digit.modulus
            if end % modulus and modulus % end:
                return False
    return True
