"""The operations of P-LLVM in Python, for the interpreters: what one thread does, in terms of the texts of its variables.

Integers and pointers are non-negative Python ints (bit patterns), truth values also Python bools, floating-point numbers Python
floats, undefined values `UNDEFINED`. Functions and views of memory that texts mention are those of `rv.semantics.scope`.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from rv.ir.instructions import (
    Binary,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ElementPointer,
    Freeze,
    Load,
    Negate,
    Select,
    Store,
)
from rv.ir.types import FloatType, Type, bits_of, size_of
from rv.ir.values import Const, Undef, Value, Var
from rv.semantics.arithmetic import number_of_bits
from rv.semantics.memory import OFFSET_MASK, REGION_BITS, element_code

_ADDRESS_MASK = (1 << 256) - 1
"""Beyond 64 bits: what wrapped on the way is an address of no region, so that accesses there are faults."""
_SIGNED = {"slt": "<", "sle": "<=", "sgt": ">", "sge": ">="}
_UNSIGNED = {"eq": "==", "ne": "!=", "ult": "<", "ule": "<=", "ugt": ">", "uge": ">="}
_ORDERED = {"oeq": "==", "olt": "<", "ole": "<=", "ogt": ">", "oge": ">=", "une": "!="}
# true for NaNs: the opposite of the ordered opposite
_UNORDERED = {"ult": ">=", "ule": ">", "ugt": "<=", "uge": "<"}
_ARITHMETIC = {"add": "+", "sub": "-", "mul": "*", "and": "&", "or": "|", "xor": "^", "fadd": "+", "fsub": "-", "fmul": "*"}
_FUNCTIONS = {
    "sdiv": "divide_signed",
    "srem": "remainder_signed",
    "shl": "shift_left",
    "lshr": "shift_right",
    "ashr": "shift_right_signed",
    "sadd_sat": "add_saturating",
    "ssub_sat": "subtract_saturating",
}
Pure = Binary | Negate | Freeze | CompareInt | CompareFloat | Select | Convert | ElementPointer
Local = Callable[[Var], str]


def value_text(value: Value, local: Local) -> str:
    """An operand; `local` gives the text of a variable."""
    match value:
        case Var():
            return local(value)
        case Undef():
            return "UNDEFINED"
        case Const(type=FloatType(width), bits=bits):
            return _float_literal(number_of_bits(bits, width))
        case Const(bits=bits):
            return str(bits)


def statement_lines(instruction: Pure | Load | Store | Call, local: Local) -> list[str]:
    """The statements that execute an instruction: first what may raise `Misaligned`, then the assignment, then rounding."""

    def text(value: Value) -> str:
        return value_text(value, local)

    match instruction:
        case Store(value=value, pointer=pointer):
            return [*_alignment(value.type, text(pointer)), f"{_element(value.type, text(pointer))} = {text(value)}"]
        case Load(result=result, pointer=pointer):
            truth = " & 1" if bits_of(result.type) == 1 else ""
            loaded = f"{local(result)} = {_element(result.type, text(pointer))}{truth}"
            return [*_alignment(result.type, text(pointer)), loaded]
        case Call(result=result, callee=callee, arguments=arguments):
            target = "" if result is None else f"{local(result)} = "
            return [f"{target}call({', '.join([repr(callee), *map(text, arguments)])})"]
        case _:
            name = local(instruction.result)
            rounding = f"if {name} is not UNDEFINED: binary32[0] = {name}; {name} = binary32[0]"
            return [f"{name} = {pure_text(instruction, local)}", *([rounding] if _is_rounded(instruction) else [])]


def _alignment(type_: Type, address: str) -> list[str]:
    """The check of an address, where the type needs one."""
    size = size_of(type_)
    return [f"if {address} & {size - 1}: raise Misaligned()"] if size > 1 else []


def _element(type_: Type, address: str) -> str:
    """The place in memory at an address that is aligned; out of bounds is an IndexError of the view."""
    size = size_of(type_)
    shift = f"({address} & {OFFSET_MASK}) >> {size.bit_length() - 1}" if size > 1 else f"{address} & {OFFSET_MASK}"
    return f"memory_{element_code(type_)}[{address} >> {REGION_BITS}][{shift}]"


def _is_rounded(instruction: Pure) -> bool:
    """Whether the result is a binary32 number that `pure_text` leaves unrounded."""
    return instruction.result.type == FloatType(32) and isinstance(instruction, Binary | Convert)


def pure_text(instruction: Pure, local: Local) -> str:
    """The value of a pure instruction; binary32 results are not rounded yet (`statement_lines` does)."""

    def text(value: Value) -> str:
        return value_text(value, local)

    match instruction:
        case Binary(op=op, left=left, right=right):
            return binary_text(op, text(left), text(right), bits_of(left.type))
        case Negate(value=value):
            return f"-{text(value)}"
        case Freeze(value=value):
            return f"(0 if {text(value)} is UNDEFINED else {text(value)})"
        case CompareInt(predicate=predicate, left=left, right=right):
            return compare_int_text(predicate, text(left), text(right), bits_of(left.type))
        case CompareFloat(predicate=predicate, left=left, right=right):
            return _compare_float(predicate, text(left), text(right))
        case Select(condition=condition, then=then, otherwise=otherwise):
            test = text(condition)
            choice = f"({text(then)} if {test} else {text(otherwise)})"
            return f"{choice} if {test} is not UNDEFINED else UNDEFINED" if not isinstance(condition, Const) else choice
        case Convert(result=result, op="bitcast", value=value):
            function = "number_of_pattern" if isinstance(result.type, FloatType) else "pattern_of_number"
            return f"{function}({text(value)}, {bits_of(result.type)})"
        case Convert(result=result, op=op, value=value):
            return _convert(op, text(value), bits_of(value.type), bits_of(result.type))
        case ElementPointer(base=base, element=element, indices=indices, extents=extents):
            offset = _signed(indices[0], local)
            for index, extent in zip(indices[1:], extents, strict=True):
                offset = f"({offset} * {_signed(extent, local)} + {_signed(index, local)})"
            return f"({text(base)} + {size_of(element)} * {offset}) & {_ADDRESS_MASK}"


def _signed(value: Value, local: Local) -> str:
    """A subscript as the number that it means."""
    if isinstance(value, Const):
        return str(value.signed)
    return f"(({value_text(value, local)} ^ {1 << 63}) - {1 << 63})"


def binary_text(op: str, left: str, right: str, bits: int) -> str:
    if op in ("and", "or", "xor", "fadd", "fsub", "fmul"):
        return f"{left} {_ARITHMETIC[op]} {right}"
    if op in _ARITHMETIC:
        return f"({left} {_ARITHMETIC[op]} {right}) & {(1 << bits) - 1}"
    if op == "fdiv":
        return f"divide_float({left}, {right})"
    if op in ("udiv", "urem"):
        return f"{'divide_unsigned' if op == 'udiv' else 'remainder_unsigned'}({left}, {right})"
    return f"{_FUNCTIONS[op]}({left}, {right}, {bits})"


def _float_literal(number: float) -> str:
    if math.isnan(number):
        return "nan"
    if math.isinf(number):
        return "inf" if number > 0 else "(-inf)"
    return f"({number!r})"


def compare_int_text(predicate: str, left: str, right: str, bits: int) -> str:
    if predicate in _UNSIGNED:
        return f"{left} {_UNSIGNED[predicate]} {right}"
    # flipping the sign bit maps signed order to unsigned order
    sign = 1 << (bits - 1)
    return f"({left} ^ {sign}) {_SIGNED[predicate]} ({right} ^ {sign})"


def _compare_float(predicate: str, left: str, right: str) -> str:
    if predicate in _ORDERED:
        return f"{left} {_ORDERED[predicate]} {right}"
    if predicate in _UNORDERED:
        return f"({left} {_UNORDERED[predicate]} {right}) ^ True"
    different = f"(({left} < {right}) | ({left} > {right}))"
    ordered = f"(({left} == {left}) & ({right} == {right}))"
    match predicate:
        case "one":
            return different
        case "ueq":
            return f"{different} ^ True"
        case "ord":
            return ordered
        case _:
            return f"{ordered} ^ True"


def _convert(op: str, value: str, source: int, result: int) -> str:
    match op:
        case "trunc" | "ptrtoint":
            return f"{value} & {(1 << result) - 1}"
        case "sext":
            sign = 1 << (source - 1)
            return f"(({value} ^ {sign}) - {sign}) & {(1 << result) - 1}"
        case "fptosi":
            return f"float_to_signed({value}, {result})"
        case "fptoui":
            return f"float_to_unsigned({value}, {result})"
        case "sitofp" | "uitofp":
            return f"integer_to_float({value}, {source}, {result}, {op == 'sitofp'})"
        case _:
            return value  # zext, fpext, and fptrunc before its rounding
