"""The cycles of a branch that is predicted wrong, from branches on random bits and on bits that are all the same.

A bit is random and made some iterations before it decides, so that nothing but the branch itself waits for it. Half of
the branches on random bits are predicted wrong.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from autotune.measure.core.timed import First, nanoseconds_of
from rv.ir.types import I64
from rv.target.machine import Target
from rv.vector.instructions import Access, Hide, Store
from rv.vector.values import Operand, Register, i64
from rv.vector.writer import BlockWriter, FunctionWriter

AHEAD: Final = 8
"""Iterations between the making of a bit and the branch on it."""
STEP: Final = 0x1E37_79B9_7F4A_7C15
FACTOR: Final = 0x56E8_FEB8_6659_FD93
"""Odd numbers with bits all over: steps of a counter, which are mixed by multiplications (as in SplitMix64)."""


def misprediction(target: Target) -> float:
    """Nanoseconds."""
    random, same = (nanoseconds_of(target, _first(mask), _turn) for mask in (1, 0))
    return 2 * (random - same)


def _first(mask: int) -> First:
    def first(block: BlockWriter, buffer: Register) -> list[Operand]:
        return [block.add(Hide(i64(mask))), *(i64(0) for _ in range(1 + AHEAD))]

    return first


def _turn(
    function: FunctionWriter, block: BlockWriter, buffer: Register, values: Sequence[Operand]
) -> tuple[BlockWriter, list[Operand]]:
    mask, counter, bit, *bits = values
    counter = block.integer("add", counter, STEP)
    mixed = block.integer("mul", counter, FACTOR)
    mixed = block.integer("mul", block.binary("xor", mixed, block.binary("lshr", mixed, i64(32))), FACTOR)
    new = block.binary("and", block.binary("lshr", mixed, i64(63)), mask)
    left, right, after = (function.block(label, fixed=True) for label in ("left", "right", "after"))
    block.branch(block.compare("eq", bit, i64(0)), left, right)
    for number, arm in enumerate((left, right)):
        # stores, so that no select takes the branch's place
        arm.effect(Store(counter, arm.address(buffer, i64(number), I64), Access("buffer", 8)))
        arm.jump(after)
    return after, [mask, counter, *bits, new]
