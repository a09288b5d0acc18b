"""Variables of the module: constants are data of the kernel, what other files see is there by its name."""

from __future__ import annotations

from typing import Final

from rv.evolution.polynomial import Polynomial
from rv.ir.types import PTR, PointerType, size_of
from rv.ir.values import Const, Value
from tensorrv.frontend.llvm_ir.lower import operands as lower_operands
from tensorrv.frontend.llvm_ir.lower.state import Lowering, plain_name
from tensorrv.frontend.llvm_ir.tokens import Cursor, tokens_of
from tensorrv.frontend.llvm_ir.types import (
    ArrayType,
    LlvmType,
    Plain,
    StructType,
    Unsized,
    byte_size,
    field_offset,
    kinds,
)
from tensorrv.unit.elements import number_of
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.symbols import GlobalSymbol, Symbol, TextSymbol

_WORDS: Final = frozenset(
    "private internal available_externally linkonce weak common appending extern_weak linkonce_odr weak_odr external dso_local "
    "dso_preemptable hidden protected default dllimport dllexport thread_local unnamed_addr local_unnamed_addr "
    "externally_initialized".split()
)
_HIDDEN: Final = frozenset(("private", "internal"))


def address(s: Lowering, name: str) -> Value:
    """The parameter that stands for the address of a variable."""
    if name not in s.symbols:
        if name not in s.module.variables:
            s.refuse(f"the address of the function '{name}' is used", "not called")
        var = s.fresh.variable(plain_name(name), PTR)
        s.symbols[name] = var, _symbol(s, name, var.name)
    return s.symbols[name][0]


def _symbol(s: Lowering, name: str, called: str) -> Symbol:
    cursor = Cursor(tokens_of(s.module.variables[name]), s.module.types)
    words = cursor.words(_WORDS)
    cursor.skip_nested()
    if "thread_local" in words:
        s.refuse(f"'{name}' is thread-local", "one variable for each thread")
    constant = cursor.accept("constant")
    if not constant:
        cursor.expect("global")
    type_ = cursor.type()
    try:
        if constant and cursor.token.text not in (",", ""):
            return TextSymbol(_content(s, cursor, type_))
        if words & _HIDDEN:
            s.refuse(f"the variable '{name}' is only seen in its module", "not reachable from other code", "pass its address")
        return _global(s, name, called, type_, constant, defined="external" not in words)
    except Unsized as unsized:
        s.refuse(f"the size of {unsized} in '{name}' is not known", "a variable of the module")


def _global(s: Lowering, name: str, called: str, type_: LlvmType, constant: bool, defined: bool) -> Symbol:
    elements = kinds(type_)
    if len(elements) != 1:
        s.refuse(f"the variable '{name}' is a struct", "a variable of the module", "pass its address")
    (element,) = elements
    if isinstance(element, PointerType):
        s.refuse(f"the variable '{name}' holds pointers", "a variable of the module", "pass them")
    number = number_of(element, signed=True)
    size = byte_size(type_)
    length = Polynomial.constant(size // size_of(element))
    described = Parameter(called, f"{number.c_type} {called}[]", number, 1, (length,), constant, False, None)
    return GlobalSymbol(name, defined, described, size)


def _content(s: Lowering, cursor: Cursor, type_: LlvmType) -> bytes:
    """The bytes of an initialiser."""
    size = byte_size(type_)
    token = cursor.token
    if token.text in ("zeroinitializer", "undef", "poison"):
        cursor.take()
        return bytes(size)
    match type_:
        case Plain(plain):
            number = lower_operands.value(s, cursor, plain)
            if not isinstance(number, Const) or (number.type == PTR and number.bits):
                s.refuse("a constant of the module holds an address", "not a number")
            return number.bits.to_bytes(size, "little")
        case ArrayType() if token.kind == "string":
            return _text(cursor.take().text)
        case ArrayType(count, element):
            cursor.expect("[")
            parts = [_part(s, cursor, element, k) for k in range(count)]
            cursor.expect("]")
            return b"".join(parts)
        case StructType(fields=fields):
            cursor.expect("<") if type_.packed else None
            cursor.expect("{")
            made = bytearray(size)
            for k, field in enumerate(fields):
                part = _part(s, cursor, field, k)
                start = field_offset(type_, k)
                made[start : start + len(part)] = part
            cursor.expect("}")
            cursor.expect(">") if type_.packed else None
            return bytes(made)
        case _:
            raise Unsized(type_.text)


def _part(s: Lowering, cursor: Cursor, type_: LlvmType, number: int) -> bytes:
    if number:
        cursor.expect(",")
    cursor.type()
    return _content(s, cursor, type_)


def _text(literal: str) -> bytes:
    r"""The bytes of `c"...\00"`."""
    inside = literal.removeprefix("c").strip('"').encode()
    made = bytearray()
    position = 0
    while position < len(inside):
        if inside[position : position + 1] == b"\\":
            made.append(int(inside[position + 1 : position + 3], 16))
            position += 3
        else:
            made.append(inside[position])
            position += 1
    return bytes(made)

