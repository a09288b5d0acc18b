"""Constant folding that never changes a result: integers wrap as the machine's do, floats round in their own type.

What is undefined (division by zero, shifts out of range, conversions that do not fit) is left for run time.
"""

from __future__ import annotations

import math

from rv.ir.types import F32
from rv.ir.values import decode_float, encode_float
from tensorrv.frontend.c.tree.nodes import ArithmeticOp, CompareOp, Literal
from tensorrv.frontend.c.types.c_types import ArithmeticC, CType, FloatingC, IntegerC


def wrap(type_: IntegerC, value: int) -> int:
    """The value of the type that is congruent to `value`."""
    value &= (1 << type_.bits) - 1
    return value - (1 << type_.bits) if type_.signed and value >> (type_.bits - 1) else value


def round_to(type_: FloatingC, value: float) -> float:
    """`value` in the precision of the type."""
    return value if type_.bits == 64 or math.isnan(value) else decode_float(F32, encode_float(F32, value))


def fold_convert(type_: CType, literal: Literal) -> Literal | None:
    """The literal converted to an arithmetic type."""
    value = literal.value
    match type_:
        case IntegerC(name="_Bool"):
            return Literal(type_, int(value != 0), literal.span)
        case IntegerC():
            if isinstance(value, float):
                if not math.isfinite(value) or wrap(type_, int(value)) != int(value):
                    return None
                value = int(value)
            return Literal(type_, wrap(type_, value), literal.span)
        case FloatingC(bits=bits):
            if isinstance(value, int):
                value = _nearest_integer(value, 24 if bits == 32 else 53)
            return Literal(type_, round_to(type_, value), literal.span)
        case _:
            return None


def _nearest_integer(value: int, digits: int) -> float:
    """Round an integer once to `digits` binary digits, half to even."""
    excess = max(abs(value).bit_length() - digits, 0)
    quotient, rest = divmod(abs(value), 1 << excess)
    half = (1 << excess) >> 1
    if excess and (rest > half or (rest == half and quotient & 1)):
        quotient += 1
    return math.copysign(float(quotient << excess), value)


def fold_arithmetic(type_: ArithmeticC, op: ArithmeticOp, left: int | float, right: int | float) -> int | float | None:
    """`left op right` in `type_`, or None when it is left for run time."""
    if isinstance(type_, FloatingC):
        result = _fold_float(op, float(left), float(right))
        return None if result is None else round_to(type_, result)
    assert isinstance(left, int) and isinstance(right, int)
    exact = _fold_integer(type_, op, left, right)
    return None if exact is None else wrap(type_, exact)


def _fold_integer(type_: IntegerC, op: ArithmeticOp, a: int, b: int) -> int | None:
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" | "%" if b == 0:
            return None
        case "/":
            return abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
        case "%":
            return abs(a) % abs(b) * (-1 if a < 0 else 1)
        case "<<" | ">>" if not 0 <= b < type_.bits:
            return None
        case "<<":
            return a << b
        case ">>":
            return a >> b
        case "&":
            return a & b
        case "|":
            return a | b
        case "^":
            return a ^ b


def _fold_float(op: ArithmeticOp, a: float, b: float) -> float | None:
    # a float result that is rounded to double first is still right: double has more than twice the digits of float
    match op:
        case "+":
            return a + b
        case "-":
            return a - b
        case "*":
            return a * b
        case "/" if b != 0:
            return a / b
        case "/" if a == 0 or math.isnan(a) or math.isnan(b):
            return math.nan
        case "/":
            return math.copysign(math.inf, math.copysign(1, a) * math.copysign(1, b))
        case _:
            return None


def fold_compare(op: CompareOp, left: int | float, right: int | float) -> int:
    """The truth of a comparison of two numbers of one type."""
    match op:
        case "==":
            return int(left == right)
        case "!=":
            return int(left != right)
        case "<":
            return int(left < right)
        case "<=":
            return int(left <= right)
        case ">":
            return int(left > right)
        case ">=":
            return int(left >= right)
