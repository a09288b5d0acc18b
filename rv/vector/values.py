"""Operands of the vector IR: registers by name, constants lane by lane, and values of which nothing is known.

Registers name their type, so that every operand knows how many lanes it has. Constants compare by their bits, as in P-LLVM.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rv.ir.types import I1, I32, I64, PTR, FloatType, IntType, PointerType, Type
from rv.ir.values import Const, Undef, const_float, const_int
from rv.vector.types import DataType, ValueType, element_of, lanes_of, vector_of


@dataclass(frozen=True, slots=True, eq=False)
class Register:
    """A value that an instruction, a phi or the caller defines; `name` is unique in its function."""

    name: str
    type: ValueType

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Register) and self.name == other.name and self.type == other.type

    def __hash__(self) -> int:
        return hash(self.name)

    def __str__(self) -> str:
        return f"%{self.name}"


@dataclass(frozen=True, slots=True)
class Constant:
    """A scalar or a vector whose lanes have these bit patterns."""

    type: DataType
    lanes: tuple[int, ...]

    @property
    def scalars(self) -> tuple[Const, ...]:
        """The constants of the lanes."""
        return tuple(Const(element_of(self.type), bits) for bits in self.lanes)


@dataclass(frozen=True, slots=True)
class Undefined:
    """A value that the source does not define: each use may have another one."""

    type: DataType


@dataclass(frozen=True, slots=True)
class Poison:
    """No value: what depends on it is none either. Lanes of it are overwritten or never used."""

    type: ValueType


@dataclass(frozen=True, slots=True)
class Symbol:
    """The address of a function or of data of the module, by its name."""

    name: str

    @property
    def type(self) -> PointerType:
        return PTR


Operand = Register | Constant | Undefined | Poison | Symbol

TRUE: Final = Constant(I1, (1,))
FALSE: Final = Constant(I1, (0,))
ZERO: Final = Constant(I64, (0,))


def constant(value: Const | Undef, lanes: int = 1) -> Constant | Undefined:
    """A value of P-LLVM that is known, in each of so many lanes."""
    type_ = vector_of(value.type, lanes)
    return Undefined(type_) if isinstance(value, Undef) else Constant(type_, (value.bits,) * lanes)


def integers(type_: IntType, values: Sequence[int]) -> Constant:
    """A vector of these integers, modulo their width; a scalar when there is one."""
    mask = (1 << type_.bits) - 1
    return Constant(vector_of(type_, len(values)), tuple(value & mask for value in values))


def i32(value: int) -> Constant:
    return integers(I32, [value])


def i64(value: int) -> Constant:
    return integers(I64, [value])


def number(type_: FloatType, value: float, lanes: int = 1) -> Constant:
    """The floating-point number nearest to `value` in every lane."""
    return Constant(vector_of(type_, lanes), (const_float(type_, value).bits,) * lanes)


def word(type_: IntType, value: int, lanes: int = 1) -> Constant:
    """An integer in every lane."""
    return Constant(vector_of(type_, lanes), (const_int(type_, value).bits,) * lanes)


def zeros(type_: DataType) -> Constant:
    """All bits zero: 0, +0.0, null, false."""
    return Constant(type_, (0,) * lanes_of(type_))


def mask(lanes: Sequence[bool]) -> Constant:
    """A constant mask."""
    return Constant(vector_of(I1, len(lanes)), tuple(map(int, lanes)))


def all_true(lanes: int) -> Constant:
    """A mask of all lanes."""
    return mask([True] * lanes)


def known_integer(operand: Operand) -> int | None:
    """The signed value of a scalar integer constant; None for everything else."""
    if not isinstance(operand, Constant) or not isinstance(operand.type, IntType):
        return None
    return Const(operand.type, operand.lanes[0]).signed


def lane_type(operand: Operand) -> Type:
    """The type of a lane of an operand."""
    return element_of(operand.type)
