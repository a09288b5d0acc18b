"""Instructions that compute. Flags are promises or permissions; those that P-LLVM has no word for are not used:

    nsw                         kept
    or disjoint                 an addition
    zext nneg, uitofp nneg      signed conversions
    icmp samesign               signed comparisons
    nuw, exact                  dropped
    fast, nnan, contract, ...   dropped: they permit other results, and the plan's floating-point mode decides on that
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, cast, get_args

from rv.ir.instructions import Call as IrCall
from rv.ir.instructions import (
    CompareFloat,
    ConvertOp,
    FloatBinaryOp,
    FloatPredicate,
    Freeze,
    IntBinaryOp,
    IntPredicate,
    Negate,
)
from rv.ir.types import F64, I1, PTR, FloatType, IntType, PointerType
from rv.ir.values import Const
from tensorrv.frontend.llvm_ir.lower import addresses as lower_addresses
from tensorrv.frontend.llvm_ir.lower import operands as lower_operands
from tensorrv.frontend.llvm_ir.lower.state import Lowering
from tensorrv.frontend.llvm_ir.tokens import Cursor

FAST_MATH: Final = frozenset("fast reassoc nnan ninf nsz arcp contract afn".split())
_INTEGER_FLAGS: Final = frozenset(("nuw", "nsw", "exact", "disjoint"))
_CONVERSION_FLAGS: Final = FAST_MATH | {"nneg", "nuw", "nsw"}
_SIGNED: Final[dict[str, IntPredicate]] = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}
_INTEGER_OPS: Final = tuple(op for op in get_args(IntBinaryOp) if not op.endswith("_sat"))


def _integers(s: Lowering, cursor: Cursor, result: str, op: str) -> None:
    flags = cursor.words(_INTEGER_FLAGS)
    left = lower_operands.typed(s, cursor)
    cursor.expect(",")
    right = lower_operands.value(s, cursor, left.type)
    nsw = "nsw" in flags
    if "disjoint" in flags:
        op, nsw = "add", True
    s.binary(cast(IntBinaryOp, op), left, right, nsw=nsw, result=s.variable(result, left.type))


def _floats(s: Lowering, cursor: Cursor, result: str, op: str) -> None:
    cursor.words(FAST_MATH)
    left = lower_operands.typed(s, cursor)
    cursor.expect(",")
    right = lower_operands.value(s, cursor, left.type)
    s.binary(cast(FloatBinaryOp, op), left, right, result=s.variable(result, left.type))


def _remainder(s: Lowering, cursor: Cursor, result: str, _: str) -> None:
    cursor.words(FAST_MATH)
    left = lower_operands.typed(s, cursor)
    cursor.expect(",")
    right = lower_operands.value(s, cursor, left.type)
    name = "fmod" if left.type == F64 else "fmodf"
    s.emit(IrCall(s.variable(result, left.type), name, (left, right), s.span))


def _negate(s: Lowering, cursor: Cursor, result: str, _: str) -> None:
    cursor.words(FAST_MATH)
    value = lower_operands.typed(s, cursor)
    s.emit(Negate(s.variable(result, value.type), value, s.span))


def _compare_integers(s: Lowering, cursor: Cursor, result: str, _: str) -> None:
    same_sign = cursor.accept("samesign")
    predicate = cast(IntPredicate, cursor.take_kind("word").text)
    left = lower_operands.typed(s, cursor)
    cursor.expect(",")
    right = lower_operands.value(s, cursor, left.type)
    if same_sign:
        predicate = _SIGNED.get(predicate, predicate)
    s.compare(predicate, left, right, s.variable(result, I1))


def _compare_floats(s: Lowering, cursor: Cursor, result: str, _: str) -> None:
    cursor.words(FAST_MATH)
    predicate = cursor.take_kind("word").text
    left = lower_operands.typed(s, cursor)
    cursor.expect(",")
    right = lower_operands.value(s, cursor, left.type)
    if predicate in ("true", "false"):
        s.bind(result, Const(I1, int(predicate == "true")))
        return
    s.emit(CompareFloat(s.variable(result, I1), cast(FloatPredicate, predicate), left, right, s.span))


def _select(s: Lowering, cursor: Cursor, result: str, _: str) -> None:
    cursor.words(FAST_MATH)
    condition = lower_operands.typed(s, cursor)
    cursor.expect(",")
    then = lower_operands.typed(s, cursor)
    cursor.expect(",")
    otherwise = lower_operands.typed(s, cursor)
    if then.type == PTR and lower_addresses.chosen(s, result, condition, then, otherwise):
        return
    s.select(condition, then, otherwise, s.variable(result, then.type))


def _freeze(s: Lowering, cursor: Cursor, result: str, _: str) -> None:
    value = lower_operands.typed(s, cursor)
    s.emit(Freeze(s.variable(result, value.type), value, s.span))


def _convert(s: Lowering, cursor: Cursor, result: str, op: str) -> None:
    flags = cursor.words(_CONVERSION_FLAGS)
    value = lower_operands.typed(s, cursor)
    cursor.expect("to")
    type_ = lower_operands.plain_type(s, cursor.type())
    if value.type == type_:
        s.bind(result, value)
        return
    if "nneg" in flags and value.type != I1:
        op = {"zext": "sext", "uitofp": "sitofp"}[op]
    if op == "ptrtoint" and type_ != IntType(64):
        s.refuse(f"an address becomes an {type_}", "addresses have 64 bits")
    if op == "bitcast" and isinstance(value.type, PointerType):
        s.refuse("a pointer becomes a number")
    if value.type == I1 and op in ("sitofp", "uitofp"):
        assert isinstance(type_, FloatType)
        value, op = s.convert("sext" if op == "sitofp" else "zext", value, IntType(32)), "sitofp"
    if type_ == I1 and op in ("fptosi", "fptoui"):
        s.refuse("a floating-point number becomes a truth value")
    s.convert(cast(ConvertOp, op), value, type_, s.variable(result, type_))


Handler = Callable[[Lowering, Cursor, str, str], None]
HANDLERS: Final[dict[str, Handler]] = {
    **dict.fromkeys(_INTEGER_OPS, _integers),
    **dict.fromkeys(get_args(FloatBinaryOp), _floats),
    **dict.fromkeys(get_args(ConvertOp), _convert),
    "frem": _remainder,
    "fneg": _negate,
    "icmp": _compare_integers,
    "fcmp": _compare_floats,
    "select": _select,
    "freeze": _freeze,
}
"""What computes a value from values, by opcode."""
