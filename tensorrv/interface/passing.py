"""How C's calling conventions pass structs: what the entry of a function gets, and the numbers in it.

x86-64 (System V): up to 16 bytes in one or two registers, one for each 8 bytes: a floating-point one if there are only
floating-point numbers in these; in memory if they are larger, or if not all of them find registers. AArch64 (AAPCS64): up to four
numbers of one floating-point type in as many registers; else up to 16 bytes in one or two; larger ones as a pointer to a copy.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Final

from rv.ir.types import F64, I8, I64, PTR, FloatType, Type
from rv.vector.function import Parameter
from rv.vector.instructions import Access, Load, Member, Store
from rv.vector.types import TupleType, ValueType
from rv.vector.values import Operand, Register, i64
from rv.vector.writer import BlockWriter
from tensorrv.unit.elements import Field, Record

_WORDS, _NUMBERS = 6, 8
"""Registers of x86-64 that arguments are passed in: for integers and pointers, for floating-point numbers."""
_LARGEST: Final = 16


@dataclass(slots=True)
class Passing:
    """The parameters of an entry so far, and the block that takes structs apart.

    `words` and `numbers` are the registers that are left (x86-64).
    """

    architecture: str
    block: BlockWriter
    parameters: list[Parameter] = field(default_factory=list)
    words: int = _WORDS
    numbers: int = _NUMBERS

    def number(self, type_: Type, name: str) -> Operand:
        """A parameter that is a number or a pointer; the operand for it."""
        if isinstance(type_, FloatType):
            self.numbers = max(self.numbers - 1, 0)
        else:
            self.words = max(self.words - 1, 0)
        return self._parameter(Register(name, type_))

    def struct(self, record: Record) -> list[Operand]:
        """A struct; the operands for the numbers and pointers in it."""
        members = record.fields
        if self.architecture == "aarch64":
            alike = _alike(members)
            if alike is not None:
                whole = self._parameter(self.block.function.fresh(TupleType((alike,) * len(members), consecutive=True)))
                return [self.block.add(Member(whole, number)) for number in range(len(members))]
            words = -(-record.size // 8)
            place = self._in_words(words) if record.size <= _LARGEST else self._parameter(self.block.function.fresh(PTR))
        else:
            kinds = self._registers(members, record.size)
            place = self._stored(kinds) if kinds else self._copied(record.size, max(record.alignment, 8))
        return [self._member(place, member) for member in members]

    def _parameter(self, register: Register) -> Register:
        self.parameters.append(Parameter(register))
        return register

    def _registers(self, members: Sequence[Field], size: int) -> list[Type]:
        """The types of the registers that a struct is passed in on x86-64; none if it is in memory."""
        if size > _LARGEST:
            return []
        kinds = [_kind([m for m in members if offset <= m.offset < offset + 8]) for offset in range(0, size, 8)]
        words, numbers = kinds.count(I64), kinds.count(F64)
        if words > self.words or numbers > self.numbers:
            return []
        self.words, self.numbers = self.words - words, self.numbers - numbers
        return kinds

    def _in_words(self, words: int) -> Register:
        """A struct in general registers of AArch64, stored to where it can be read from."""
        if words == 1:
            return self._stored([I64])
        whole = self._parameter(self.block.function.fresh(TupleType((I64,) * words, consecutive=True)))
        return self._store([self.block.add(Member(whole, number)) for number in range(words)])

    def _stored(self, kinds: Sequence[Type]) -> Register:
        return self._store([self._parameter(self.block.function.fresh(kind)) for kind in kinds])

    def _store(self, words: Sequence[Register]) -> Register:
        place = self.block.function.stack_object(I8, 8 * len(words))
        for number, word in enumerate(words):
            self.block.effect(Store(word, self.block.address(place, i64(8 * number), I8), Access(str(place), 1)))
        return place

    def _copied(self, size: int, align: int) -> Register:
        place = self.block.function.fresh(PTR)
        self.parameters.append(Parameter(place, copied=size, align=align))
        return place

    def _member(self, place: Register, member: Field) -> Operand:
        address = self.block.address(place, i64(member.offset), I8)
        return self.block.add(Load(address, member.type, Access(str(place), 1)))


def _kind(members: Sequence[Field]) -> Type:
    return F64 if members and all(isinstance(m.type, FloatType) for m in members) else I64


def _alike(members: Sequence[Field]) -> FloatType | None:
    """The type of up to four floating-point numbers of one type."""
    types: set[ValueType] = {m.type for m in members}
    only = next(iter(types))
    return only if len(types) == 1 and len(members) <= 4 and isinstance(only, FloatType) else None
