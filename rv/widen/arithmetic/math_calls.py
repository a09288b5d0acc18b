"""Calls of the C library's mathematical functions on scalars and vectors.

Functions whose result is exact become instructions of every lane at once: they give libm's bits. All others are
called lane by lane, so that strict results stay those of the C library.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, cast

from rv.ir.types import F32, F64, FloatMode, FloatType, Type
from rv.semantics.exact_calls import exact_name
from rv.vector.instructions import ELEMENTWISE, Call, Elementwise, ElementwiseName
from rv.vector.types import element_of, lanes_of
from rv.vector.values import Operand, number
from rv.vector.writer import BlockWriter
from rv.widen.arithmetic.parts import Part, emit_part
from rv.widen.arithmetic.reciprocal_roots import emit_reciprocal_root

Extremum = Literal["minnum", "maxnum"]


def emit_call(
    block: BlockWriter,
    callee: str,
    result: Type,
    operands: Sequence[Operand],
    mode: FloatMode,
    *,
    x86: bool,
    avx512: bool = False,
) -> Operand:
    """The result of calling `callee` in every lane of `operands`."""
    exact = exact_name(callee)
    if not isinstance(result, FloatType):
        return _emit_lane_by_lane(block, callee, result, operands)
    if exact in ("exponent", "mantissa"):
        return emit_part(block, cast(Part, exact), operands[0], instruction=avx512)
    if exact == "reciprocal_root":
        return emit_reciprocal_root(block, operands[0], avx512=avx512)
    if exact in ELEMENTWISE:
        return block.add(Elementwise(cast(ElementwiseName, exact), tuple(operands), mode))
    base = callee.removesuffix("f")
    if base in ("fmin", "fmax") and result in (F32, F64):
        return emit_min_max(block, "minnum" if base == "fmin" else "maxnum", operands[0], operands[1], x86=x86)
    return _emit_lane_by_lane(block, callee, result, operands)


def emit_min_max(block: BlockWriter, name: Extremum, x: Operand, y: Operand, *, x86: bool) -> Operand:
    """The C library's fmin (`minnum`) or fmax (`maxnum`): on AArch64 an instruction for which -0 is smaller than +0; on x86 the
    second operand unless the first is smaller (larger) or the second a NaN.
    """
    if not x86:
        return block.add(Elementwise(name, (x, y)))
    better = block.compare("olt" if name == "minnum" else "ogt", x, y)
    chosen = block.select(better, x, y)
    type_ = element_of(y.type)
    assert isinstance(type_, FloatType)
    missing = block.compare("uno", y, number(type_, 0.0, lanes_of(y.type)))
    return block.select(missing, x, chosen)


def _emit_lane_by_lane(block: BlockWriter, callee: str, result: Type, operands: Sequence[Operand]) -> Operand:
    lanes = lanes_of(operands[0].type) if operands else 1
    results: list[Operand] = []
    for lane in range(lanes):
        scalars = [operand if lanes == 1 else block.extract(operand, lane) for operand in operands]
        results.append(block.add(Call(callee, tuple(scalars), result)))
    return results[0] if lanes == 1 else block.vector(results, result)
