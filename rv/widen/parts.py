"""The parts of a number, 2^exponent times mantissa: an instruction each with AVX-512, a few operations on the bits elsewhere.

`rv.semantics.libm` says what they are; both ways give that, to the bit.
"""

from __future__ import annotations

import math
from typing import Final

from rv.ir.types import I1, FloatType, IntType
from rv.ir.values import const_float, const_int
from rv.widen.avx512 import emit_unary
from rv.widen.lines import LlvmBlock
from rv.widen.llvm_text import constant_text, type_text

BETWEEN_1_AND_2: Final = 0
NAN_OF_NEGATIVE: Final = 3
"""For the sign: a NaN for negative numbers, and +1 for -0."""


def emit_part(block: LlvmBlock, name: str, type_: FloatType, x: str, lanes: int, *, avx512_from: int) -> str:
    """The `exponent` or `mantissa` of a number in every lane; `avx512_from`: see `Target`."""
    if avx512_from and lanes > 1:
        if name == "exponent":
            return emit_unary(block, "mask.getexp", type_, x, lanes, avx512_from)
        return emit_unary(block, "mask.getmant", type_, x, lanes, avx512_from, immediate=NAN_OF_NEGATIVE << 2 | BETWEEN_1_AND_2)
    bits = _Bits(block, type_, lanes)
    return bits.exponent(x) if name == "exponent" else bits.mantissa(x)


class _Bits:
    """Operations on the bits of vectors of one type."""

    def __init__(self, block: LlvmBlock, type_: FloatType, lanes: int) -> None:
        self.block = block
        self.lanes = lanes
        self.type = type_
        self.integer = IntType(type_.bits)
        self.fraction = 52 if type_.bits == 64 else 23
        self.bias = 1023 if type_.bits == 64 else 127

    def exponent(self, x: str) -> str:
        size, small, bits = self.normal(x)
        biased = self.bitwise("lshr", bits, self.fraction)
        # a number of 2^52 (2^23) and more holds an integer in its lowest bits
        whole = self.number(self.bitwise("or", biased, self.fraction + self.bias << self.fraction))
        above = float(self.bias + 2**self.fraction)
        lift = self.chosen(small, self.constant(above + self.fraction + 2), self.constant(above))
        found = self.line(f"fsub {self.floats} {whole}, {lift}", [whole, lift])
        found = self.chosen(self.compared("oeq", size, 0.0), self.constant(-math.inf), found)
        return self.chosen(self.compared("olt", size, math.inf), found, size)

    def mantissa(self, x: str) -> str:
        _, _, bits = self.normal(x)
        fraction = self.bitwise("and", bits, (1 << self.fraction) - 1)
        found = self.number(self.bitwise("or", fraction, self.bias << self.fraction))
        return self.chosen(self.compared("oge", x, 0.0), found, self.constant(math.nan))

    def normal(self, x: str) -> tuple[str, str, str]:
        """|x|, whether it is less than all normal numbers, and its bits, times a power of two then."""
        name = f"llvm.fabs.{'' if self.lanes == 1 else f'v{self.lanes}'}f{self.type.bits}"
        self.block.function.declare(name, f"declare {self.floats} @{name}({self.floats})")
        size = self.line(f"call {self.floats} @{name}({self.floats} {x})", [x])
        small = self.compared("olt", size, 2.0 ** (1 - self.bias))
        up = self.line(f"fmul {self.floats} {size}, {self.constant(2.0 ** (self.fraction + 2))}", [size])
        normal = self.chosen(small, up, size)
        return size, small, self.line(f"bitcast {self.floats} {normal} to {type_text(self.integer, self.lanes)}", [normal])

    @property
    def floats(self) -> str:
        return type_text(self.type, self.lanes)

    def line(self, text: str, uses: list[str]) -> str:
        return self.block.pure(text, uses, weight=float(self.lanes > 1))

    def constant(self, value: float) -> str:
        return constant_text(const_float(self.type, value), self.lanes)

    def bitwise(self, op: str, x: str, value: int) -> str:
        text = constant_text(const_int(self.integer, value), self.lanes)
        return self.line(f"{op} {type_text(self.integer, self.lanes)} {x}, {text}", [x])

    def number(self, bits: str) -> str:
        return self.line(f"bitcast {type_text(self.integer, self.lanes)} {bits} to {self.floats}", [bits])

    def compared(self, predicate: str, x: str, value: float) -> str:
        return self.line(f"fcmp {predicate} {self.floats} {x}, {self.constant(value)}", [x])

    def chosen(self, condition: str, x: str, y: str) -> str:
        truth = type_text(I1, self.lanes)
        return self.line(f"select {truth} {condition}, {self.floats} {x}, {self.floats} {y}", [condition, x, y])
