"""Types and operands in LLVM's text form."""

from __future__ import annotations

import struct

from rv.ir.types import FloatType, IntType, PointerType, Type
from rv.ir.values import Const
from rv.vector.types import ValueType, VectorType
from rv.vector.values import Constant, Operand, Poison, Register, Symbol, Undefined


def text(operand: Operand) -> str:
    """An operand without its type."""
    match operand:
        case Register(name=name):
            return f"%{name}"
        case Constant(type=VectorType(), lanes=lanes) if not any(lanes):
            return "zeroinitializer"
        case Constant(type=VectorType()):
            return f"<{', '.join(f'{scalar.type} {scalar_text(scalar)}' for scalar in operand.scalars)}>"
        case Constant():
            return scalar_text(operand.scalars[0])
        case Undefined():
            return "undef"
        case Poison():
            return "poison"
        case Symbol(name=name):
            return f"@{name}"


def typed(operand: Operand) -> str:
    """An operand behind its type."""
    return f"{operand.type} {text(operand)}"


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


def shuffle_mask(lanes: tuple[int, ...]) -> str:
    """The third operand of a shufflevector."""
    return f"<{len(lanes)} x i32> <{', '.join('i32 poison' if lane < 0 else f'i32 {lane}' for lane in lanes)}>"


def mangled(type_: ValueType) -> str:
    """The type as it is spelled in the names of LLVM's intrinsics: `v8f64`."""
    if isinstance(type_, VectorType):
        return f"v{type_.lanes}{_mangled_scalar(type_.element)}"
    return _mangled_scalar(type_)


def _mangled_scalar(type_: ValueType | Type) -> str:
    match type_:
        case FloatType(bits):
            return f"f{bits}"
        case PointerType():
            return "p0"
        case _:
            return str(type_)
