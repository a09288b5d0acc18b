"""C literals: integer constants (C11 6.4.4.1), floating constants (6.4.4.2), character constants (6.4.4.4)."""

from __future__ import annotations

import re
from typing import Final

from rv.ir.source import Span
from rv.ir.types import F32
from rv.ir.values import decode_float, encode_float
from tensorrv.frontend.c.failures import give_up, refuse
from tensorrv.frontend.c.tree.nodes import Literal
from tensorrv.frontend.c.types.c_types import DOUBLE, FLOAT, INT, LLONG, LONG, UINT, ULLONG, ULONG, IntegerC

_INTEGER: Final = re.compile(r"(0[xX][0-9a-fA-F]+|0[bB][01]+|0[0-7]*|[1-9][0-9]*)([uU]?(?:ll|LL|l|L)?[uU]?)")
_SIMPLE_ESCAPES: Final = {
    "n": 10,
    "t": 9,
    "r": 13,
    "0": 0,
    "a": 7,
    "b": 8,
    "f": 12,
    "v": 11,
    "\\": 92,
    "'": 39,
    '"': 34,
    "?": 63,
    "e": 27,
}


def integer_literal(text: str, span: Span | None) -> Literal:
    """The constant and its type: the first in the list of 6.4.4.1 that can hold the value."""
    match_ = _INTEGER.fullmatch(text)
    if match_ is None or match_[2].lower().count("u") > 1:
        refuse("TRV020", f"'{text}' is not a valid integer constant", span, "check its digits and suffix")
    digits, suffix = match_[1], match_[2].lower()
    base = 16 if digits[:2].lower() == "0x" else 2 if digits[:2].lower() == "0b" else 8 if digits[0] == "0" else 10
    value = int(digits[2:] if base in (2, 16) else digits, base)
    for type_ in _candidates(suffix, decimal=base == 10):
        if value < 1 << (type_.bits - type_.signed):
            return Literal(type_, value, span)
    refuse("TRV020", f"the constant {text} is too large for every integer type", span, "needs more than 64 bits")


def _candidates(suffix: str, decimal: bool) -> tuple[IntegerC, ...]:
    longs = suffix.count("l")
    signed, unsigned = (INT, LONG, LLONG)[longs:], (UINT, ULONG, ULLONG)[longs:]
    if "u" in suffix:
        return unsigned
    if decimal:
        return signed
    return tuple(t for pair in zip(signed, unsigned, strict=True) for t in pair)


def floating_literal(text: str, span: Span | None) -> Literal:
    """The nearest number of its type; hexadecimal floats are exact before rounding."""
    suffix = text[-1].lower()
    if suffix == "l":
        give_up(
            "TRV032",
            "long double is not supported",
            span,
            "a long double constant",
            hint="drop the suffix L to compute in double",
        )
    single = suffix == "f" and (not text.lower().startswith("0x") or "p" in text.lower())
    digits = text[:-1] if single else text
    try:
        value = _nearest_single(digits) if single else _nearest_double(digits)
    except ValueError:
        refuse("TRV020", f"'{text}' is not a valid floating constant", span, "check its digits and suffix")
    return Literal(FLOAT if single else DOUBLE, value, span)


def _nearest_double(digits: str) -> float:
    if digits.lower().startswith("0x"):
        try:
            return float.fromhex(digits)
        except OverflowError:
            return float("inf")
    return float(digits)


def _nearest_single(digits: str) -> float:
    """Round once, from the exact decimal value: rounding to double first could round twice."""
    double = _nearest_double(digits)
    single = decode_float(F32, encode_float(F32, double))
    if digits.lower().startswith("0x") or double in (0.0, float("inf")) or single in (0.0, float("inf")):
        return single
    from fractions import Fraction

    exact = Fraction(digits)
    bits = encode_float(F32, single)
    nearby = [decode_float(F32, b) for b in (bits - 1, bits, bits + 1) if 0 <= b < 0x7F800000]
    return min(nearby, key=lambda f: (abs(Fraction(f) - exact), encode_float(F32, f) & 1))


def character_literal(text: str, span: Span | None) -> Literal:
    """A character constant has type int and the value of a (signed) char."""
    if not text.startswith("'") or not text.isascii():
        give_up("TRV044", "wide and non-ASCII character constants are not supported", span, "use a number")
    body = text[1:-1]
    if body.startswith("\\"):
        value = _escape(body[1:])
    else:
        value = ord(body) if len(body) == 1 else None
    if value is None or value > 255:
        refuse("TRV020", f"{text} is not a character constant of one character", span, "one character, or one escape")
    return Literal(INT, value - 256 if value > 127 else value, span)


def _escape(body: str) -> int | None:
    if re.fullmatch(r"x[0-9a-fA-F]+", body):
        return int(body[1:], 16)
    if re.fullmatch(r"[0-7]{1,3}", body):
        return int(body, 8)
    return _SIMPLE_ESCAPES.get(body)
