"""Calls of LLVM's intrinsic functions: the text of a call, and the declaration that its module needs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, assert_never

from rv.emit.operands import mangled, text, typed
from rv.ir.types import PTR, VOID, FloatType, IntType, bits_of
from rv.vector.instructions import (
    AddDots,
    Elementwise,
    Gather,
    Load,
    LoadApart,
    Native,
    Reduce,
    Scatter,
    Store,
    StoreTogether,
    SumNeighbours,
)
from rv.vector.types import ValueType, VectorType, element_of, lanes_of, truth_of
from rv.vector.values import TRUE, Constant, Operand, i32, zeros

CURRENT_ROUNDING: Final = 4
ROUND_UP: Final = 10
NANS_AND_INFINITIES: Final = 0x99
MANTISSA_FROM_1_TO_2: Final = 0
NAN_OF_NEGATIVE: Final = 3
"""For the sign of a mantissa: a NaN for negative numbers, and +1 for -0."""


@dataclass(frozen=True, slots=True)
class Intrinsic:
    """A call of `name`; `arguments` are typed operands, `parameters` their types. `flags` stand before the type of the result."""

    name: str
    result: str
    parameters: tuple[str, ...]
    arguments: tuple[str, ...]
    flags: str = ""

    @property
    def declaration(self) -> str:
        return f"declare {self.result} @{self.name}({', '.join(self.parameters)})"

    @property
    def text(self) -> str:
        return f"call{self.flags} {self.result} @{self.name}({', '.join(self.arguments)})"


def intrinsic(name: str, result: ValueType, operands: Sequence[Operand], flags: str = "") -> Intrinsic:
    """A call with these operands."""
    return Intrinsic(name, str(result), tuple(str(o.type) for o in operands), tuple(map(typed, operands)), flags)


def elementwise(instruction: Elementwise, flags: str) -> Intrinsic:
    name = f"llvm.{instruction.name}.{mangled(instruction.type)}"
    extra = (TRUE,) if instruction.name in ("cttz", "ctlz") else ()
    return intrinsic(name, instruction.type, (*instruction.operands, *extra), flags)


_NEIGHBOURS: Final = {
    ("differences", 128): "llvm.x86.sse2.psad.bw", ("products", 128): "llvm.x86.sse2.pmadd.wd",
    ("differences", 256): "llvm.x86.avx2.psad.bw", ("products", 256): "llvm.x86.avx2.pmadd.wd",
    ("differences", 512): "llvm.x86.avx512.psad.bw.512", ("products", 512): "llvm.x86.avx512.pmaddw.d.512",
}  # fmt: skip


def neighbours(instruction: SumNeighbours) -> Intrinsic:
    own = instruction.operands[0].type
    name = _NEIGHBOURS.get((instruction.op, bits_of(element_of(own)) * lanes_of(own)))
    if name is None:
        name = f"llvm.aarch64.neon.{instruction.op[0]}addlp.{mangled(instruction.type)}.{mangled(own)}"
    return intrinsic(name, instruction.type, instruction.operands)


def dots(instruction: AddDots, *, x86: bool) -> Intrinsic:
    """x86-64 wants the factor without sign first."""
    factors, signs = (instruction.left, instruction.right), instruction.signs
    if signs == (True, False):
        factors, signs = factors[::-1], (False, True)
    own, bits = factors[0].type, bits_of(element_of(factors[0].type)) * lanes_of(factors[0].type)
    letters = "".join("s" if sign else "u" for sign in signs)
    if bits_of(element_of(own)) == 16:
        name = f"llvm.x86.avx512.vpdpwssd.{bits}"
    elif x86 and signs == (False, True):
        name = f"llvm.x86.avx512.vpdpbusd.{bits}"
    elif x86:
        name = f"llvm.x86.{'avx10' if bits == 512 else 'avx2'}.vpdpb{letters}d.{bits}"
    else:
        operation = f"{letters if signs == (False, True) else letters[0]}dot"
        name = f"llvm.aarch64.neon.{operation}.{mangled(instruction.type)}.{mangled(own)}"
    return intrinsic(name, instruction.type, (instruction.so_far, *factors))


def saturating(op: str, left: Operand, right: Operand) -> Intrinsic:
    return intrinsic(f"llvm.{op.replace('_', '.')}.{mangled(left.type)}", left.type, (left, right))


def reduction(instruction: Reduce, flags: str) -> Intrinsic:
    name = f"llvm.vector.reduce.{instruction.op}.{mangled(instruction.vector.type)}"
    start = () if instruction.start is None else (instruction.start,)
    return intrinsic(name, instruction.type, (*start, instruction.vector), flags)


def masked_load(load: Load) -> Intrinsic:
    """A vector load under a mask.

    LLVM 22 makes one instruction of a masked load and a later `select` under the same mask, at the place of the latter, even when
    the memory has been overwritten in between. Predicated loads are not folded.
    """
    assert load.mask is not None
    type_, pointer = load.type, _aligned(load.pointer, load.access.align)
    lanes = lanes_of(type_)
    if load.access.written and not load.zeroing and lanes > 1:
        name, last = f"llvm.vp.load.{mangled(type_)}.p0", typed(i32(lanes))
        kinds = (str(PTR), str(load.mask.type), "i32")
    else:
        name, last = f"llvm.masked.load.{mangled(type_)}.p0", f"{type_} zeroinitializer"
        kinds = (str(PTR), str(load.mask.type), str(type_))
    return Intrinsic(name, str(type_), kinds, (pointer, typed(load.mask), last))


def masked_store(store: Store) -> Intrinsic:
    assert store.mask is not None
    type_ = store.value.type
    name = f"llvm.masked.store.{mangled(type_)}.p0"
    arguments = (typed(store.value), _aligned(store.pointer, store.access.align), typed(store.mask))
    return Intrinsic(name, "void", (str(type_), str(PTR), str(store.mask.type)), arguments)


def load_apart(instruction: LoadApart) -> Intrinsic:
    members = instruction.type.members
    return intrinsic(f"llvm.aarch64.neon.ld{len(members)}.{mangled(members[0])}.p0", instruction.type, [instruction.pointer])


def store_together(instruction: StoreTogether) -> Intrinsic:
    values = instruction.values
    name = f"llvm.aarch64.neon.st{len(values)}.{mangled(values[0].type)}.p0"
    return intrinsic(name, VOID, [*values, instruction.pointer])


def gather(instruction: Gather) -> Intrinsic:
    type_, pointers = instruction.type, instruction.pointers
    name = f"llvm.masked.gather.{mangled(type_)}.{mangled(pointers.type)}"
    arguments = (_aligned(pointers, instruction.access.align), typed(instruction.mask), f"{type_} zeroinitializer")
    return Intrinsic(name, str(type_), (str(pointers.type), str(instruction.mask.type), str(type_)), arguments)


def scatter(instruction: Scatter) -> Intrinsic:
    value, pointers = instruction.value, instruction.pointers
    name = f"llvm.masked.scatter.{mangled(value.type)}.{mangled(pointers.type)}"
    arguments = (typed(value), _aligned(pointers, instruction.access.align), typed(instruction.mask))
    return Intrinsic(name, "void", (str(value.type), str(pointers.type), str(instruction.mask.type)), arguments)


def _aligned(pointer: Operand, align: int) -> str:
    return f"{pointer.type} align {align} {text(pointer)}"


def native(instruction: Native, operands: Sequence[Operand], type_: ValueType) -> Intrinsic:
    """The call on `operands` of `type_`, which fill whole registers."""
    if instruction.name == "pdep":
        return intrinsic("llvm.x86.bmi.pdep.64", type_, operands)
    element = element_of(type_)
    assert isinstance(element, FloatType) and isinstance(type_, VectorType)
    lanes, bits = type_.lanes, element.bits * type_.lanes
    suffix = f"{'pd' if element.bits == 64 else 'ps'}.{bits}"
    everywhere = IntType(max(lanes, 8))
    unmasked: tuple[Operand, ...] = (zeros(type_), Constant(everywhere, ((1 << everywhere.bits) - 1,)))
    rounding = (i32(CURRENT_ROUNDING),) if bits == 512 else ()
    match instruction.name:
        case "rcp14" | "rsqrt14":
            return intrinsic(f"llvm.x86.avx512.{instruction.name}.{suffix}", type_, (*operands, *unmasked))
        case "getexp":
            return intrinsic(f"llvm.x86.avx512.mask.getexp.{suffix}", type_, (*operands, *unmasked, *rounding))
        case "getmant":
            form = i32(NAN_OF_NEGATIVE << 2 | MANTISSA_FROM_1_TO_2)
            return intrinsic(f"llvm.x86.avx512.mask.getmant.{suffix}", type_, (*operands, form, *unmasked, *rounding))
        case "fma_up":
            return intrinsic(f"llvm.x86.avx512.vfmadd.{suffix}", type_, (*operands, i32(ROUND_UP)))
        case "not_finite":
            return intrinsic(f"llvm.x86.avx512.fpclass.{suffix}", truth_of(type_), (*operands, i32(NANS_AND_INFINITIES)))
        case _:
            assert_never(instruction.name)


def full_register(type_: ValueType, least: int) -> ValueType:
    """The smallest type that fills vector registers, of at least `least` bits, and has all lanes of `type_`."""
    element, lanes = element_of(type_), lanes_of(type_)
    if not isinstance(element, FloatType):
        return type_
    return VectorType(element, max(least // element.bits, 1 << (lanes - 1).bit_length()))
