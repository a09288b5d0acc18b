"""Calls: intrinsics become instructions or code, functions of the module are inlined, others are called as they are.

What is inlined is called here; `tensorrv.frontend.llvm_ir.functions` puts the code there when the function is complete.
"""

from __future__ import annotations

from typing import Final

from rv.ir.instructions import Call
from rv.ir.libm import signature
from rv.ir.types import F32, I1, I8, I32, VOID, IntType, Type, bits_of
from rv.ir.values import Const, Undef, Value
from tensorrv.frontend.llvm_ir.lower import intrinsics
from tensorrv.frontend.llvm_ir.lower import operands as lower_operands
from tensorrv.frontend.llvm_ir.lower import variables as lower_variables
from tensorrv.frontend.llvm_ir.lower.arithmetic import FAST_MATH
from tensorrv.frontend.llvm_ir.lower.state import Body, Lowering
from tensorrv.frontend.llvm_ir.tokens import Cursor
from tensorrv.frontend.llvm_ir.types import StructType

_CONVENTIONS: Final = frozenset("fastcc coldcc ccc tailcc swiftcc cc preserve_mostcc preserve_allcc".split())
_OVERFLOW: Final = ".with.overflow"


def call(s: Lowering, cursor: Cursor, result: str | None) -> None:
    """`[%result =] call type @callee(arguments)`"""
    cursor.words(FAST_MATH)
    while cursor.token.text in _CONVENTIONS:
        cursor.take()
    _skip_result_attributes(cursor)
    type_ = cursor.type()
    fixed = _fixed(cursor) if cursor.token.text == "(" else None
    callee = cursor.take()
    if callee.kind != "global":
        s.refuse("a function is called through a pointer, or is inline assembly", "not a function by name")
    if callee.name.startswith("llvm."):
        _intrinsic(s, cursor, result, callee.name.removeprefix("llvm."))
        return
    if callee.name in s.hidden and callee.name not in s.bodies:
        s.refuse(f"'{callee.name}' calls itself, so that it cannot be inlined", "recursive call", "write it as a loop")
    narrow = callee.name not in s.bodies and signature(callee.name) is None
    arguments = _arguments(s, cursor, widened=narrow)
    plain = lower_operands.plain_type(s, type_)
    body = s.bodies.get(callee.name)
    if body is not None:
        arguments += [lower_variables.address(s, name) for name in body.symbols]
    if any(isinstance(argument, Undef) for argument in arguments) and body is None:
        s.refuse("an undefined value is passed to a function")
    known = signature(callee.name)
    if body is None and known is not None and known != (plain, tuple(a.type for a in arguments)):
        s.refuse(f"'{callee.name}' is called with other types than the C library's function of this name has")
    _emit(s, result, callee.name, arguments, plain, fixed)


def _fixed(cursor: Cursor) -> int | None:
    """How many parameters a prototype `(ptr, ...)` has in front of those that vary; None where there are none of these."""
    start = cursor.index
    cursor.skip_nested()
    inside = [token.text for token in cursor.tokens[start : cursor.index]]
    return inside.count(",") if "..." in inside else None


def _skip_result_attributes(cursor: Cursor) -> None:
    while cursor.token.text in ("noundef", "nonnull", "zeroext", "signext", "noalias", "range", "nofpclass", "align",
                                "dereferenceable", "dereferenceable_or_null", "inreg"):  # fmt: skip
        cursor.take()
        if cursor.token.kind == "number":
            cursor.take()
        cursor.skip_nested()


def _arguments(s: Lowering, cursor: Cursor, *, widened: bool) -> list[Value]:
    """The arguments; numbers narrower than int are passed as int, as callers do in C."""
    found: list[Value] = []
    cursor.expect("(")
    while not cursor.accept(")"):
        if found:
            cursor.expect(",")
        start = cursor.index
        argument = lower_operands.typed(s, cursor)
        if widened and isinstance(argument.type, IntType) and argument.type.bits < 32:
            signed = any(token.text == "signext" for token in cursor.tokens[start : cursor.index])
            argument = s.convert("sext" if signed else "zext", argument, I32)
        found.append(argument)
    return found


