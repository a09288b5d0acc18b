"""Lowering of operations across lanes: one horizontal instruction each, on the machine's types."""

from __future__ import annotations

from typing import Final

from rv.ir.instructions import Horizontal, HorizontalOp, Mask
from rv.ir.types import I1, I32, I64, FloatType
from rv.ir.values import Value, Var
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.state import Lowering
from tensorrv.frontend.c.tree.nodes import Across
from tensorrv.frontend.c.types.c_types import IntegerC, machine_type

_SIGNED: Final[dict[str, HorizontalOp]] = {"min": "reduce_smin", "max": "reduce_smax"}
_UNSIGNED: Final[dict[str, HorizontalOp]] = {"min": "reduce_umin", "max": "reduce_umax"}
_INTEGER: Final[dict[str, HorizontalOp]] = {
    "add": "reduce_add", "mul": "reduce_mul", "and": "reduce_and", "or": "reduce_or", "xor": "reduce_xor",
}  # fmt: skip
_FLOATING: Final[dict[str, HorizontalOp]] = {
    "add": "reduce_fadd", "mul": "reduce_fmul", "min": "reduce_fmin", "max": "reduce_fmax",
}  # fmt: skip


def truth(s: Lowering, e: Across) -> Value | None:
    """The value of an operation that is a truth value by nature; None for the others."""
    if e.op == "mask":
        active = s.builder.temp(I1)
        s.builder.emit(Mask(active, e.span))
        return active
    return _emit(s, s.builder.temp(I1), e.op, e) if e.op in ("any", "all") else None


def value(s: Lowering, e: Across) -> Value:
    """The value of an operation, in the machine's type of its C type."""
    found = truth(s, e)
    if found is not None:
        return s.resize(found, I32, False, e.span)
    match e.op:
        case "ballot":
            return _emit(s, s.builder.temp(I64), "ballot", e)
        case "popcount" | "lane" | "lanes":
            return _emit(s, s.builder.temp(I32), e.op, e)
        case "first" | "last" | "shuffle":
            return _emit(s, s.builder.temp(machine_type(e.type)), e.op, e)
        case _:
            return _emit(s, s.builder.temp(machine_type(e.type)), _fold(e), e)


def _fold(e: Across) -> HorizontalOp:
    if isinstance(machine_type(e.type), FloatType):
        return _FLOATING[e.op]
    assert isinstance(e.type, IntegerC)
    return (_INTEGER | (_SIGNED if e.type.signed else _UNSIGNED))[e.op]


def _emit(s: Lowering, result: Var, op: HorizontalOp, e: Across) -> Var:
    tests = e.op in ("any", "all", "popcount", "ballot")
    operands = tuple((lower_values.truth if tests else lower_values.value)(s, operand) for operand in e.operands)
    s.builder.emit(Horizontal(result, op, operands, e.span))
    return result
