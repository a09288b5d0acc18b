"""Operands: variables, constants, variables of the module, constant expressions."""

from __future__ import annotations

import struct
from typing import Final

from rv.ir.types import FloatType, IntType, PointerType, Type
from rv.ir.values import Const, Undef, Value, const_float, const_int
from tensorrv.frontend.llvm_ir.lower import addresses as lower_addresses
from tensorrv.frontend.llvm_ir.lower import variables as lower_variables
from tensorrv.frontend.llvm_ir.lower.state import Lowering
from tensorrv.frontend.llvm_ir.tokens import Cursor
from tensorrv.frontend.llvm_ir.types import LlvmType, OtherType, Plain

_CONSTANTS: Final = frozenset(
    "true false null undef poison zeroinitializer none getelementptr inttoptr ptrtoint bitcast addrspacecast trunc sub add xor "
    "splat blockaddress dso_local_equivalent no_cfi ptrauth asm".split()
)
_VECTORIZED: Final = "let the compiler leave vectorization to this tool: -fno-vectorize -fno-slp-vectorize -fno-unroll-loops"


def plain_type(s: Lowering, type_: LlvmType) -> Type:
    """The type of a value that P-LLVM has, too. Gives up for others."""
    if isinstance(type_, Plain):
        return type_.type
    text = type_.text if isinstance(type_, OtherType) else "an array" if hasattr(type_, "count") else "a struct"
    hint = _VECTORIZED if text.startswith("<") else "numbers are i1, i8, i16, i32, i64, float and double; pointers are ptr"
    s.refuse(f"a value has the type {text}", "not a number or pointer that P-LLVM has", hint, "TRV056")


def typed(s: Lowering, cursor: Cursor) -> Value:
    """A type, perhaps attributes, and a value of the type."""
    type_ = plain_type(s, cursor.type())
    skip_attributes(cursor)
    return value(s, cursor, type_)


def skip_attributes(cursor: Cursor) -> None:
    """What is said about a parameter or argument between its type and itself."""
    while cursor.token.kind == "word" and cursor.token.text not in _CONSTANTS:
        word = cursor.take().text
        if word == "align" and cursor.token.kind == "number":
            cursor.take()
        cursor.skip_nested()


def value(s: Lowering, cursor: Cursor, type_: Type) -> Value:
    """A value of a known type."""
    token = cursor.take()
    match token.kind, token.text:
        case "local", _:
            return s.variable(token.name, type_)
        case "global", _:
            return lower_variables.address(s, token.name)
        case "word", "true" | "false":
            return Const(type_, int(token.text == "true"))
        case "word", "null" | "zeroinitializer":
            return Const(type_, 0)
        case "word", "undef" | "poison":
            return Undef(type_)
        case "number", text if isinstance(type_, IntType):
            return const_int(type_, int(text))
        case "number", text if isinstance(type_, FloatType):
            return _float(type_, text)
        case "word", "getelementptr" if isinstance(type_, PointerType):
            return lower_addresses.constant(s, cursor)
        case _:
            s.refuse(f"the operand '{token.text}' is not a variable or plain constant")


def _float(type_: FloatType, text: str) -> Const:
    """Decimal numbers are exact; hexadecimal ones are the bits of a double, whatever the type, or behind f its own bits."""
    if text.startswith("f0x"):
        return Const(type_, int(text[3:], 16))
    if not text.startswith("0x"):
        return const_float(type_, float(text))
    bits = int(text, 16)
    if type_.bits == 64:
        return Const(type_, bits)
    number: float = struct.unpack("<d", bits.to_bytes(8, "little"))[0]
    if number == number:
        return const_float(type_, number)
    return Const(type_, (bits >> 63) << 31 | 0x7F800000 | bits >> 29 & 0x7FFFFF)
