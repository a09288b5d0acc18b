"""1 / sqrt(x) by an estimate y of 14 bits, which AVX-512 has, and a step that makes it good: for fast modes.

With e = 1 - x y^2, at most 2^-13, it is y (1 - e)^(-1/2) = y (1 + e / 2 + 3/8 e^2 + 5/16 e^3 + ...): one term for floats and
three for doubles give it to 1.3 units in the last place. The estimates of 0, infinity and negative numbers are the results; there
e is a NaN.
"""

from __future__ import annotations

from rv.ir.types import FloatType
from rv.vector.instructions import Elementwise, Native, Negate
from rv.vector.types import element_of, lanes_of
from rv.vector.values import Operand, number
from rv.vector.writer import BlockWriter


def emit_reciprocal_root(block: BlockWriter, x: Operand, *, avx512: bool) -> Operand:
    """1 / sqrt(x) in every lane; by the divider where there is no such estimate."""
    type_, lanes = element_of(x.type), lanes_of(x.type)
    assert isinstance(type_, FloatType)
    one = number(type_, 1, lanes)
    if lanes == 1 or not avx512:
        return block.binary("fdiv", one, block.add(Elementwise("sqrt", (x,))))
    y = block.add(Native("rsqrt14", (x,)))
    opposite = block.add(Negate(block.binary("fmul", x, y)))
    lack = block.add(Elementwise("fma", (opposite, y, one)))
    terms = (0.3125, 0.375, 0.5) if type_.bits == 64 else (0.5,)
    series: Operand = number(type_, terms[0], lanes)
    for term in terms[1:]:
        series = block.add(Elementwise("fma", (series, lack, number(type_, term, lanes))))
    step = block.binary("fmul", y, lack)
    better = block.add(Elementwise("fma", (step, series, y)))
    return block.select(block.compare("ord", lack, number(type_, 0, lanes)), better, y)
