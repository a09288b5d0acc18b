"""The vector function ABI: names and calling conventions of the versions that other compilers' `omp simd` loops call.

    _ZGV e N 8 vl8a32u _name      instruction set, mask or no mask, lanes, parameters, name of the scalar function

x86-64 has versions for SSE (b), AVX (c), AVX2 (d) and AVX-512 (e), AArch64 for AdvSIMD (n). How lanes are passed is what gcc
does: one vector for each register they fill; less than 64 bits in an integer register; masks as vectors of the
characteristic type with all bits of active lanes set, for AVX-512 as the low bits of integers, one for each register of
the characteristic type; results of several registers in memory.

References: Intel's "Vector Function Application Binary Interface" (x86), Arm's "Vector Function Application Binary Interface
Specification for AArch64"; gcc 12 where they leave something open.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

from rv.argument_shapes import Linear, ParameterShape, Uniform, Varying
from rv.drivers.by_value import Convention, LaneWords, MaskBits, Piece, Vector
from rv.ir.function import Function
from rv.ir.types import I32, I64, IntType, PointerType, Type, VoidType, bits_of
from rv.target import cpus
from rv.target.machine import Target, resolve_target


@dataclass(frozen=True, slots=True)
class InstructionSet:
    """A letter of the ABI. Vectors of integers have `integer_bits`, those of floating-point numbers `float_bits`.

    `cpu` is the least processor that has it; `mask_bits`: masks are integers.
    """

    letter: str
    integer_bits: int
    float_bits: int
    cpu: str
    mask_bits: bool = False
    calling: str = ""

    def bits(self, type_: Type) -> int:
        return self.integer_bits if isinstance(type_, IntType | PointerType) else self.float_bits


SSE: Final = InstructionSet("b", 128, 128, "x86-64")
AVX: Final = InstructionSet("c", 128, 256, "sandybridge")
AVX2: Final = InstructionSet("d", 256, 256, "x86-64-v3")
AVX512: Final = InstructionSet("e", 512, 512, "x86-64-v4", mask_bits=True)
ADVSIMD: Final = InstructionSet("n", 128, 128, "neon", calling="aarch64_vector_pcs")
ADVSIMD_HALF: Final = InstructionSet("n", 64, 64, "neon", calling="aarch64_vector_pcs")
"""Versions for 64-bit registers."""


@dataclass(frozen=True, slots=True)
class Signature:
    """All properties of one version in the ABI; `alignments` are the bytes that pointers are declared aligned to, or 0."""

    function: Function
    shapes: tuple[ParameterShape, ...]
    alignments: tuple[int, ...]
    isa: InstructionSet
    lanes: int
    mask: bool

    @property
    def name(self) -> str:
        letters = "".join(map(self._letter, self.shapes, self.alignments))
        return f"_ZGV{self.isa.letter}{'M' if self.mask else 'N'}{self.lanes}{letters}_{self.function.name}"

    def _letter(self, shape: ParameterShape, alignment: int) -> str:
        aligned = f"a{alignment}" if alignment else ""
        match shape:
            case Uniform():
                return f"u{aligned}"
            case Varying():
                return f"v{aligned}"
            case Linear(step=step, unit=unit):
                return f"l{self._step(step, unit)}{aligned}"

    def _step(self, step: int | str, unit: int) -> str:
        if isinstance(step, str):
            return f"s{[p.var.name for p in self.function.parameters].index(step)}"
        distance = step * unit
        return "" if distance == 1 else f"n{-distance}" if distance < 0 else str(distance)

    @property
    def convention(self) -> Convention:
        own = [parameter.var.type for parameter in self.function.parameters]
        passed = [self._pieces(t) if s == Varying() else None for t, s in zip(own, self.shapes, strict=True)]
        result = () if isinstance(self.function.result, VoidType) else self._pieces(self.function.result)
        return Convention(tuple(passed), result, self._mask_pieces() if self.mask else (), self.isa.calling)

    def _pieces(self, type_: Type) -> tuple[Vector, ...]:
        element = I64 if isinstance(type_, PointerType) else type_
        lanes = min(self.lanes, self.isa.bits(type_) // bits_of(type_))
        return (Vector(element, lanes, packed=lanes * bits_of(type_) < 64),) * (self.lanes // lanes)

    def _mask_pieces(self) -> tuple[Piece, ...]:
        type_ = characteristic_type(self.function, self.shapes)
        vectors = self._pieces(type_)
        if not self.isa.mask_bits:
            return tuple(map(LaneWords, vectors))
        width = 64 if bits_of(type_) == 8 else 32
        return tuple(MaskBits(vector.lanes, width) for vector in vectors)


def characteristic_type(function: Function, shapes: Sequence[ParameterShape]) -> Type:
    """What decides how many lanes fill a register: the result, else the first varying parameter, else int."""
    if not isinstance(function.result, VoidType):
        return function.result
    varying = [p.var.type for p, s in zip(function.parameters, shapes, strict=True) if s == Varying()]
    return varying[0] if varying else I32


def instruction_sets(target: Target) -> tuple[InstructionSet, ...]:
    """Those of the target's architecture: a loop may be compiled for any of them."""
    return (SSE, AVX, AVX2, AVX512) if target.architecture == "x86_64" else (ADVSIMD_HALF, ADVSIMD)


def default_lanes(isa: InstructionSet, type_: Type) -> int:
    """How many lanes of the characteristic type fill a register."""
    return isa.bits(type_) // bits_of(type_)


def target_of(isa: InstructionSet, target: Target) -> Target:
    """What a version for `isa` is compiled for: `target` with registers of that width where it has the instruction set, else
    the least processor that does.
    """
    return replace(target if isa in _own(target) else resolve_target(isa.cpu), register_bits=isa.float_bits)


def _own(target: Target) -> tuple[InstructionSet, ...]:
    """The instruction sets that a target has."""
    if target.architecture != "x86_64":
        return (ADVSIMD_HALF, ADVSIMD)
    if target.register_bits == 512:
        return (SSE, AVX, AVX2, AVX512)
    if target.register_bits == 128:
        return (SSE,)
    avx2 = "+avx2" in target.features or "avx2" in cpus.NEEDED_FEATURES.get(target.cpu, ())
    return (SSE, AVX, AVX2) if avx2 else (SSE, AVX)
