"""Rough numbers of machine instructions, from scalar instructions, before there is code.

Enough to compare ways to run the same source, all of which are wrong by about the same. Addresses are free.
"""

from __future__ import annotations

from typing import Final

from rv.analysis.values.effects import DIVISIONS
from rv.ir.instructions import Binary, Call, Convert, ElementPointer, Instruction, Load, Store
from rv.semantics.exact_calls import exact_name
from rv.target.machine import Target

CALL: Final = 20
"""A call of the C library for one lane (glibc's exp and log take between 15 and 40 instructions)."""
DIVISION: Final = 8
"""A quotient, in instructions that could start in the meantime: about the divider's cycles, of which half are hidden."""
BY_CONSTANT: Final = 3
"""An integer division by a constant: a product and shifts (Granlund and Montgomery, PLDI 1994)."""
MOVED: Final = 3
"""Bringing operands of one lane to where scalar instructions find them, and its result back: two extractions, an insertion."""
ACROSS_LANES: Final = 2
"""An operation across lanes, for each register: a shuffle and an operation, or a comparison and a test."""
PER_CYCLE_OF_CALLS: Final = 2
"""Instructions of library functions that start in a cycle: their chains are long."""
UNDER_MASK: Final = 4
"""An access under a mask where nothing is known about it."""


def scalar_instructions(instruction: Instruction) -> int:
    """The instructions of one iteration."""
    match instruction:
        case ElementPointer() | Convert(op="sext" | "zext" | "trunc" | "bitcast"):
            return 0
        case Call(callee=callee):
            return 1 if exact_name(callee) else CALL
        case Binary(op=op) if op == "fdiv" or op in DIVISIONS:
            return DIVISION
        case _:
            return 1


def masked_instructions(instruction: Instruction) -> int:
    """The instructions of one register under a mask, where nothing is known about the brush."""
    match instruction:
        case Load() | Store():
            return UNDER_MASK
        case Call():
            return CALL
        case _:
            return max(1, scalar_instructions(instruction))


def lane_by_lane(instruction: Instruction) -> int:
    """The instructions for each lane of what has no vector form."""
    return scalar_instructions(instruction) + MOVED


def added_up(target: Target, bits: int, *, product: bool, dots: int) -> int:
    """The instructions that add a register of narrow numbers, or of products of them, to a wide sum: `rv.widen.arithmetic.sums`.

    Neighbours are added, and then that; products of bytes are made as shorts, to which x86-64 extends the factors before. Where
    one instruction adds products to words, there are so many `dots`.
    """
    if dots == 1:
        return 1
    if dots:
        return 4 + dots
    if not product or bits > 8:
        return 2
    return 8 if target.architecture == "x86_64" else 4


def call_latency() -> float:
    """Cycles from the operands of a library function to its result."""
    return CALL / PER_CYCLE_OF_CALLS


def each_iteration(target: Target) -> int:
    """A loop itself: its counter, a comparison and a branch, of which x86-64 makes the last two at once."""
    return 2 if target.architecture == "x86_64" else 3


def beside_body(target: Target) -> int:
    """Those that take time beside the body; on x86-64 the comparison and the branch start as one, and nothing behind them."""
    return 1 if target.architecture == "x86_64" else each_iteration(target)
