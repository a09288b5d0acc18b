"""Sums of narrow numbers in a wider type, of which neighbouring lanes are added early.

    for all i: sum += a[i] * b[i]         of 64 bytes on AVX-512: two registers of shorts, `vpmaddwd`, 16 sums of ints

The lanes of an integer sum may be added in any order, so a register of narrow numbers need not become several of wide ones.
Only the total of the sums' lanes means anything. Here is what a number, a product, or the difference of two bytes becomes, on
x86-64 (`vpsadbw`, `vpmaddwd`) and on AArch64 (additions of pairs, widening products), and where products of four bytes or two
shorts are added to words by one instruction (`Target.dots`: `vpdpbusd`, `udot`).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal

from rv.ir.types import I1, I8, I16, I32, IntType, bits_of
from rv.target.machine import Target
from rv.vector.instructions import AddDots, SumNeighbours
from rv.vector.types import VectorType, element_of, lanes_of, with_element
from rv.vector.values import Constant, Operand, integers, word
from rv.vector.writer import BlockWriter

AddendKind = Literal["number", "product", "difference"]
SHORT: Final = 16
LEAST_BITS: Final = 128
"""Of a vector whose neighbours are added."""


@dataclass(frozen=True, slots=True)
class Addend:
    """What is added to each lane: a number, the product of two, or the absolute difference of two bytes without sign.

    Each factor has so many bits (`widths`), and a sign or not.
    """

    kind: AddendKind
    widths: tuple[int, ...]
    signs: tuple[bool, ...]

    @property
    def bits(self) -> int:
        """Those of the wider of its factors."""
        return max(self.widths)

    @property
    def signs_together(self) -> tuple[bool, ...]:
        """Whether factors of the bits of the wider one have a sign: what is wider than a number without sign holds its sign."""
        return tuple(sign or width < self.bits for sign, width in zip(self.signs, self.widths, strict=True))


def is_known(addend: Addend, total: IntType, target: Target) -> bool:
    """Whether there are instructions for it: `vpmaddwd` has a sign, and two of its products may have 32 bits."""
    x86 = target.architecture == "x86_64"
    if addend.kind == "product" and addend.bits == 16:
        unsigned = not all(addend.signs_together)
        return total == I32 and not (unsigned and x86)
    return addend.kind != "difference" or x86


def lanes_of_sum(addend: Addend, total: IntType, lanes: int, target: Target) -> int:
    """The lanes of the sums of so many lanes; 0 where they are too few to have neighbours."""
    width = target.short_bits
    whole = min(lanes * addend.bits, width)
    if lanes & (lanes - 1) or whole < LEAST_BITS:
        return 0
    if addend.kind == "product" and addend.bits == 8 and not is_dot(addend, target) and not _is_in_place(addend, target):
        whole = min(2 * whole, width)  # as shorts
    return whole // total.bits


def is_dot(addend: Addend, target: Target) -> bool:
    """Whether one instruction adds it to words, numbers as their products with 1."""
    first, *others = addend.signs_together
    return addend.kind != "difference" and (addend.bits, _ordered((first, *(others or (first,))))) in target.dots


def dots_in_row(addend: Addend, target: Target) -> int:
    """How many such instructions add a register, one after the other: bytes may have to become two registers of shorts."""
    if is_dot(addend, target):
        return 1
    x86, shorts = target.architecture == "x86_64", (16, (True, True)) in target.dots
    return 2 if x86 and shorts and addend.kind == "product" and addend.bits == 8 else 0


def _is_in_place(addend: Addend, target: Target) -> bool:
    """Whether bytes become shorts where they are: on x86-64 more ports mask and shift than move across blocks."""
    return addend.kind == "product" and addend.bits == 8 and not any(addend.signs) and target.architecture == "x86_64"


def _ordered(signs: tuple[bool, ...]) -> tuple[bool, bool]:
    first, second = sorted(signs)
    return first, second


def emit_sum(
    block: BlockWriter, so_far: Operand, addend: Addend, factors: Sequence[Operand], target: Target, mask: Operand | None
) -> Operand:
    """The sums with an addend of each lane in the mask; factors are bytes, shorts, or truth values."""
    total = element_of(so_far.type)
    assert isinstance(total, IntType)
    emitter = _Emitter(block, target, total)
    numbers = [emitter.masked(emitter.number(factor, addend.bits), mask) for factor in factors]
    return emitter.added(so_far, addend, numbers)


@dataclass(frozen=True, slots=True)
class _Emitter:
    block: BlockWriter
    target: Target
    total: IntType

    @property
    def x86(self) -> bool:
        return self.target.architecture == "x86_64"

    @property
    def width(self) -> int:
        return self.target.short_bits

    def number(self, factor: Operand, bits: int) -> Operand:
        """A truth value as 0 or 1."""
        if element_of(factor.type) != I1:
            return factor
        lanes, type_ = lanes_of(factor.type), IntType(bits)
        return self.block.select(factor, word(type_, 1, lanes), word(type_, 0, lanes))

    def masked(self, factor: Operand, mask: Operand | None) -> Operand:
        return factor if mask is None else self.block.select(mask, factor, _spread(factor, 0))

    def added(self, so_far: Operand, addend: Addend, factors: Sequence[Operand]) -> Operand:
        if is_dot(addend, self.target):
            return self.with_dots(so_far, addend, factors)
        if addend.kind == "product" and addend.bits == 8 and self.x86:
            for pair in self.shorts(addend, factors):
                so_far = self.added(so_far, Addend("product", (SHORT, SHORT), (True, True)), pair)
            return so_far
        for part in self.parts(addend, factors):
            so_far = self.block.binary("add", so_far, self.folded(part, lanes_of(so_far.type)))
        return so_far

    def with_dots(self, so_far: Operand, addend: Addend, factors: Sequence[Operand]) -> Operand:
        wide = [self.extended(f, sign, IntType(addend.bits)) for f, sign in zip(factors, addend.signs, strict=True)]
        signs = addend.signs_together
        if len(wide) == 1:
            wide, signs = [*wide, _spread(wide[0], 1)], (*signs, *signs)
        for left, right in zip(*(self.chunks(factor, self.width) for factor in wide), strict=True):
            words = lanes_of(left.type) * addend.bits // 32
            if words == lanes_of(so_far.type) and self.total == I32:
                so_far = self.block.add(AddDots(so_far, left, right, (signs[0], signs[1])))
                continue
            found = self.block.add(AddDots(word(I32, 0, words), left, right, (signs[0], signs[1])))
            for part in self.ints(found, signed=any(signs)):
                so_far = self.block.binary("add", so_far, self.folded(part, lanes_of(so_far.type)))
        return so_far

    def shorts(self, addend: Addend, factors: Sequence[Operand]) -> list[tuple[Operand, Operand]]:
        """Bytes as shorts with sign."""
        if _is_in_place(addend, self.target):
            (a, c), (b, d) = map(self.every_other, factors)
            return [(a, b), (c, d)]
        left, right = (self.extended(f, sign, I16) for f, sign in zip(factors, addend.signs, strict=True))
        return list(zip(self.chunks(left, self.width), self.chunks(right, self.width), strict=True))

    def parts(self, addend: Addend, factors: Sequence[Operand]) -> list[Operand]:
        """Vectors of numbers of the sum's type, whose lanes together are what is added."""
        if addend.kind == "product":
            wide = [self.extended(f, sign, I16) for f, sign in zip(factors, addend.signs, strict=True)]
            return self.products(addend, *wide)
        columns = zip(*(self.chunks(factor, self.width) for factor in factors), strict=True)
        return [part for chunk in columns for part in self.numbers(addend, chunk)]

    def numbers(self, addend: Addend, chunk: tuple[Operand, ...]) -> list[Operand]:
        """The numbers of a register, or the differences of two."""
        (signed, *_), first = addend.signs, chunk[0]
        if not self.x86:
            return self.by_pairs(first, signed=signed)
        if addend.bits == 8:
            return [self.of_bytes(chunk, signed=signed and addend.kind == "number")]
        if signed:
            return self.ints(self.block.add(SumNeighbours("products", (first, word(I16, 1, lanes_of(first.type))))), signed=True)
        both = self.block.convert("bitcast", first, VectorType(I32, lanes_of(first.type) // 2))
        low = self.block.binary("and", both, word(I32, 0xFFFF, lanes_of(both.type)))
        high = self.block.binary("lshr", both, word(I32, 16, lanes_of(both.type)))
        return self.ints(self.block.binary("add", low, high), signed=False)

    def of_bytes(self, chunk: tuple[Operand, ...], *, signed: bool) -> Operand:
        """Differences from zero; numbers with a sign are made larger by 128 before, and their sum smaller."""
        first, lanes = chunk[0], lanes_of(chunk[0].type)
        if signed:
            first = self.block.binary("xor", first, word(I8, 128, lanes))
        found: Operand = self.block.add(SumNeighbours("differences", (first, *(chunk[1:] or (_spread(first, 0),)))))
        if self.total == I32:
            found = self.block.convert("bitcast", found, VectorType(I32, lanes // 4))
        if signed:
            # 8 numbers in each 64 bits
            less = [-8 * 128, 0] if self.total == I32 else [-8 * 128]
            found = self.block.binary("add", found, integers(self.total, less * (lanes // 8)))
        return found

    def every_other(self, factor: Operand) -> tuple[Operand, Operand]:
        """Bytes without sign as shorts: those in even places and those in odd ones, without moving them."""
        both = self.block.convert("bitcast", factor, VectorType(I16, lanes_of(factor.type) // 2))
        even = self.block.binary("and", both, _spread(both, 0xFF))
        return even, self.block.binary("lshr", both, _spread(both, 8))

    def products(self, addend: Addend, left: Operand, right: Operand) -> list[Operand]:
        pairs = list(zip(self.chunks(left, self.width), self.chunks(right, self.width), strict=True))
        if self.x86:
            found = [self.block.add(SumNeighbours("products", pair)) for pair in pairs]
            return [part for one in found for part in self.ints(one, signed=True)]
        signed = any(addend.signs)
        if addend.bits == 8:  # a product of bytes is a short
            return [part for pair in pairs for part in self.by_pairs(self.block.binary("mul", *pair), signed=signed)]
        halves = [[half for own in pair for half in self.chunks(own, self.width // 2)] for pair in pairs]
        return [self.product(addend, *pair) for own in halves for pair in ((own[0], own[2]), (own[1], own[3]))]

    def product(self, addend: Addend, left: Operand, right: Operand) -> Operand:
        one, two = (self.extended(f, sign, self.total) for f, sign in zip((left, right), addend.signs, strict=True))
        return self.block.binary("mul", one, two)

    def by_pairs(self, chunk: Operand, *, signed: bool) -> list[Operand]:
        """Pairs of lanes are added until they are as wide as the sum."""
        while bits_of(element_of(chunk.type)) < self.total.bits:
            chunk = self.block.add(SumNeighbours("signed" if signed else "unsigned", (chunk,)))
        return [chunk]

    def ints(self, found: Operand, *, signed: bool) -> list[Operand]:
        """Ints as numbers of the sum's type."""
        if self.total == I32:
            return [found]
        return self.chunks(self.extended(found, signed, self.total), self.width)

    def extended(self, value: Operand, signed: bool, type_: IntType) -> Operand:
        if bits_of(element_of(value.type)) >= type_.bits:
            return value
        return self.block.convert("sext" if signed else "zext", value, with_element(value.type, type_))

    def chunks(self, value: Operand, bits: int) -> list[Operand]:
        """Parts of a vector that have so many bits at most."""
        lanes = lanes_of(value.type)
        most = bits // bits_of(element_of(value.type))
        if lanes <= most:
            return [value]
        return [self.block.shuffle(value, None, range(k, k + most)) for k in range(0, lanes, most)]

    def folded(self, part: Operand, lanes: int) -> Operand:
        """Its halves added until there are so many lanes."""
        while (own := lanes_of(part.type)) > lanes:
            low, high = (self.block.shuffle(part, None, range(k, k + own // 2)) for k in (0, own // 2))
            part = self.block.binary("add", low, high)
        return part


def _spread(value: Operand, number: int) -> Constant:
    """The number in all lanes of the type of `value`."""
    type_ = element_of(value.type)
    assert isinstance(type_, IntType)
    return word(type_, number, lanes_of(value.type))
