"""AVX-512 instructions of one operand that LLVM's operations do not express, for vectors of any number of lanes."""

from __future__ import annotations

from typing import Final

from rv.ir.types import FloatType
from rv.widen.lines import LlvmBlock
from rv.widen.llvm_text import type_text

CURRENT_ROUNDING: Final = 4


def emit_unary(
    block: LlvmBlock, name: str, type_: FloatType, x: str, lanes: int, least: int, *, immediate: int | None = None
) -> str:
    """The result of `name`, as LLVM spells it (`rsqrt14`, `mask.getexp`), in every lane.

    Unused lanes fill up a register, of at least `least` bits.
    """
    full = max(least // type_.bits, 1 << (lanes - 1).bit_length())
    vector, size = type_text(type_, full), full * type_.bits
    operands = [(vector, _resized(block, x, type_, lanes, full))]
    operands += [] if immediate is None else [("i32", str(immediate))]
    operands += [(vector, "zeroinitializer"), (f"i{max(full, 8)}", "-1")]
    operands += [("i32", str(CURRENT_ROUNDING))] if name.startswith("mask.") and size == 512 else []
    called = f"llvm.x86.avx512.{name}.{'pd' if type_.bits == 64 else 'ps'}.{size}"
    block.function.declare(called, f"declare {vector} @{called}({', '.join(kind for kind, _ in operands)})")
    arguments = ", ".join(f"{kind} {operand}" for kind, operand in operands)
    found = block.pure(f"call {vector} @{called}({arguments})", [operands[0][1]], weight=1)
    return _resized(block, found, type_, full, lanes)


def _resized(block: LlvmBlock, x: str, type_: FloatType, lanes: int, wanted: int) -> str:
    """The first lanes of a vector, or all and more of any value."""
    if lanes == wanted:
        return x
    return block.shuffle(x, "poison", type_, lanes, [lane if lane < lanes else -1 for lane in range(wanted)])
