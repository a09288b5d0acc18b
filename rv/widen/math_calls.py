"""Calls of the C library's mathematical functions on scalars and vectors.

Functions whose result is exact become instructions of every lane at once: they give libm's bits. All others are
called lane by lane, so that strict results stay those of the C library.
"""

from __future__ import annotations

from typing import Final

from rv.ir.types import F32, F64, I1, FloatType, Type
from rv.ir.values import Const
from rv.widen.lines import LlvmBlock
from rv.widen.llvm_text import constant_text, type_text
from rv.widen.operations import FLOAT_FLAGS, FloatMode
from rv.widen.parts import emit_part
from rv.widen.reciprocal_roots import emit_reciprocal_root

_EXACT: Final[dict[str, str]] = {
    "sqrt": "sqrt", "fabs": "fabs", "floor": "floor", "ceil": "ceil", "trunc": "trunc", "rint": "rint",
    "nearbyint": "nearbyint", "round": "round", "copysign": "copysign", "fma": "fma",
    "__exponent": "exponent", "__mantissa": "mantissa", "__reciprocal_root": "reciprocal_root",
}  # fmt: skip


def exact_name(callee: str) -> str | None:
    """What gives exactly the result of this function: an LLVM intrinsic, without its type suffix, or a part of a number."""
    return _EXACT.get(callee.removesuffix("f") if callee not in _EXACT else callee)


def emit_call(
    block: LlvmBlock,
    callee: str,
    result: Type,
    operands: list[str],
    types: list[Type],
    lanes: int,
    mode: FloatMode,
    *,
    x86: bool,
    avx512_from: int = 0,
) -> str:
    """The result of calling `callee` in every lane; `operands` have `lanes` lanes each. Weight as for one vector."""
    weight = float(lanes > 1)
    intrinsic = exact_name(callee)
    if intrinsic in ("exponent", "mantissa") and isinstance(result, FloatType):
        return emit_part(block, intrinsic, result, operands[0], lanes, avx512_from=avx512_from)
    if intrinsic == "reciprocal_root" and isinstance(result, FloatType):
        return emit_reciprocal_root(block, result, operands[0], lanes, avx512_from=avx512_from)
    if intrinsic is not None and isinstance(result, FloatType):
        return _emit_intrinsic(block, intrinsic, result, operands, lanes, FLOAT_FLAGS[mode], weight)
    base = callee.removesuffix("f")
    if base in ("fmin", "fmax") and result in (F32, F64):
        assert isinstance(result, FloatType)
        return emit_min_max(block, "minnum" if base == "fmin" else "maxnum", result, operands, lanes, weight, x86=x86)
    return _emit_lane_by_lane(block, callee, result, operands, types, lanes)


def _emit_intrinsic(
    block: LlvmBlock, intrinsic: str, type_: FloatType, operands: list[str], lanes: int, flags: str, weight: float
) -> str:
    text = type_text(type_, lanes)
    suffix = f"f{type_.bits}" if lanes == 1 else f"v{lanes}f{type_.bits}"
    name = f"llvm.{intrinsic}.{suffix}"
    block.function.declare(name, f"declare {text} @{name}({', '.join([text] * len(operands))})")
    arguments = ", ".join(f"{text} {operand}" for operand in operands)
    return block.pure(f"call{flags} {text} @{name}({arguments})", operands, weight=weight)


def emit_min_max(
    block: LlvmBlock, name: str, type_: FloatType, operands: list[str], lanes: int, weight: float, *, x86: bool
) -> str:
    """The C library's fmin (`minnum`) or fmax (`maxnum`): on AArch64 an instruction for which -0 is smaller than +0; on x86 the
    second operand unless the first is smaller (larger) or the second a NaN.
    """
    if not x86:
        return _emit_intrinsic(block, name, type_, operands, lanes, "", weight)
    text, truth = type_text(type_, lanes), type_text(I1, lanes)
    x, y = operands
    better = block.pure(f"fcmp {'olt' if name == 'minnum' else 'ogt'} {text} {x}, {y}", operands, weight=weight)
    chosen = block.pure(f"select {truth} {better}, {text} {x}, {text} {y}", [better, *operands], weight=weight)
    missing = block.pure(f"fcmp uno {text} {y}, {constant_text(Const(type_, 0), lanes)}", [y], weight=weight)
    return block.pure(f"select {truth} {missing}, {text} {x}, {text} {chosen}", [missing, x, chosen], weight=weight)


def _emit_lane_by_lane(block: LlvmBlock, callee: str, result: Type, operands: list[str], types: list[Type], lanes: int) -> str:
    block.function.declare(callee, f"declare {result} @{callee}({', '.join(map(str, types))}) #1")
    results: list[str] = []
    for lane in range(lanes):
        scalars = [op if lanes == 1 else block.extract(op, t, lanes, lane) for op, t in zip(operands, types, strict=True)]
        arguments = ", ".join(f"{t} {s}" for t, s in zip(types, scalars, strict=True))
        results.append(block.pure(f"call {result} @{callee}({arguments})", scalars))
    return results[0] if lanes == 1 else block.build_vector(results, result)
