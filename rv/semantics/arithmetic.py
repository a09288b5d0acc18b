"""Scalar arithmetic that Python's operators do not have: division, shifts, conversions, correct rounding to binary32.

Integers are non-negative Python numbers below 2**bits; floating-point numbers are Python floats, those of binary32 exactly
representable there. Every function takes and gives undefined values as defined in `rv.semantics.undefined`.

Rounding: for +, -, *, / and sqrt of binary32 operands, computing in binary64 and rounding the result to binary32 gives the
correctly rounded binary32 result, because 53 >= 2*24 + 2 (Figueroa: When is double rounding innocuous?, 1995); results in the
subnormal range of binary32 round correctly as well (sums there are exact, products have 48 bits, and a quotient cannot come
closer to a midpoint than 2**-49 relative without being one).
"""

from __future__ import annotations

import math
import struct
from array import array
from typing import Final

from rv.semantics.undefined import UNDEFINED, Undefined, UndefinedValue

Integer = int | UndefinedValue
Number = float | UndefinedValue

_BINARY32: Final = array("f", [0.0])


def to_binary32(value: float) -> float:
    """The nearest binary32 number, ties to even; too large a value becomes an infinity."""
    _BINARY32[0] = value
    return _BINARY32[0]


def to_signed(value: int, bits: int) -> int:
    """The number that a bit pattern stands for in two's complement."""
    return value - (1 << bits) if value >> (bits - 1) else value


def divide_float(left: Number, right: Number) -> Number:
    """IEEE division; division by zero gives an infinity, or a NaN for 0/0 and NaN/0."""
    if left is UNDEFINED or right is UNDEFINED:
        return UNDEFINED
    assert not isinstance(left, UndefinedValue) and not isinstance(right, UndefinedValue)
    if right:
        return left / right
    if left != left or right != right or not left:
        return math.nan
    return math.copysign(math.inf, left) * math.copysign(1.0, right)


def _divisor(value: Integer) -> int:
    if isinstance(value, UndefinedValue) or not value:
        raise Undefined("division by zero or by an undefined value")
    return value


def divide_unsigned(left: Integer, right: Integer) -> Integer:
    divisor = _divisor(right)
    return left if isinstance(left, UndefinedValue) else left // divisor


def remainder_unsigned(left: Integer, right: Integer) -> Integer:
    divisor = _divisor(right)
    return left if isinstance(left, UndefinedValue) else left % divisor


def divide_signed(left: Integer, right: Integer, bits: int) -> Integer:
    """Quotient rounded toward zero; Undefined for the one quotient that does not fit."""
    divisor = to_signed(_divisor(right), bits)
    if isinstance(left, UndefinedValue):
        return left
    dividend = to_signed(left, bits)
    if dividend == -(1 << (bits - 1)) and divisor == -1:
        raise Undefined("the quotient does not fit")
    quotient = abs(dividend) // abs(divisor)
    return (quotient if (dividend < 0) == (divisor < 0) else -quotient) & ((1 << bits) - 1)


def remainder_signed(left: Integer, right: Integer, bits: int) -> Integer:
    """Remainder with the sign of the dividend; Undefined where the quotient does not fit."""
    quotient = divide_signed(left, right, bits)
    return (left - quotient * right) & ((1 << bits) - 1)


def shift_left(value: Integer, amount: Integer, bits: int) -> Integer:
    if isinstance(amount, UndefinedValue) or amount >= bits:
        return UNDEFINED
    return (value << amount) & ((1 << bits) - 1)


def shift_right(value: Integer, amount: Integer, bits: int) -> Integer:
    """Shift that fills with zeros."""
    return UNDEFINED if isinstance(amount, UndefinedValue) or amount >= bits else value >> amount


def shift_right_signed(value: Integer, amount: Integer, bits: int) -> Integer:
    """Shift that fills with the sign."""
    if isinstance(value, UndefinedValue) or isinstance(amount, UndefinedValue) or amount >= bits:
        return UNDEFINED
    return (to_signed(value, bits) >> amount) & ((1 << bits) - 1)


def add_saturating(left: Integer, right: Integer, bits: int) -> Integer:
    """The signed number that is nearest to the sum."""
    if isinstance(left, UndefinedValue) or isinstance(right, UndefinedValue):
        return UNDEFINED
    return _saturated(to_signed(left, bits) + to_signed(right, bits), bits)


def subtract_saturating(left: Integer, right: Integer, bits: int) -> Integer:
    """The signed number that is nearest to the difference."""
    if isinstance(left, UndefinedValue) or isinstance(right, UndefinedValue):
        return UNDEFINED
    return _saturated(to_signed(left, bits) - to_signed(right, bits), bits)


def _saturated(value: int, bits: int) -> int:
    top = 1 << (bits - 1)
    return min(max(value, -top), top - 1) & ((1 << bits) - 1)


def float_to_signed(value: Number, bits: int) -> Integer:
    """Rounded toward zero; undefined where the result does not fit."""
    if isinstance(value, UndefinedValue) or not math.isfinite(value):
        return UNDEFINED
    whole = int(value)
    return whole & ((1 << bits) - 1) if -(1 << (bits - 1)) <= whole < 1 << (bits - 1) else UNDEFINED


def float_to_unsigned(value: Number, bits: int) -> Integer:
    """Rounded toward zero; undefined where the result does not fit."""
    if isinstance(value, UndefinedValue) or not math.isfinite(value):
        return UNDEFINED
    whole = int(value)
    return whole if 0 <= whole < 1 << bits else UNDEFINED


def integer_to_float(value: Integer, source_bits: int, result_bits: int, signed: bool) -> Number:
    """The nearest number, ties to even, in one rounding."""
    if isinstance(value, UndefinedValue):
        return value
    number = to_signed(value, source_bits) if signed else int(value)
    if result_bits == 64:
        return float(number)
    return to_binary32(_odd(number))


def _odd(number: int) -> float:
    """An integer rounded to binary64 such that rounding again to binary32 gives the integer rounded once: round to odd."""
    excess = max(abs(number).bit_length() - 53, 0)
    kept = abs(number) >> excess
    sticky = kept << excess != abs(number)
    return math.copysign(math.ldexp(float(kept | sticky), excess), number)


def number_of_bits(bits: int, width: int) -> float:
    """The number with a bit pattern, as a Python float."""
    code = "<d" if width == 64 else "<f"
    result: float = struct.unpack(code, bits.to_bytes(width // 8, "little"))[0]
    return result


def number_of_pattern(bits: Integer, width: int) -> Number:
    """`number_of_bits` that lets the undefined value through."""
    return bits if isinstance(bits, UndefinedValue) else number_of_bits(bits, width)


def pattern_of_number(value: Number, width: int) -> Integer:
    """The bit pattern of a number that is representable in `width` bits."""
    if isinstance(value, UndefinedValue):
        return value
    return int.from_bytes(struct.pack("<d" if width == 64 else "<f", value), "little")
