"""The types of numbers in random C, and C's conversions between them."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Final


@dataclass(frozen=True, slots=True)
class Number:
    """An arithmetic type: `letter` names it for the driver."""

    name: str
    letter: str
    bits: int
    signed: bool
    floating: bool = False

    @property
    def low(self) -> float:
        if self.floating:
            return -inf
        return -(1 << self.bits - 1) if self.signed else 0

    @property
    def high(self) -> float:
        if self.floating:
            return inf
        return (1 << self.bits - self.signed) - 1

    def holds(self, low: float, high: float) -> bool:
        return self.low <= low and high <= self.high


SCHAR: Final = Number("signed char", "b", 8, True)
UCHAR: Final = Number("unsigned char", "B", 8, False)
SHORT: Final = Number("short", "h", 16, True)
USHORT: Final = Number("unsigned short", "H", 16, False)
INT: Final = Number("int", "i", 32, True)
UINT: Final = Number("unsigned", "I", 32, False)
LONG: Final = Number("long", "l", 64, True)
ULONG: Final = Number("unsigned long", "L", 64, False)
FLOAT: Final = Number("float", "f", 32, True, floating=True)
DOUBLE: Final = Number("double", "d", 64, True, floating=True)

NARROW: Final = (SCHAR, UCHAR, SHORT, USHORT)
INTEGERS: Final = (*NARROW, INT, UINT, LONG, ULONG)
FLOATS: Final = (FLOAT, DOUBLE)
NUMBERS: Final = (*INTEGERS, *FLOATS)
BY_NAME: Final = {number.name: number for number in NUMBERS}


def promoted(type_: Number) -> Number:
    return INT if type_.bits < 32 else type_


def common(left: Number, right: Number) -> Number:
    """The usual arithmetic conversions."""
    if left.floating or right.floating:
        return max((t for t in (left, right) if t.floating), key=lambda t: t.bits)
    return max(promoted(left), promoted(right), key=lambda t: (t.bits, not t.signed))


def unsigned(type_: Number) -> Number:
    return {32: UINT, 64: ULONG}[type_.bits]
