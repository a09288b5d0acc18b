"""The vector version itself: vectors in registers around the loop over lanes.

    define <8 x double> @f8(<8 x double> %.a0) {
      %.lanes = alloca [8 x double]
      store <8 x double> %.a0, ptr %.lanes                 the arrays of lanes live in this function only:
      call void @f.lanes(ptr %.lanes, ptr %.result)        once the loop is inlined and its one brush is straight-line code,
      %.r = load <8 x double>, ptr %.result                LLVM's scalar replacement leaves registers alone
      ret <8 x double> %.r
    }

How lanes travel is a list of pieces: one vector for each register, bits in an integer register, or masks of several kinds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import accumulate

from rv.drivers.lane_loop import LaneLoop
from rv.ir.types import I1, I8, PTR, VOID, IntType, Type, bits_of, size_of
from rv.ir.values import Var
from rv.vector.function import Function, Parameter
from rv.vector.instructions import Access, Call, Load, Store
from rv.vector.types import DataType, VectorType
from rv.vector.values import Operand, Register, i64, zeros
from rv.vector.writer import FunctionWriter, natural_access


@dataclass(frozen=True, slots=True)
class Vector:
    """`lanes` elements in a vector; `packed`: in an integer register of that many bits instead."""

    element: Type
    lanes: int
    packed: bool = False

    @property
    def type(self) -> DataType:
        return IntType(bits_of(self.element) * self.lanes) if self.packed else VectorType(self.element, self.lanes)


@dataclass(frozen=True, slots=True)
class Truths:
    """A mask as a vector of truth values."""

    lanes: int

    @property
    def type(self) -> DataType:
        return VectorType(I1, self.lanes)


@dataclass(frozen=True, slots=True)
class LaneWords:
    """A mask as a vector of integers or floats: a lane is active when any bit of its element is set."""

    vector: Vector

    @property
    def type(self) -> DataType:
        return self.vector.type


@dataclass(frozen=True, slots=True)
class MaskBits:
    """A mask as the lowest bits of an integer of `width` bits."""

    lanes: int
    width: int

    @property
    def type(self) -> DataType:
        return IntType(self.width)


Piece = Vector | Truths | LaneWords | MaskBits


@dataclass(frozen=True, slots=True)
class Convention:
    """How the vector version is called.

    `parameters` holds the pieces of each parameter, None for one that is passed as it is; `result` and `mask` are those of the
    result and the mask, which is the last parameter. A result of several pieces goes to memory whose address is passed first.
    `calling` is LLVM's name of the calling convention, if it isn't C's.
    """

    parameters: tuple[tuple[Vector, ...] | None, ...]
    result: tuple[Vector, ...]
    mask: tuple[Piece, ...]
    calling: str = ""


def plain_convention(loop: LaneLoop, result: Type, parameters: Sequence[Type]) -> Convention:
    """One vector of all lanes for everything."""
    passed = [None if a is None else (Vector(t, loop.lanes),) for a, t in zip(loop.arrays, parameters, strict=True)]
    returned = () if loop.result is None else (Vector(result, loop.lanes),)
    return Convention(tuple(passed), returned, () if loop.mask is None else (Truths(loop.lanes),))


def vector_version(loop: LaneLoop, name: str, convention: Convention) -> Function:
    """The vector version called `name`, which calls the loop over lanes."""
    return _Version(loop, convention, name).write()


class _Version:
    """The vector version, under construction: one block that spills the lanes, calls the loop and reads the result."""

    def __init__(self, loop: LaneLoop, convention: Convention, name: str) -> None:
        self.loop = loop
        self.convention = convention
        self.writer = FunctionWriter(name, convention=convention.calling)
        self.block = self.writer.block("start", fixed=True)
        self.parameters: list[Parameter] = []
        self.passed: dict[str, Operand] = {}
        """What the loop's parameters get, by name."""

    def write(self) -> Function:
        self._result_array()
        own = self.loop.function.parameters
        for parameter, array, pieces in zip(own, self.loop.arrays, self.convention.parameters, strict=False):
            if array is None or pieces is None:
                register = Register(parameter.var.name, parameter.var.type)
                self.parameters.append(Parameter(register))
                self.passed[parameter.var.name] = register
            else:
                self._spill(array, pieces)
        if self.loop.mask is not None:
            self._spill(self.loop.mask, self.convention.mask)
        arguments = tuple(self.passed[p.var.name] for p in own)
        self.block.effect(Call(self.loop.function.name, arguments, VOID, pure=False))
        self._return()
        self.writer.parameters = tuple(self.parameters)
        return self.writer.finish()[0]

    def _result_array(self) -> None:
        array, pieces = self.loop.result, self.convention.result
        if array is None:
            return
        if len(pieces) == 1:
            self.passed[array.name] = self._memory(pieces)
            return
        place = Register(".result", PTR)
        self.parameters.append(Parameter(place, distinct=True, result=sum(map(_bytes, pieces)), align=_bytes(pieces[0])))
        self.passed[array.name] = place

    def _return(self) -> None:
        array, pieces = self.loop.result, self.convention.result
        if array is None or len(pieces) > 1:
            self.block.give_back()
            return
        type_ = pieces[0].type
        self.writer.result = type_
        self.block.give_back(self.block.add(Load(self.passed[array.name], type_, natural_access("", type_))))

    def _memory(self, pieces: Sequence[Piece]) -> Operand:
        return self.writer.stack_object(I8, sum(map(_bytes, pieces)), 64)

    def _spill(self, array: Var, pieces: Sequence[Piece]) -> None:
        """Takes the pieces as parameters and writes them to an array of lanes."""
        memory = self.passed[array.name] = self._memory(pieces)
        starts = accumulate((_bytes(piece) for piece in pieces), initial=0)
        for number, (piece, start) in enumerate(zip(pieces, starts, strict=False)):
            argument = Register(f".{array.source_name}.{number}", piece.type)
            self.parameters.append(Parameter(argument))
            place = self.block.address(memory, i64(start), I8)
            self.block.effect(Store(self._in_memory(piece, argument), place, Access("", 1)))

    def _in_memory(self, piece: Piece, argument: Operand) -> Operand:
        """What is stored for a piece; masks become a byte per lane."""
        match piece:
            case Vector():
                return argument
            case Truths():
                truths = argument
            case LaneWords(vector=vector):
                words = VectorType(IntType(bits_of(vector.element)), vector.lanes)
                truths = self.block.compare("ne", self.block.convert("bitcast", argument, words), zeros(words))
            case MaskBits(lanes=lanes, width=width):
                low = argument if lanes == width else self.block.convert("trunc", argument, IntType(lanes))
                truths = self.block.convert("bitcast", low, VectorType(I1, lanes))
        return self.block.convert("zext", truths, VectorType(I8, _lanes(piece)))


def _lanes(piece: Piece) -> int:
    return piece.vector.lanes if isinstance(piece, LaneWords) else piece.lanes


def _bytes(piece: Piece) -> int:
    """What a piece takes in its array of lanes."""
    return size_of(piece.element) * piece.lanes if isinstance(piece, Vector) else _lanes(piece)
