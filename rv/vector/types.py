"""Types of the vector IR: P-LLVM's scalars, vectors of them, and tuples of both.

A vector of one lane is not a scalar: LLVM keeps them apart in the interfaces of its masked memory operations.
"""

from __future__ import annotations

from dataclasses import dataclass

from rv.ir.types import I1, PointerType, Type, VoidType, bits_of, size_of


@dataclass(frozen=True, slots=True)
class VectorType:
    """`lanes` values of one scalar type."""

    element: Type
    lanes: int

    def __str__(self) -> str:
        return f"<{self.lanes} x {self.element}>"


@dataclass(frozen=True, slots=True)
class TupleType:
    """Several values: the results of a function that has more than one, and what threads are handed over.

    `consecutive` members are scalars of one type that callers pass in registers that follow each other (AArch64).
    """

    members: tuple[Type | VectorType, ...]
    consecutive: bool = False

    def __str__(self) -> str:
        if self.consecutive:
            return f"[{len(self.members)} x {self.members[0]}]"
        return f"{{ {', '.join(map(str, self.members))} }}"


DataType = Type | VectorType
ValueType = Type | VectorType | TupleType


def vector_of(element: Type, lanes: int) -> DataType:
    """The type of `lanes` values: a vector, or the scalar type when there is one."""
    return element if lanes == 1 else VectorType(element, lanes)


def element_of(type_: ValueType) -> Type:
    """The type of one lane."""
    assert not isinstance(type_, TupleType)
    return type_.element if isinstance(type_, VectorType) else type_


def lanes_of(type_: ValueType) -> int:
    """How many lanes a value has; 1 for scalars."""
    return type_.lanes if isinstance(type_, VectorType) else 1


def with_element(type_: ValueType, element: Type) -> DataType:
    """The type with as many lanes of another element."""
    return VectorType(element, type_.lanes) if isinstance(type_, VectorType) else element


def truth_of(type_: ValueType) -> DataType:
    """The type of a truth value for each lane."""
    return with_element(type_, I1)


def bytes_of(type_: ValueType) -> int:
    """How much memory a value takes, without padding between the members of tuples; truth values of vectors are packed."""
    match type_:
        case VectorType(element, lanes):
            return -(-bits_of(element) * lanes // 8)
        case TupleType(members):
            return sum(map(bytes_of, members))
        case _:
            return size_of(type_)


def natural_alignment(type_: DataType) -> int:
    """The alignment in bytes that memory of this type has by the rules of the platform: its size, as a power of two."""
    return 1 << max(bytes_of(type_) - 1, 0).bit_length()


def is_pointer(type_: ValueType) -> bool:
    return isinstance(element_of(type_), PointerType)


def is_void(type_: ValueType) -> bool:
    return isinstance(type_, VoidType)
