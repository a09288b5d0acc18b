"""One instruction made simpler: constants folded, identities that are exact for every operand applied.

    %a = add i32 2, 3                     5
    %b = mul i32 %x, 1                    %x
    %c = add nsw i32 5, %x                add nsw i32 %x, 5
    %d = zext i1 %t to i32
    %e = icmp ne i32 %d, 0                %t
    %f = fadd double %y, -0x0.0p+0        %y            (but not %y + 0.0, which turns -0.0 into 0.0)

Constants are folded by the interpreter, so that there is one arithmetic; what is undefined there, and what depends on the machine
(NaNs with their payloads, fmin and fmax of zeros), stays as it is. Floating-point identities keep every bit of every number.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import lru_cache
from typing import Final, cast

from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition
from rv.ir.comparisons import NEGATED, NEGATED_FLOAT, SWAPPED
from rv.ir.function import Block, Function
from rv.ir.instructions import (
    Binary,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    Instruction,
    IntPredicate,
    Negate,
    Return,
    Select,
    operands,
)
from rv.ir.types import F32, I1, FloatType, IntType, bits_of
from rv.ir.values import FALSE, TRUE, Const, Value, Var, const_float, const_int, encode_float
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.semantics.undefined import Undefined

_COMMUTATIVE: Final = frozenset({"add", "mul", "and", "or", "xor"})

Definitions = Mapping[str, Definition]


def fold(instruction: Instruction, known: Definitions) -> Value | Instruction:
    """The value that the instruction computes, or a simpler instruction with the same result, or the instruction itself."""
    if all(isinstance(value, Const) for value in operands(instruction)) and is_speculatable(instruction):
        return instruction if _depends_on_machine(instruction) else _evaluate(instruction) or instruction
    match instruction:
        case Binary(result=result) if isinstance(result.type, IntType):
            return _fold_integer(instruction, known)
        case Binary():
            return _fold_float(instruction)
        case Negate(value=value):
            inner = _definition(value, known)
            return inner.value if isinstance(inner, Negate) else instruction
        case CompareInt():
            return _fold_comparison(instruction, known)
        case Select():
            return _fold_select(instruction)
        case Convert():
            return _fold_conversion(instruction, known)
        case _:
            return instruction


def _definition(value: Value, known: Definitions) -> Definition | None:
    return known.get(value.name) if isinstance(value, Var) else None


def _depends_on_machine(instruction: Instruction) -> bool:
    """A minimum or maximum of zeros: which one of those with different signs it is differs between C libraries."""
    match instruction:
        case Call(callee="fmin" | "fminf" | "fmax" | "fmaxf", arguments=(Const() as one, Const() as two)):
            return one.number == two.number == 0 and one != two
        case _:
            return False


@lru_cache(maxsize=4096)
def _evaluate(instruction: Instruction) -> Const | None:
    """The constant that an instruction on constants computes; None where it is undefined or a NaN."""
    result = instruction.result
    if result is None or not isinstance(result.type, IntType | FloatType):
        return None
    block = Block("entry", (), (instruction,), Return(result))
    try:
        value = run(Function("constant", (), result.type, (block,)), (), Memory())
    except Undefined:
        return None
    match result.type, value:
        case IntType(), int():
            return const_int(result.type, value)
        case FloatType(), float() if value == value:
            return Const(result.type, encode_float(result.type, value))
        case _:
            return None


def _fold_integer(it: Binary, known: Definitions) -> Value | Instruction:
    left, right = it.left, it.right
    type_ = cast(IntType, it.result.type)
    if isinstance(left, Const) and not isinstance(right, Const) and it.op in _COMMUTATIVE:
        return replace(it, left=right, right=left)
    zero, ones = const_int(type_, 0), const_int(type_, -1)
    if left == right and isinstance(left, Var):
        if it.op in ("sub", "xor"):
            return zero
        if it.op in ("and", "or"):
            return left
    if not isinstance(right, Const):
        return it
    match it.op:
        case "add" | "sub" | "or" | "xor" | "shl" | "lshr" | "ashr" if right == zero:
            return left
        case "mul" | "sdiv" | "udiv" if right == const_int(type_, 1) and type_ != I1:
            return left
        case "mul" | "and" if right == zero:
            return zero
        case "and" if right == ones:
            return left
        case "or" if right == ones:
            return ones
        case "xor" if right == TRUE:
            return _inverted(it, known)
        case "sub" if right.bits != 1 << (type_.bits - 1):
            return replace(it, op="add", right=const_int(type_, -right.signed))
        case "add":
            return _reassociated(it, right, known)
        case _:
            return it


def _inverted(it: Binary, known: Definitions) -> Value | Instruction:
    """`not` of a comparison is the opposite comparison, `not` of `not` the value."""
    match _definition(it.left, known):
        case CompareInt() as inner:
            return replace(inner, result=it.result, predicate=NEGATED[inner.predicate])
        case CompareFloat() as inner:
            return replace(inner, result=it.result, predicate=NEGATED_FLOAT[inner.predicate])
        case Binary(op="xor", left=left, right=right) if right == TRUE:
            return left
        case _:
            return it


def _reassociated(it: Binary, right: Const, known: Definitions) -> Instruction:
    """(x + a) + b becomes x + (a + b); exact if both were and the sum of the constants is."""
    match _definition(it.left, known):
        case Binary(op="add", left=inner, right=Const() as constant, nsw=nsw):
            total = constant.signed + right.signed
            folded = const_int(cast(IntType, it.result.type), total)
            return replace(it, left=inner, right=folded, nsw=nsw and it.nsw and folded.signed == total)
        case _:
            return it


def _fold_float(it: Binary) -> Value | Instruction:
    """x + -0.0, x - 0.0, x * 1.0 and x / 1.0 are x, for zeros of both signs, infinities and NaNs too."""
    if not isinstance(it.right, Const):
        return it
    neutral = {"fadd": -0.0, "fsub": 0.0, "fmul": 1.0, "fdiv": 1.0}[it.op]
    type_ = cast(FloatType, it.result.type)
    return it.left if it.right == Const(type_, encode_float(type_, neutral)) else it


def _fold_comparison(it: CompareInt, known: Definitions) -> Value | Instruction:
    left, right = it.left, it.right
    if left == right and isinstance(left, Var):
        return TRUE if it.predicate in ("eq", "sle", "sge", "ule", "uge") else FALSE
    if isinstance(left, Const) and not isinstance(right, Const):
        return replace(it, left=right, right=left, predicate=SWAPPED[it.predicate])
    narrow = _narrow_comparison(it, known)
    if narrow is not None:
        return narrow
    if it.predicate not in ("eq", "ne") or not isinstance(right, Const):
        return it
    if left.type == I1:
        return left if (it.predicate == "eq") == (right == TRUE) else Binary(it.result, "xor", left, TRUE, span=it.span)
    match _definition(left, known):
        case Convert(op="zext", value=truth) if truth.type == I1 and right.bits == 0:
            return truth if it.predicate == "ne" else Binary(it.result, "xor", truth, TRUE, span=it.span)
        case _:
            return it


def _narrow_comparison(it: CompareInt, known: Definitions) -> CompareInt | None:
    """Comparing two values that were extended alike is comparing the values; zero extension makes it unsigned."""
    first = _definition(it.left, known)
    if not isinstance(first, Convert) or first.op not in ("zext", "sext") or first.value.type == I1:
        return None
    type_ = cast(IntType, first.value.type)
    second = _shortened(it.right, type_, first.op, known)
    if second is None:
        return None
    predicate = it.predicate if first.op == "sext" else cast(IntPredicate, it.predicate.replace("s", "u", 1))
    return replace(it, predicate=predicate, left=first.value, right=second)


def _shortened(value: Value, type_: IntType, extension: str, known: Definitions) -> Value | None:
    """What gives `value` when it is extended from `type_` in this way."""
    if isinstance(value, Const):
        low, high = (0, 1 << type_.bits) if extension == "zext" else (-(1 << type_.bits - 1), 1 << type_.bits - 1)
        return const_int(type_, value.signed) if low <= value.signed < high else None
    match _definition(value, known):
        case Convert(op=op, value=source) if op == extension and source.type == type_:
            return source
        case _:
            return None


def _truncated(value: Value, type_: IntType, known: Definitions) -> Value | None:
    """The low bits of `value` as a value that exists already."""
    if isinstance(value, Const):
        return const_int(type_, value.signed)
    match _definition(value, known):
        case Convert(op="zext" | "sext", value=source) if source.type == type_:
            return source
        case _:
            return None


def _narrow_arithmetic(it: Convert, known: Definitions) -> Instruction | None:
    """The low bits of a sum, a difference, a product or a choice are those of the low bits."""
    type_ = cast(IntType, it.result.type)
    match _definition(it.value, known):
        case Binary(op="add" | "sub" | "mul" | "and" | "or" | "xor" as op, left=left, right=right) if type_ != I1:
            a, b = _truncated(left, type_, known), _truncated(right, type_, known)
            return None if a is None or b is None else Binary(it.result, op, a, b, span=it.span)
        case Select(condition=condition, then=then, otherwise=otherwise):
            a, b = _truncated(then, type_, known), _truncated(otherwise, type_, known)
            return None if a is None or b is None else Select(it.result, condition, a, b, span=it.span)
        case _:
            return None


def _narrow_float(it: Convert, known: Definitions) -> Instruction | None:
    """One operation in double precision on two floats, rounded to float, is that operation on floats.

    A double has more than twice the digits of a float and two more: rounding twice is rounding once (Figueroa, 1995). That holds
    for subnormal results too, which have fewer digits.
    """
    match _definition(it.value, known):
        case Binary(op="fadd" | "fsub" | "fmul" | "fdiv" as op, left=left, right=right) if it.result.type == F32:
            a, b = _as_float(left, known), _as_float(right, known)
            return None if a is None or b is None else Binary(it.result, op, a, b, span=it.span)
        case _:
            return None


def _as_float(value: Value, known: Definitions) -> Value | None:
    """The float that a double was made from; None when it is not known to be a float."""
    if isinstance(value, Const):
        narrow = const_float(F32, value.number)
        return narrow if narrow.number == value.number else None
    match _definition(value, known):
        case Convert(op="fpext", value=source) if source.type == F32:
            return source
        case _:
            return None


def _fold_select(it: Select) -> Value | Instruction:
    if it.then == it.otherwise:
        return it.then
    if isinstance(it.condition, Const):
        return it.then if it.condition == TRUE else it.otherwise
    if it.then == TRUE and it.otherwise == FALSE:
        return it.condition
    if it.then == FALSE and it.otherwise == TRUE:
        return Binary(it.result, "xor", it.condition, TRUE, span=it.span)
    return it


def _fold_conversion(it: Convert, known: Definitions) -> Value | Instruction:
    inner = _definition(it.value, known)
    narrow = _narrow_arithmetic(it, known) if it.op == "trunc" else _narrow_float(it, known) if it.op == "fptrunc" else None
    if narrow is not None:
        return narrow
    if not isinstance(inner, Convert):
        return it
    source, width = inner.value, bits_of(it.result.type)
    match it.op, inner.op:
        case ("zext", "zext") | ("sext", "sext") | ("trunc", "trunc"):
            return replace(it, value=source)
        case "sext", "zext":
            return replace(it, op="zext", value=source)
        case "trunc", "zext" | "sext":
            if width == bits_of(source.type):
                return source
            return replace(it, op="trunc" if width < bits_of(source.type) else inner.op, value=source)
        case "fptrunc", "fpext":
            return source
        case _:
            return it
