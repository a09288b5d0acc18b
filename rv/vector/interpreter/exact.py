"""Functions with exact results, and native instructions, in one lane; numbers are Python floats, integers bit patterns.

Estimates are the correctly rounded results here: what is built on them must not depend on their errors, which differ between
processors.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any, Final

from rv.ir.libm import library_function
from rv.ir.types import FloatType, IntType, Type
from rv.semantics.arithmetic import divide_float, to_binary32, to_signed
from rv.semantics.undefined import UNDEFINED

LIBRARY: Final = frozenset("sqrt fabs floor ceil trunc rint nearbyint round copysign fma".split())


def elementwise(name: str, type_: Type, operands: list[Any]) -> Any:
    """The result in one lane."""
    if any(operand is UNDEFINED for operand in operands):
        return UNDEFINED
    if name in LIBRARY:
        single = isinstance(type_, FloatType) and type_.bits == 32
        return library_function(name + ("f" if single else ""))(*operands)
    if name in ("minnum", "maxnum"):
        return _extremum(operands[0], operands[1], smaller=name == "minnum")
    assert isinstance(type_, IntType)
    return _integer(name, type_.bits, [int(operand) for operand in operands])


def _extremum(x: float, y: float, *, smaller: bool) -> float:
    if math.isnan(x) or math.isnan(y):
        return y if math.isnan(x) else x
    # -0 is below +0
    first, second = ((v, math.copysign(1.0, v)) for v in (x, y))
    return x if (first < second) == smaller else y


def _integer(name: str, bits: int, operands: list[int]) -> int | Any:
    x = operands[0]
    match name:
        case "smin" | "smax" | "umin" | "umax":
            choose = min if name.endswith("min") else max
            return choose(operands, key=(lambda v: to_signed(v, bits)) if name[0] == "s" else None)
        case "ctpop":
            return x.bit_count()
        case "cttz":
            return (x & -x).bit_length() - 1 if x else UNDEFINED
        case _:
            return bits - x.bit_length() if x else UNDEFINED


def native(name: str, type_: Type, operands: list[Any]) -> Any:
    """The result in one lane."""
    if any(operand is UNDEFINED for operand in operands):
        return UNDEFINED
    match name:
        case "pdep":
            return _deposit(operands[0], operands[1])
        case "not_finite":
            return not math.isfinite(operands[0])
        case "getexp" | "getmant":
            return library_function("__exponent" if name == "getexp" else "__mantissa")(operands[0])
        case "fma_up":
            return _fma_up(type_, *operands)
        case _:
            x = operands[0] if name == "rcp14" else library_function("sqrt")(operands[0])
            found = divide_float(1.0, x)
            return to_binary32(found) if type_ == FloatType(32) else found  # type: ignore[arg-type]


def neighbours(op: str, bits: int, operands: list[list[Any]]) -> list[Any]:
    """The sums of all lanes, in order."""
    together = 8 if op == "differences" else 2
    lanes = [_addend(op, bits, list(lane)) for lane in zip(*operands, strict=True)]
    sums = [lanes[k : k + together] for k in range(0, len(lanes), together)]
    wide = {"differences": 64, "products": 32}.get(op, 2 * bits)
    return [_total(own, wide) for own in sums]


def dots(so_far: list[Any], factors: list[list[Any]], bits: int, signs: tuple[bool, bool]) -> list[Any]:
    """The words with the products of the numbers in their places."""
    together = 32 // bits
    left, right = ([_number(lane, bits, sign) for lane in own] for own, sign in zip(factors, signs, strict=True))
    products = [UNDEFINED if a is UNDEFINED or b is UNDEFINED else a * b for a, b in zip(left, right, strict=True)]
    return [_total([word, *products[k * together : (k + 1) * together]], 32) for k, word in enumerate(so_far)]


def _number(lane: Any, bits: int, signed: bool) -> Any:
    return to_signed(lane, bits) if signed and lane is not UNDEFINED else lane


def _total(lanes: list[Any], bits: int) -> Any:
    return UNDEFINED if any(lane is UNDEFINED for lane in lanes) else sum(lanes) & ((1 << bits) - 1)


def _addend(op: str, bits: int, operands: list[Any]) -> Any:
    if any(operand is UNDEFINED for operand in operands):
        return UNDEFINED
    match op:
        case "differences":
            return abs(operands[0] - operands[1])
        case "products":
            return to_signed(operands[0], bits) * to_signed(operands[1], bits)
        case "signed":
            return to_signed(operands[0], bits)
        case _:
            return operands[0]


def _deposit(bits: int, mask: int) -> int:
    result = 0
    while mask:
        lowest = mask & -mask
        result |= lowest if bits & 1 else 0
        bits, mask = bits >> 1, mask ^ lowest
    return result


def _fma_up(type_: Type, x: float, y: float, z: float) -> float:
    """x y + z, rounded up; what is not finite, and zeros, as rounded to nearest."""
    single = type_ == FloatType(32)
    near = float(library_function("fmaf" if single else "fma")(x, y, z))
    if not all(map(math.isfinite, (x, y, z, near))) or near == 0:
        return near
    if Fraction(near) >= Fraction(x) * Fraction(y) + Fraction(z):
        return near
    return _next_above_single(near) if single else math.nextafter(near, math.inf)


def _next_above_single(x: float) -> float:
    import numpy as np

    return float(np.nextafter(np.float32(x), np.float32(np.inf)))
