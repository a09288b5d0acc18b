"""Lowering of the macros that classify floating-point numbers: comparisons of the number, its absolute value or its bits."""

from __future__ import annotations

from typing import Final

from rv.ir.instructions import Call, CompareFloat, CompareInt, FloatPredicate
from rv.ir.source import Span
from rv.ir.types import F32, I1, I32, I64, FloatType
from rv.ir.values import FALSE, Value, const_float, const_int
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.state import Lowering
from tensorrv.frontend.c.tree.nodes import Classify

_SMALLEST_NORMAL: Final = {32: 2.0**-126, 64: 2.0**-1022}


def value(s: Lowering, e: Classify) -> Value:
    """The answer as an int."""
    operands = [lower_values.value(s, operand) for operand in e.operands]
    if e.op == "signed infinite":
        positive = s.resize(_is_infinity(s, operands[0], "inf", e.span), I32, False, e.span)
        negative = _is_infinity(s, operands[0], "-inf", e.span)
        return lower_values.select(s, negative, const_int(I32, -1), positive, e.span)
    return s.resize(_truth(s, e, operands), I32, False, e.span)


def truth(s: Lowering, e: Classify) -> Value:
    """The answer as a truth value."""
    return _truth(s, e, [lower_values.value(s, operand) for operand in e.operands])


def _truth(s: Lowering, e: Classify, operands: list[Value]) -> Value:
    number = operands[0]
    assert isinstance(number.type, FloatType)
    infinity = const_float(number.type, float("inf"))
    match e.op:
        case "nan":
            return _compared(s, "uno", number, number, e.span)
        case "unordered":
            return _compared(s, "uno", number, operands[1], e.span)
        case "different":
            return _compared(s, "one", number, operands[1], e.span)
        case "infinite" | "signed infinite":
            return _compared(s, "oeq", _size(s, number, e.span), infinity, e.span)
        case "finite":
            return _compared(s, "olt", _size(s, number, e.span), infinity, e.span)
        case "normal":
            size = _size(s, number, e.span)
            smallest = const_float(number.type, _SMALLEST_NORMAL[32 if number.type == F32 else 64])
            large = _compared(s, "oge", size, smallest, e.span)
            return lower_values.select(s, large, _compared(s, "olt", size, infinity, e.span), FALSE, e.span)
        case "negative":
            integer = I32 if number.type == F32 else I64
            bits, negative = s.convert("bitcast", number, integer, e.span), s.builder.temp(I1)
            s.builder.emit(CompareInt(negative, "slt", bits, const_int(integer, 0), e.span))
            return negative


def _is_infinity(s: Lowering, number: Value, which: str, span: Span | None) -> Value:
    assert isinstance(number.type, FloatType)
    return _compared(s, "oeq", number, const_float(number.type, float(which)), span)


def _size(s: Lowering, number: Value, span: Span | None) -> Value:
    result = s.builder.temp(number.type)
    s.builder.emit(Call(result, "fabsf" if number.type == F32 else "fabs", (number,), span))
    return result


def _compared(s: Lowering, predicate: FloatPredicate, left: Value, right: Value, span: Span | None) -> Value:
    result = s.builder.temp(I1)
    s.builder.emit(CompareFloat(result, predicate, left, right, span))
    return result
