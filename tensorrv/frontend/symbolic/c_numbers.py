"""Numbers of formulas as constants in C, correctly rounded."""

from __future__ import annotations

import struct
from fractions import Fraction
from math import isfinite, isinf, isnan


def number_text(value: float, element: str) -> str:
    """A number as a constant of type `float` or `double`, in which it is finite. Raises ValueError."""
    try:
        finite = isfinite(value)
    except OverflowError:  # an integer
        finite = True
    if not finite:
        raise ValueError(f"{value} is not a finite number")
    if value == 0:
        return f"{float(value)!r}{'F' if element == 'float' else ''}"
    return fraction_text(Fraction(value), element)


def fraction_text(value: Fraction, element: str) -> str:
    """The constant nearest to an exact number. Raises ValueError for what is too large, or so small that it would be zero."""
    number = _nearest_float(value) if element == "float" else _nearest_double(value)
    if number is None:
        raise ValueError(f"{_short(value)} does not fit '{element}'")
    if number == 0 and value:
        raise ValueError(f"{_short(value)} is too small for '{element}', in which it would be zero")
    return f"{number!r}{'F' if element == 'float' else ''}"


def _nearest_double(value: Fraction) -> float | None:
    try:
        return value.numerator / value.denominator  # correctly rounded, as Python's integers are divided
    except OverflowError:
        return None


def _nearest_float(value: Fraction) -> float | None:
    """The nearest number of type `float`, ties to even; rounding to `double` first could round twice."""
    wide = _nearest_double(value)
    if wide is None:
        return None
    try:
        (bits,) = struct.unpack("<I", struct.pack("<f", abs(wide)))
    except OverflowError:
        return None
    near = [struct.unpack("<f", struct.pack("<I", b))[0] for b in (bits - 1, bits, bits + 1) if 0 <= b < 0x7F800000]
    size = abs(value)
    best: float = min(near, key=lambda each: (abs(Fraction(each) - size), struct.unpack("<I", struct.pack("<f", each))[0] & 1))
    return best if value >= 0 else -best


def _short(value: Fraction) -> str:
    """The number in few digits."""
    digits = len(str(abs(value.numerator))) - len(str(value.denominator))
    return str(value) if len(str(value)) < 30 else f"a number of about 10**{digits}"


def any_number_text(value: float, element: str) -> str:
    """The same, but infinities and NaN may be."""
    if isnan(value):
        return "NAN"
    if isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return number_text(value, element)
