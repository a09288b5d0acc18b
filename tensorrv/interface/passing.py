"""How C's calling conventions pass structs: what the entry of a function gets, and the numbers in it.

x86-64 (System V): up to 16 bytes in one or two registers, one for each 8 bytes: a floating-point one if there are only
floating-point numbers in these; in memory if they are larger, or if not all of them find registers. AArch64 (AAPCS64): up to four
numbers of one floating-point type in as many registers; else up to 16 bytes in one or two; larger ones as a pointer to a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final, Literal

from rv.ir.types import FloatType, Type
from tensorrv.frontend.c.types.c_types import Member, StructC, machine_type
from tensorrv.frontend.c.types.object_parts import scalars

_WORDS, _NUMBERS = 6, 8
"""Registers of x86-64 that arguments are passed in: for integers and pointers, for floating-point numbers."""
_LARGEST: Final = 16


@dataclass(slots=True)
class Passing:
    """The parameters of an entry so far, as LLVM declares them, and the lines that take structs apart.

    `structs` number the structs; `words` and `numbers` are the registers that are left (x86-64).
    """

    architecture: str
    declared: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    structs: int = 0
    words: int = _WORDS
    numbers: int = _NUMBERS

    def number(self, type_: Type, name: str) -> str:
        """A parameter that is a number or a pointer; the operand for it."""
        self.declared.append(f"{type_} %{name}")
        if isinstance(type_, FloatType):
            self.numbers = max(self.numbers - 1, 0)
        else:
            self.words = max(self.words - 1, 0)
        return f"{type_} %{name}"

    def struct(self, struct: StructC) -> list[str]:
        """A struct; the operands for the numbers and pointers in it."""
        self.structs += 1
        name = f"struct.{self.structs}"
        members, record = list(scalars(struct)), struct.record
        if self.architecture == "aarch64":
            pieces = _aarch64(members, record.size)
        else:
            pieces = self._x86(members, record.size)
        if pieces:
            self._take(name, pieces, record.size)
        elif self.architecture == "aarch64":
            self.declared.append(f"ptr %{name}")
        else:
            self.declared.append(f"ptr byval([{record.size} x i8]) align {max(record.alignment, 8)} %{name}")
        return [self._member(name, number, member) for number, member in enumerate(members)]

    def _x86(self, members: Sequence[Member], size: int) -> list[tuple[str, int]]:
        """The types and offsets of the registers; none if the struct is in memory."""
        if size > _LARGEST:
            return []
        kinds = [_kind([m for m in members if offset <= m.offset < offset + 8]) for offset in range(0, size, 8)]
        words, numbers = kinds.count("i64"), kinds.count("double")
        if words > self.words or numbers > self.numbers:
            return []
        self.words, self.numbers = self.words - words, self.numbers - numbers
        return [(kind, 8 * k) for k, kind in enumerate(kinds)]

    def _take(self, name: str, pieces: list[tuple[str, int]], size: int) -> None:
        """Stores what registers bring to where the struct can be read from."""
        self.lines.append(f"%{name} = alloca [{max(-(-size // 8) * 8, _end(pieces))} x i8], align 16")
        for number, (type_, offset) in enumerate(pieces):
            self.declared.append(f"{type_} %{name}.in.{number}")
            self.lines.append(f"%{name}.at.{number} = getelementptr i8, ptr %{name}, i64 {offset}")
            self.lines.append(f"store {type_} %{name}.in.{number}, ptr %{name}.at.{number}, align 1")

    def _member(self, name: str, number: int, member: Member) -> str:
        type_ = machine_type(member.type)
        place, value = f"%{name}.member.{number}", f"%{name}.value.{number}"
        self.lines.append(f"{place} = getelementptr i8, ptr %{name}, i64 {member.offset}")
        self.lines.append(f"{value} = load {type_}, ptr {place}, align 1")
        return f"{type_} {value}"


def _kind(members: Sequence[Member]) -> Literal["i64", "double"]:
    return "double" if members and all(isinstance(machine_type(m.type), FloatType) for m in members) else "i64"


def _aarch64(members: Sequence[Member], size: int) -> list[tuple[str, int]]:
    """The types and offsets of what is passed; none for a pointer to the struct."""
    types = {machine_type(m.type) for m in members}
    if len(types) == 1 and len(members) <= 4 and isinstance(type_ := next(iter(types)), FloatType):
        return [(f"[{len(members)} x {type_}]", 0)]
    if size > _LARGEST:
        return []
    return [("i64", 0)] if size <= 8 else [("[2 x i64]", 0)]


def _end(pieces: Sequence[tuple[str, int]]) -> int:
    """Where the last piece ends at most."""
    return 32 if any(type_.startswith("[") for type_, _ in pieces) else 0
