"""The parts of a number, 2^exponent times mantissa: an instruction each with AVX-512, a few operations on the bits elsewhere.

`rv.ir.libm` defines them; both implementations are bit-identical.
"""

from __future__ import annotations

import math
from typing import Literal

from rv.ir.instructions import BinaryOp, FloatPredicate
from rv.ir.types import FloatType, IntType
from rv.vector.instructions import Elementwise, Native
from rv.vector.types import element_of, lanes_of, with_element
from rv.vector.values import Constant, Operand, number, word
from rv.vector.writer import BlockWriter

Part = Literal["exponent", "mantissa"]


def emit_part(block: BlockWriter, part: Part, x: Operand, *, instruction: bool) -> Operand:
    """The `exponent` or `mantissa` of a number in every lane; `instruction`: the target has AVX-512."""
    if instruction and lanes_of(x.type) > 1:
        return block.add(Native("getexp" if part == "exponent" else "getmant", (x,)))
    bits = _Bits(block, x)
    return bits.exponent() if part == "exponent" else bits.mantissa()


class _Bits:
    """Operations on the bits of one number for each lane."""

    def __init__(self, block: BlockWriter, x: Operand) -> None:
        type_ = element_of(x.type)
        assert isinstance(type_, FloatType)
        self.block = block
        self.x = x
        self.lanes = lanes_of(x.type)
        self.type = type_
        self.integer = IntType(type_.bits)
        self.fraction = 52 if type_.bits == 64 else 23
        self.bias = 1023 if type_.bits == 64 else 127

    def exponent(self) -> Operand:
        size, small, bits = self.normal()
        biased = self.bitwise("lshr", bits, self.fraction)
        # a number of 2^52 (2^23) and more holds an integer in its lowest bits
        whole = self.number(self.bitwise("or", biased, self.fraction + self.bias << self.fraction))
        above = float(self.bias + 2**self.fraction)
        lift = self.block.select(small, self.constant(above + self.fraction + 2), self.constant(above))
        found = self.block.binary("fsub", whole, lift)
        found = self.block.select(self.compared("oeq", size, 0.0), self.constant(-math.inf), found)
        return self.block.select(self.compared("olt", size, math.inf), found, size)

    def mantissa(self) -> Operand:
        _, _, bits = self.normal()
        fraction = self.bitwise("and", bits, (1 << self.fraction) - 1)
        found = self.number(self.bitwise("or", fraction, self.bias << self.fraction))
        return self.block.select(self.compared("oge", self.x, 0.0), found, self.constant(math.nan))

    def normal(self) -> tuple[Operand, Operand, Operand]:
        """|x|, whether it is less than all normal numbers, and its bits, times a power of two then."""
        size = self.block.add(Elementwise("fabs", (self.x,)))
        small = self.compared("olt", size, 2.0 ** (1 - self.bias))
        up = self.block.binary("fmul", size, self.constant(2.0 ** (self.fraction + 2)))
        normal = self.block.select(small, up, size)
        return size, small, self.block.convert("bitcast", normal, with_element(self.x.type, self.integer))

    def constant(self, value: float) -> Constant:
        return number(self.type, value, self.lanes)

    def bitwise(self, op: BinaryOp, x: Operand, value: int) -> Operand:
        return self.block.binary(op, x, word(self.integer, value, self.lanes))

    def number(self, bits: Operand) -> Operand:
        return self.block.convert("bitcast", bits, with_element(bits.type, self.type))

    def compared(self, predicate: FloatPredicate, x: Operand, value: float) -> Operand:
        return self.block.compare(predicate, x, self.constant(value))
