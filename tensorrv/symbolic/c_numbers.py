"""Numbers of formulas as constants in C."""

from __future__ import annotations

import struct
from math import isfinite, isinf, isnan


def number_text(value: float, element: str) -> str:
    """A number as a constant of type `float` or `double`, in which it is finite. Raises ValueError."""
    single = element == "float"
    try:
        number = float(value)
        struct.pack("<f" if single else "<d", number)
    except OverflowError:
        raise ValueError(f"{value} does not fit '{element}'") from None
    if not isfinite(number):
        raise ValueError(f"{value} is not a finite number")
    return f"{number!r}{'F' if single else ''}"


def any_number_text(value: float, element: str) -> str:
    """The same, but infinities and NaN may be."""
    if isnan(value):
        return "NAN"
    if isinf(value):
        return "INFINITY" if value > 0 else "-INFINITY"
    return number_text(value, element)
