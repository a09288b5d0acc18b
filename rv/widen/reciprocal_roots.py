"""1 / sqrt(x) by an estimate y of 14 bits, which AVX-512 has, and a step that makes it good: for fast modes.

With e = 1 - x y^2, at most 2^-13, it is y (1 - e)^(-1/2) = y (1 + e / 2 + 3/8 e^2 + 5/16 e^3 + ...): one term for floats and
three for doubles give it to 1.3 units in the last place. The estimates of 0, infinity and negative numbers are the results; there
e is a NaN.
"""

from __future__ import annotations

from rv.ir.types import I1, FloatType
from rv.ir.values import const_float
from rv.widen.avx512 import emit_unary
from rv.widen.lines import LlvmBlock
from rv.widen.llvm_text import constant_text, type_text


def emit_reciprocal_root(block: LlvmBlock, type_: FloatType, x: str, lanes: int, *, avx512_from: int) -> str:
    """1 / sqrt(x) in every lane; by the divider where there is no such estimate."""
    vector, truth = type_text(type_, lanes), type_text(I1, lanes)
    suffix = f"{'' if lanes == 1 else f'v{lanes}'}f{type_.bits}"

    def number(value: float) -> str:
        return constant_text(const_float(type_, value), lanes)

    def line(text: str, *uses: str) -> str:
        return block.pure(text, uses, weight=float(lanes > 1))

    def call(name: str, *operands: str) -> str:
        block.function.declare(f"{name}.{suffix}", f"declare {vector} @{name}.{suffix}({', '.join([vector] * len(operands))})")
        return line(f"call {vector} @{name}.{suffix}({', '.join(f'{vector} {operand}' for operand in operands)})", *operands)

    if lanes == 1 or not avx512_from:
        root = call("llvm.sqrt", x)
        return line(f"fdiv {vector} {number(1)}, {root}", root)
    y = emit_unary(block, "rsqrt14", type_, x, lanes, avx512_from)
    product = line(f"fmul {vector} {x}, {y}", x, y)
    opposite = line(f"fneg {vector} {product}", product)
    lack = call("llvm.fma", opposite, y, number(1))
    terms = (0.3125, 0.375, 0.5) if type_.bits == 64 else (0.5,)
    series = number(terms[0])
    for term in terms[1:]:
        series = call("llvm.fma", series, lack, number(term))
    step = line(f"fmul {vector} {y}, {lack}", y, lack)
    better = call("llvm.fma", step, series, y)
    known = line(f"fcmp ord {vector} {lack}, {number(0)}", lack)
    return line(f"select {truth} {known}, {vector} {better}, {vector} {y}", known, better, y)
