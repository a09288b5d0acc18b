"""Types of LLVM IR: sizes and places of parts, as on 64-bit machines where everything is aligned naturally."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rv.ir.types import F32, F64, PTR, VOID, IntType, Type, size_of


@dataclass(frozen=True, slots=True)
class Plain:
    """A type that P-LLVM has, too."""

    type: Type


@dataclass(frozen=True, slots=True)
class ArrayType:
    """`[count x element]`."""

    count: int
    element: LlvmType


@dataclass(frozen=True, slots=True)
class StructType:
    """`{ a, b }`, or packed `<{ a, b }>`."""

    fields: tuple[LlvmType, ...]
    packed: bool = False


@dataclass(frozen=True, slots=True)
class OtherType:
    """A type without an equivalent: vectors, half, i128, labels, metadata, tokens, opaque structs."""

    text: str


LlvmType = Plain | ArrayType | StructType | OtherType

INTEGERS = (1, 8, 16, 32, 64)
NAMED: dict[str, Type] = {"float": F32, "double": F64, "ptr": PTR, "void": VOID}


class Unsized(Exception):
    """The size of a type is not known; the argument is its text."""


def named_type(word: str) -> LlvmType:
    """The type that is one word."""
    if word in NAMED:
        return Plain(NAMED[word])
    if word[0] == "i" and word[1:].isdecimal() and int(word[1:]) in INTEGERS:
        return Plain(IntType(int(word[1:])))
    return OtherType(word)


def alignment(type_: LlvmType) -> int:
    """Natural alignment in bytes. Raises Unsized."""
    match type_:
        case Plain(plain):
            return max(1, size_of(plain))
        case ArrayType(element=element):
            return alignment(element)
        case StructType(packed=True):
            return 1
        case StructType(fields=fields):
            return max((alignment(field) for field in fields), default=1)
        case OtherType(text):
            raise Unsized(text)


def byte_size(type_: LlvmType) -> int:
    """Bytes from one element of an array to the next. Raises Unsized."""
    match type_:
        case Plain(plain):
            return size_of(plain)
        case ArrayType(count, element):
            return count * byte_size(element)
        case StructType(fields=fields):
            return _up(sum(_placed(type_)[-1:]) + (byte_size(fields[-1]) if fields else 0), alignment(type_))
        case OtherType(text):
            raise Unsized(text)


def field_offset(struct: StructType, number: int) -> int:
    """Where a field begins. Raises Unsized."""
    return _placed(struct)[number]


def scalars(type_: LlvmType, offset: int = 0) -> Iterator[tuple[int, Type]]:
    """The numbers and pointers in a type with their places. Raises Unsized."""
    match type_:
        case Plain(plain):
            yield offset, plain
        case ArrayType(count, element):
            for k in range(count):
                yield from scalars(element, offset + k * byte_size(element))
        case StructType(fields=fields):
            for field, place in zip(fields, _placed(type_), strict=True):
                yield from scalars(field, offset + place)
        case OtherType(text):
            raise Unsized(text)


def kinds(type_: LlvmType) -> frozenset[Type]:
    """The types of the numbers and pointers in a type. Raises Unsized."""
    match type_:
        case ArrayType(element=element):
            return kinds(element)
        case StructType(fields=fields):
            return frozenset[Type]().union(*map(kinds, fields))
        case Plain(plain):
            return frozenset((plain,))
        case OtherType(text):
            raise Unsized(text)


def _placed(struct: StructType) -> list[int]:
    places: list[int] = []
    end = 0
    for field in struct.fields:
        place = end if struct.packed else _up(end, alignment(field))
        places.append(place)
        end = place + byte_size(field)
    return places


def _up(offset: int, alignment_: int) -> int:
    return -(-offset // alignment_) * alignment_
