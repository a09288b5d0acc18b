"""Registers of elements that lie a few apart, as pixels have them: loads and stores of 2 to 4 registers at once.

    r = p[3 * i]; g = p[3 * i + 1]; b = p[3 * i + 2];          ld3 { v0.16b, v1.16b, v2.16b }, [x0]

AArch64 has instructions for that. For triples of bytes on AVX2 LLVM makes the shortest shuffles, of one long load whose lanes are
only taken apart, and of a store of lanes that are put together. All elements in between must belong to some register, or be
readable: nothing else may be touched.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Final

from rv.ir.types import I16, I32, Type, bits_of, size_of
from rv.target.machine import Target
from rv.vector.instructions import Access, Load, LoadApart, Member, Store, StoreTogether
from rv.vector.types import TupleType, VectorType
from rv.vector.values import Operand, i64, word
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import Element
from tensorrv.brush.memory.chunks import Chunk

STRIDES: Final = (2, 3, 4)
REGISTERS: Final = (64, 128)
"""Bits."""
TRIPLES: Final = (3,)
REGISTERS_OF_TRIPLES: Final = (128, 256)
IN_WORDS: Final = 4
REGISTERS_OF_WORDS: Final = (128, 256, 512)
"""Of bytes four apart, which x86-64 takes out of words."""


@dataclass(frozen=True, slots=True)
class Interleaved:
    """A run of elements in which registers alternate; their numbers, in order, None where no lane touches the elements."""

    chunk: Chunk
    registers: tuple[int | None, ...]

    @property
    def stride(self) -> int:
        return len(self.registers)


def find_interleaved(
    target: Target, type_: Type, touched: Sequence[Sequence[Element]], readable: Collection[Element] | None = None
) -> tuple[Interleaved, ...]:
    """The runs that registers make up, given the elements of each; no register is in two.

    Loads have `readable` elements: fewer than half of a run's registers may lack where all its elements are among them.
    """
    strides = {}
    for k, own in enumerate(touched):
        stride = _stride(own)
        if is_known(target, bits_of(type_), stride, len(own), stored=readable is None):
            strides[k] = stride
    number = {(touched[k][0], stride, len(touched[k])): k for k, stride in strides.items()}
    found: list[Interleaved] = []
    used: set[int] = set()
    for (start, stride, lanes), _ in sorted(number.items()):
        keys = [((*start[:-1], start[-1] + offset), stride, lanes) for offset in range(stride)]
        registers = tuple(number.get(key) for key in keys)
        there = {k for k in registers if k is not None}
        chunk = Chunk(start, stride * lanes)
        may_lack = readable is not None and 2 * len(there) > stride and all(e in readable for e in chunk.elements())
        whole = len(there) == stride or (may_lack and _gives_parts(target, stride))
        if whole and used.isdisjoint(there):
            found.append(Interleaved(chunk, registers))
            used.update(there)
    return tuple(found)


def is_known(target: Target, bits: int, stride: int, lanes: int, *, stored: bool) -> bool:
    """Whether registers of so many lanes, of elements of so many bits a stride apart, are accessed together."""
    if target.architecture == "aarch64":
        return stride in STRIDES and lanes * bits in REGISTERS
    if bits != 8:
        return False
    if stride == IN_WORDS:
        return not stored and lanes * bits in REGISTERS_OF_WORDS
    return stride in TRIPLES and lanes * bits in REGISTERS_OF_TRIPLES and target.short_bits == 256 and not target.avx512_from


def _gives_parts(target: Target, stride: int) -> bool:
    """Whether some of the registers of a run may be left out; LLVM would shorten the load of triples."""
    return target.architecture == "aarch64" or in_words(target, stride)


def in_words(target: Target, stride: int) -> bool:
    """Whether registers are made of words, which are shifted and truncated."""
    return target.architecture == "x86_64" and stride == IN_WORDS


def _stride(touched: Sequence[Element]) -> int:
    """How far the elements of neighbouring lanes are apart in one row; 0 if that differs."""
    if len(touched) < 2:
        return 0
    stride = touched[1][-1] - touched[0][-1]
    regular = all(e == (*touched[0][:-1], touched[0][-1] + stride * k) for k, e in enumerate(touched))
    return stride if regular else 0


def load_run(site: Site, type_: Type, address: Operand, access: Access, run: Interleaved) -> list[Operand]:
    """The registers of a run at an address."""
    lanes = run.chunk.length // run.stride
    if site.context.target.architecture == "aarch64":
        loaded = site.block.add(LoadApart(address, TupleType((VectorType(type_, lanes),) * run.stride), access))
        return [site.block.add(Member(loaded, k)) for k in range(run.stride)]
    if in_words(site.context.target, run.stride):
        if _has_two_source_permutes(site.context.target, lanes):
            return _from_shorts(site, type_, address, access, lanes)
        words = site.block.add(Load(address, VectorType(I32, lanes), access))
        moved = [site.block.binary("lshr", words, word(I32, 8 * k, lanes)) for k in range(run.stride)]
        return [site.block.convert("trunc", own, VectorType(type_, lanes)) for own in moved]
    whole = site.block.add(Load(address, VectorType(type_, run.chunk.length), access))
    return [site.block.shuffle(whole, None, range(k, run.chunk.length, run.stride)) for k in range(run.stride)]


def _has_two_source_permutes(target: Target, lanes: int) -> bool:
    """Whether one instruction takes shorts out of two registers of so many (`vpermt2w` of AVX-512BW)."""
    bits = lanes * bits_of(I16)
    return bool(target.avx512_from) and target.avx512_from <= bits <= min(target.short_bits, target.register_bits)


def _from_shorts(site: Site, type_: Type, address: Operand, access: Access, lanes: int) -> list[Operand]:
    """Bytes four apart as halves of shorts, of which one shuffle of two registers takes every second one."""
    shorts = VectorType(I16, lanes)
    half = IN_WORDS // 2 * lanes
    first, second = (access.part(start, half, size_of(type_)) for start in (0, half))
    low = site.block.add(Load(address, shorts, first))
    high = site.block.add(Load(site.block.address(address, i64(half), type_), shorts, second))
    pairs = [site.block.shuffle(low, high, range(k, 2 * lanes, 2)) for k in range(IN_WORDS // 2)]
    moved = [site.block.binary("lshr", pair, word(I16, bits, lanes)) for pair in pairs for bits in (0, bits_of(type_))]
    return [site.block.convert("trunc", own, VectorType(type_, lanes)) for own in moved]


def store_run(site: Site, values: Sequence[Operand], address: Operand, access: Access, run: Interleaved) -> None:
    """Writes the registers of a run to an address."""
    if site.context.target.architecture == "aarch64":
        site.block.effect(StoreTogether(tuple(values), address, access))
    else:
        site.block.effect(Store(_put_together(site, values, run), address, access))


def _put_together(site: Site, values: Sequence[Operand], run: Interleaved) -> Operand:
    lanes = run.chunk.length // run.stride
    order = [k * lanes + lane for lane in range(lanes) for k in range(run.stride)]
    if run.stride == 2:
        return site.block.shuffle(values[0], values[1], order)
    first = site.block.shuffle(values[0], values[1], range(2 * lanes))
    last = values[3] if run.stride == 4 else None
    lanes_of_second = [*range(lanes), *(range(lanes, 2 * lanes) if last is not None else [-1] * lanes)]
    return site.block.shuffle(first, site.block.shuffle(values[2], last, lanes_of_second), order)
