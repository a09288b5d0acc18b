"""Spelling of types and constants in LLVM's text form, for scalars (one lane) and vectors."""

from __future__ import annotations

import struct
from collections.abc import Sequence

from rv.ir.types import FloatType, IntType, PointerType, Type
from rv.ir.values import Const, Undef


def type_text(type_: Type, lanes: int = 1) -> str:
    """`double` for one lane, `<8 x double>` for eight."""
    return str(type_) if lanes == 1 else f"<{lanes} x {type_}>"


def constant_text(value: Const | Undef, lanes: int = 1) -> str:
    """A constant, repeated in every lane of a vector."""
    if isinstance(value, Undef):
        return "undef"
    scalar = scalar_text(value)
    return scalar if lanes == 1 else vector_text([f"{value.type} {scalar}"] * lanes)


def scalar_text(value: Const) -> str:
    match value.type:
        case IntType(1):
            return "true" if value.bits else "false"
        case IntType():
            return str(value.signed)
        case FloatType(64):
            return f"0x{value.bits:016X}"
        case FloatType():
            # LLVM writes a float as the double of the same value
            return "0x" + struct.pack(">d", value.number).hex().upper()
        case PointerType() | _:
            return "null"


def vector_text(elements: Sequence[str]) -> str:
    """A vector constant of typed elements such as `i32 3`."""
    return f"<{', '.join(elements)}>"


def int_vector(type_: IntType, values: Sequence[int]) -> str:
    """A vector of integers, or the integer itself when there is one."""
    return str(values[0]) if len(values) == 1 else vector_text([f"{type_} {v}" for v in values])


def shuffle_mask(lanes: Sequence[int]) -> str:
    """The third operand of a shufflevector; negative lanes may hold anything."""
    return f"<{len(lanes)} x i32> <{', '.join('i32 poison' if lane < 0 else f'i32 {lane}' for lane in lanes)}>"
