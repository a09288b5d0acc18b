"""What parameters and arrays hold, as the source types it: numbers, and structs of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from rv.ir.types import F32, F64, I8, I16, I32, I64, PTR, IntType, PointerType, Type, size_of

_C_NAMES: Final[Mapping[Type, tuple[str, str]]] = {
    I8: ("signed char", "unsigned char"),
    I16: ("short", "unsigned short"),
    I32: ("int", "unsigned int"),
    I64: ("long", "unsigned long"),
    F32: ("float", "float"),
    F64: ("double", "double"),
}
"""What C calls numbers, signed and unsigned."""


@dataclass(frozen=True, slots=True)
class Number:
    """A number or pointer: its type in P-LLVM, and what is not in that. `c_type` is what messages and C headers call it."""

    type: Type
    signed: bool
    c_type: str

    @property
    def size(self) -> int:
        return size_of(self.type)


def has_numbers(type_: Type) -> bool:
    """Whether C has numbers of a type."""
    return type_ in _C_NAMES


def number_of(type_: Type, *, signed: bool) -> Number:
    """A number of a type that C has numbers of."""
    return Number(type_, signed and isinstance(type_, IntType), _C_NAMES[type_][not signed])


@dataclass(frozen=True, slots=True)
class Field:
    """A number or pointer in a struct, `offset` bytes behind its start, called as C calls it (`pos[2]`, `in.x`)."""

    name: str
    offset: int
    type: Type
    signed: bool
    c_type: str


@dataclass(frozen=True, slots=True)
class Record:
    """A struct of `size` bytes and what it consists of, by ascending offset.

    Addresses of structs are counted in `type`, an integer as wide as their alignment. `c_type` is what messages call it; `tag` is
    the name that C headers may declare, `struct tag`, or "" when there is none.
    """

    size: int
    fields: tuple[Field, ...]
    type: Type
    c_type: str = ""
    tag: str = ""

    @property
    def alignment(self) -> int:
        return size_of(self.type)

    @property
    def has_pointers(self) -> bool:
        return any(isinstance(field.type, PointerType) for field in self.fields)

    @property
    def is_row(self) -> bool:
        """Whether this is only a pointer: that to a row in a table of pointers."""
        return [(field.name, field.type) for field in self.fields] == [("", PTR)]


Element = Number | Record


def numbers_in(element: Element) -> tuple[Number | Field, ...]:
    """The numbers and pointers that an element consists of."""
    return element.fields if isinstance(element, Record) else (element,)