def _emit(
    s: Lowering, result: str | None, callee: str, arguments: list[Value], type_: Type, fixed: int | None = None
) -> None:
    var = None
    if type_ != VOID:
        var = s.temporary(type_) if result is None else s.variable(result, type_)
    s.emit(Call(var, callee, tuple(arguments), s.span, fixed=fixed))


def _intrinsic(s: Lowering, cursor: Cursor, result: str | None, name: str) -> None:
    parts = name.split(".")
    plain = next((".".join(parts[:k]) for k in range(len(parts), 0, -1) if _is_known(".".join(parts[:k]))), "")
    if plain == intrinsics.BEGINS:
        _begins(s, cursor)
    if plain in intrinsics.IGNORED:
        return
    if not plain:
        s.refuse(f"the intrinsic 'llvm.{name}' is called", hint="docs/llvm-ir.md lists the intrinsics that are read")
    arguments = _arguments(s, cursor, widened=False)
    if plain in (intrinsics.SET, intrinsics.COPY, "memmove"):
        _block(s, plain, arguments)
    elif result is None:
        return
    elif plain in intrinsics.FIRST_ARGUMENT:
        s.bind(result, arguments[0])
    elif plain.endswith(_OVERFLOW):
        _with_overflow(s, result, plain.removesuffix(_OVERFLOW), arguments)
    elif plain in intrinsics.LIBRARY:
        library = intrinsics.LIBRARY[plain] + ("f" if arguments[0].type == F32 else "")
        _emit(s, result, library, arguments, arguments[0].type)
    else:
        _coded(s, result, plain, arguments)


def _begins(s: Lowering, cursor: Cursor) -> None:
    """The lifetime of a local variable starts: that is where it is declared, when it is the only such place."""
    local = next((token.name for token in cursor.tokens if token.kind == "local"), "")
    if local in s.allocas:
        s.emit(s.allocas[local])


def _is_known(name: str) -> bool:
    return (
        name in intrinsics.IGNORED
        or name in intrinsics.FIRST_ARGUMENT
        or name in intrinsics.LIBRARY
        or intrinsics.has_code(name)
        or name in (intrinsics.SET, intrinsics.COPY, "memmove")
        or (name.endswith(_OVERFLOW) and intrinsics.has_code(f"{name.removesuffix(_OVERFLOW)}.overflows"))
    )


def _coded(s: Lowering, result: str, name: str, arguments: list[Value], type_: Type | None = None) -> None:
    of = arguments[0].type
    made = intrinsics.code(name, of)
    s.inlined[made.name] = Body(made, ())
    _emit(s, result, made.name, arguments, type_ or of)


def _with_overflow(s: Lowering, result: str, name: str, arguments: list[Value]) -> None:
    of = arguments[0].type
    both: list[Value] = []
    for part, type_ in ((name, of), (f"{name}.overflows", I1)):
        made = intrinsics.code(part, of)
        s.inlined[made.name] = Body(made, ())
        var = s.temporary(type_)
        s.emit(Call(var, made.name, tuple(arguments), s.span))
        both.append(var)
    s.pairs[result] = (both[0], both[1])


def extract(s: Lowering, cursor: Cursor, result: str) -> None:
    """`%result = extractvalue { i32, i1 } %pair, 0`"""
    type_ = cursor.type()
    pair = cursor.take()
    if not isinstance(type_, StructType) or pair.name not in s.pairs:
        s.refuse("a part of a struct or array is taken that is not in memory")
    cursor.expect(",")
    s.bind(result, s.pairs[pair.name][cursor.integer()])


def _block(s: Lowering, name: str, arguments: list[Value]) -> None:
    """A block of memory is set or copied; in which elements is decided when the function is complete."""
    if name == "memmove":
        s.refuse("a block of memory is moved that may overlap itself", hint="write a loop")
    if not isinstance(arguments[3], Const) or arguments[3].bits:
        s.refuse("the access is volatile", "volatile accesses stay as they are", code="TRV057")
    to, what, size = arguments[0], arguments[1], arguments[2]
    if isinstance(size.type, IntType) and size.type.bits < 64:
        size = s.convert("zext", size, IntType(64))
    s.emit(Call(None, f"llvm.{name}", (to, what, size), s.span))


def element_value(value: Const, type_: Type) -> Const:
    """The element all bytes of which are one byte."""
    assert value.type == I8
    return Const(type_, int.from_bytes(bytes([value.bits]) * (bits_of(type_) // 8), "little"))
