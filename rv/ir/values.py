"""Values of P-LLVM: variables by name, constants by bit pattern, undefined values.

Operands are names, not references to the defining instruction, so that functions are plain immutable data and phis may
form cycles. Constants compare by their bits: 0.0 and -0.0 differ, and a NaN equals itself.
"""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass
from typing import Final

from rv.ir.types import I1, I32, I64, FloatType, IntType, Type


@dataclass(frozen=True, slots=True)
class Var:
    """An SSA variable; `name` is unique in its function and starts with the name of the source variable, if it has one."""

    name: str
    type: Type

    def __str__(self) -> str:
        return f"%{self.name}"

    @property
    def source_name(self) -> str:
        """The user's name of the variable: what stands before the first dot."""
        return self.name.partition(".")[0]


@dataclass(frozen=True, slots=True)
class Const:
    """A constant given by its bit pattern, `0 <= bits < 2**width`."""

    type: Type
    bits: int

    @property
    def signed(self) -> int:
        """The integer value in two's complement (a truth value is 0 or 1)."""
        assert isinstance(self.type, IntType)
        width = self.type.bits
        return self.bits - (1 << width) if width > 1 and self.bits >> (width - 1) else self.bits

    @property
    def number(self) -> float:
        """The value of a floating-point constant."""
        assert isinstance(self.type, FloatType)
        return decode_float(self.type, self.bits)

    def __str__(self) -> str:
        match self.type:
            case IntType():
                return str(self.signed)
            case FloatType(width):
                value = self.number
                # hexadecimal floats are exact and readable; NaNs keep their payload as bits
                return f"nan(0x{self.bits:0{width // 4}x})" if math.isnan(value) else value.hex()
            case _:
                return "null"


@dataclass(frozen=True, slots=True)
class Undef:
    """An undefined value: a variable read before it is written, or an inactive lane."""

    type: Type

    def __str__(self) -> str:
        return "undef"


Value = Var | Const | Undef

TRUE: Final = Const(I1, 1)
FALSE: Final = Const(I1, 0)


def const_int(type_: IntType, value: int) -> Const:
    """The integer constant congruent to `value` modulo 2**bits."""
    return Const(type_, value & ((1 << type_.bits) - 1))


def const_i32(value: int) -> Const:
    return const_int(I32, value)


def const_i64(value: int) -> Const:
    return const_int(I64, value)


def const_float(type_: FloatType, value: float) -> Const:
    """The constant nearest to `value` in `type_` (round to nearest even; too large a value becomes an infinity)."""
    return Const(type_, encode_float(type_, value))


def encode_float(type_: FloatType, value: float) -> int:
    """The bit pattern of `value` rounded to `type_`."""
    if type_.bits == 64:
        return int.from_bytes(struct.pack("<d", value), "little")
    try:
        return int.from_bytes(struct.pack("<f", value), "little")
    except OverflowError:
        return 0x7F800000 if value > 0 else 0xFF800000


def decode_float(type_: FloatType, bits: int) -> float:
    """The number with this bit pattern."""
    code, size = ("<d", 8) if type_.bits == 64 else ("<f", 4)
    result: float = struct.unpack(code, bits.to_bytes(size, "little"))[0]
    return result
