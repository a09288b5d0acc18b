"""Loads, stores and local variables.

Memory is only read and written as numbers that are aligned naturally; TBAA is not read, so that memory may be read as any type.
"""

from __future__ import annotations

from typing import Final

from rv.ir.instructions import Alloca, Load, Store
from rv.ir.types import I1, I8, PTR, IntType, Type, size_of
from rv.ir.values import Value
from tensorrv.frontend.llvm_ir.lower import addresses as lower_addresses
from tensorrv.frontend.llvm_ir.lower import operands as lower_operands
from tensorrv.frontend.llvm_ir.lower.state import Lowering
from tensorrv.frontend.llvm_ir.tokens import Cursor
from tensorrv.frontend.llvm_ir.types import Unsized, alignment, byte_size, kinds

_SPECIAL: Final = frozenset(("volatile", "atomic"))


def load(s: Lowering, cursor: Cursor, result: str) -> None:
    """`%result = load type, ptr place, align n`"""
    _refuse_special(s, cursor)
    type_ = lower_operands.plain_type(s, cursor.type())
    cursor.expect(",")
    pointer = lower_operands.typed(s, cursor)
    _check_alignment(s, cursor, type_)
    var = s.variable(result, type_)
    if type_ == I1:
        byte = s.temporary(I8)
        s.emit(Load(byte, lower_addresses.element(s, pointer, I8), s.span))
        s.convert("trunc", byte, I1, var)
        return
    s.emit(Load(var, lower_addresses.element(s, pointer, type_), s.span))


def store(s: Lowering, cursor: Cursor) -> None:
    """`store type value, ptr place, align n`"""
    _refuse_special(s, cursor)
    value = lower_operands.typed(s, cursor)
    cursor.expect(",")
    pointer = lower_operands.typed(s, cursor)
    _check_alignment(s, cursor, value.type)
    if value.type == I1:
        value = s.convert("zext", value, I8)
    s.emit(Store(value, lower_addresses.element(s, pointer, value.type), s.span))


def alloca(s: Lowering, cursor: Cursor, result: str) -> None:
    """`%result = alloca type, align n`"""
    cursor.words(frozenset(("inalloca", "swifterror")))
    type_ = cursor.type()
    count = 1
    if cursor.accept(",") and cursor.token.text != "align":
        number: Value = lower_operands.typed(s, cursor)
        if not hasattr(number, "bits"):
            s.refuse("the length of a local array is not a constant", "not known before it runs", "pass the array as a parameter")
        count = number.bits
    try:
        found = kinds(type_)
        element = next(iter(found)) if len(found) == 1 else IntType(8 * alignment(type_))
        element = I8 if element == I1 else element
        made = Alloca(s.variable(result, PTR), element, max(1, count * byte_size(type_) // size_of(element)), s.span)
    except Unsized as unsized:
        s.refuse(f"a local variable has the type {unsized}", "no numbers or pointers that P-LLVM has", code="TRV056")
    s.allocas[result] = made
    s.emit(made)


def _refuse_special(s: Lowering, cursor: Cursor) -> None:
    if cursor.token.text in _SPECIAL:
        s.refuse(f"the access is {cursor.token.text}", f"{cursor.token.text} accesses stay as they are", code="TRV057")


def _check_alignment(s: Lowering, cursor: Cursor, type_: Type) -> None:
    while cursor.accept(","):
        if cursor.token.text == "align":
            cursor.take()
            given = cursor.integer()
            if given < size_of(type_):
                hint = f"numbers of {size_of(type_)} bytes are at multiples of that"
                s.refuse(f"the access is only aligned to {given} bytes", "not naturally aligned", hint, "TRV057")
        else:
            cursor.take()
