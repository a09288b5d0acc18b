"""The vector version itself: vectors in registers around the loop over lanes, as LLVM IR.

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
from dataclasses import dataclass, field
from itertools import accumulate

from rv.ir.types import IntType, Type, bits_of, size_of
from rv.ir.values import Var
from rv.widen.llvm_text import type_text
from tensorrv.drivers.lane_loop import LaneLoop


@dataclass(frozen=True, slots=True)
class Vector:
    """`lanes` elements in a vector; `packed`: in an integer register of that many bits instead."""

    element: Type
    lanes: int
    packed: bool = False

    @property
    def type(self) -> str:
        return f"i{bits_of(self.element) * self.lanes}" if self.packed else f"<{self.lanes} x {self.element}>"


@dataclass(frozen=True, slots=True)
class Truths:
    """A mask as a vector of truth values."""

    lanes: int

    @property
    def type(self) -> str:
        return type_text(IntType(1), self.lanes) if self.lanes > 1 else "<1 x i1>"


@dataclass(frozen=True, slots=True)
class LaneWords:
    """A mask as a vector of integers or floats: a lane is active when any bit of its element is set."""

    vector: Vector

    @property
    def type(self) -> str:
        return self.vector.type


@dataclass(frozen=True, slots=True)
class MaskBits:
    """A mask as the lowest bits of an integer of `width` bits."""

    lanes: int
    width: int

    @property
    def type(self) -> str:
        return f"i{self.width}"


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


def vector_version(loop: LaneLoop, name: str, convention: Convention) -> str:
    """The definition of the vector version called `name`; its attributes are `#0`, as the loop's."""
    return _Version(loop, convention).text(name)


@dataclass(slots=True)
class _Version:
    loop: LaneLoop
    convention: Convention
    signature: list[str] = field(default_factory=list)
    lines: list[str] = field(default_factory=list)
    passed: dict[str, str] = field(default_factory=dict)
    """What the loop's parameters get, by name."""
    names: int = 0

    def text(self, name: str) -> str:
        self._result_array()
        own = self.loop.function.parameters
        for parameter, array, pieces in zip(own, self.loop.arrays, self.convention.parameters, strict=False):
            if array is None or pieces is None:
                self.signature.append(f"{parameter.var.type} %{parameter.var.name}")
                self.passed[parameter.var.name] = f"%{parameter.var.name}"
            else:
                self._spill(array, pieces)
        if self.loop.mask is not None:
            self._spill(self.loop.mask, self.convention.mask)
        arguments = ", ".join(f"{p.var.type} {self.passed[p.var.name]}" for p in own)
        self.lines.append(f"call void @{self.loop.function.name}({arguments})")
        result = self._return()
        calling = f"{self.convention.calling} " if self.convention.calling else ""
        body = "\n".join(f"  {line}" for line in self.lines)
        return f"define {calling}{result} @{name}({', '.join(self.signature)}) #0 {{\n{body}\n}}\n"

    def _fresh(self, line: str) -> str:
        self.names += 1
        self.lines.append(f"%.v{self.names} = {line}")
        return f"%.v{self.names}"

    def _result_array(self) -> None:
        array, pieces = self.loop.result, self.convention.result
        if array is None:
            return
        if len(pieces) == 1:
            self.passed[array.name] = self._alloca(pieces)
            return
        size = sum(map(_bytes, pieces))
        self.signature.append(f"ptr noalias sret([{size} x i8]) align {_bytes(pieces[0])} %.result")
        self.passed[array.name] = "%.result"

    def _return(self) -> str:
        array, pieces = self.loop.result, self.convention.result
        if array is None or len(pieces) > 1:
            self.lines.append("ret void")
            return "void"
        value = self._fresh(f"load {pieces[0].type}, ptr {self.passed[array.name]}")
        self.lines.append(f"ret {pieces[0].type} {value}")
        return pieces[0].type

    def _alloca(self, pieces: Sequence[Piece]) -> str:
        return self._fresh(f"alloca [{sum(map(_bytes, pieces))} x i8], align 64")

    def _spill(self, array: Var, pieces: Sequence[Piece]) -> None:
        """Takes the pieces as parameters and writes them to an array of lanes."""
        memory = self.passed[array.name] = self._alloca(pieces)
        starts = accumulate((_bytes(piece) for piece in pieces), initial=0)
        for number, (piece, start) in enumerate(zip(pieces, starts, strict=False)):
            argument = f"%.{array.source_name}.{number}"
            self.signature.append(f"{piece.type} {argument}")
            place = memory if start == 0 else self._fresh(f"getelementptr i8, ptr {memory}, i64 {start}")
            type_, value = self._in_memory(piece, argument)
            self.lines.append(f"store {type_} {value}, ptr {place}, align 1")

    def _in_memory(self, piece: Piece, argument: str) -> tuple[str, str]:
        """Type and name of what is stored for a piece; masks become a byte per lane."""
        match piece:
            case Vector():
                return piece.type, argument
            case Truths():
                truths = argument
            case LaneWords(vector=vector):
                words = f"<{vector.lanes} x i{bits_of(vector.element)}>"
                integers = self._fresh(f"bitcast {vector.type} {argument} to {words}")
                truths = self._fresh(f"icmp ne {words} {integers}, zeroinitializer")
            case MaskBits(lanes=lanes, width=width):
                low = argument if lanes == width else self._fresh(f"trunc i{width} {argument} to i{lanes}")
                truths = self._fresh(f"bitcast i{lanes} {low} to <{lanes} x i1>")
        lanes = _lanes(piece)
        return f"<{lanes} x i8>", self._fresh(f"zext <{lanes} x i1> {truths} to <{lanes} x i8>")


def _lanes(piece: Piece) -> int:
    return piece.vector.lanes if isinstance(piece, LaneWords) else piece.lanes


def _bytes(piece: Piece) -> int:
    """What a piece takes in its array of lanes."""
    return size_of(piece.element) * piece.lanes if isinstance(piece, Vector) else _lanes(piece)
