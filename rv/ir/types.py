"""Types of P-LLVM (thesis, section 4.1, figure 4.2).

Integers are signless bit vectors, as in LLVM: signedness belongs to the operation. Pointers are opaque; the element type
is named where memory is addressed or accessed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class IntType:
    """An integer of `bits` bits: 1 (truth values), 8, 16, 32 or 64."""

    bits: int

    def __str__(self) -> str:
        return f"i{self.bits}"


@dataclass(frozen=True, slots=True)
class FloatType:
    """An IEEE-754 binary number of 32 or 64 bits."""

    bits: int

    def __str__(self) -> str:
        return "float" if self.bits == 32 else "double"


@dataclass(frozen=True, slots=True)
class PointerType:
    """An address of 64 bits without a pointee type."""

    def __str__(self) -> str:
        return "ptr"


@dataclass(frozen=True, slots=True)
class VoidType:
    """The type of what yields no value."""

    def __str__(self) -> str:
        return "void"


Type = IntType | FloatType | PointerType | VoidType
FloatMode = Literal["strict", "contract", "fast"]
"""How far floating-point arithmetic may differ from that of the source: not, by fused multiply-add, by reassociation too."""

I1: Final = IntType(1)
I8: Final = IntType(8)
I16: Final = IntType(16)
I32: Final = IntType(32)
I64: Final = IntType(64)
F32: Final = FloatType(32)
F64: Final = FloatType(64)
PTR: Final = PointerType()
VOID: Final = VoidType()

NAMED_TYPES: Final[dict[str, Type]] = {str(t): t for t in (I1, I8, I16, I32, I64, F32, F64, PTR, VOID)}


def bits_of(type_: Type) -> int:
    """Width of a value of this type in bits; 0 for void."""
    match type_:
        case IntType(bits) | FloatType(bits):
            return bits
        case PointerType():
            return 64
        case VoidType():
            return 0


def size_of(type_: Type) -> int:
    """Bytes that a value of this type takes in memory (a truth value takes one)."""
    return (bits_of(type_) + 7) // 8
