"""Calls that are there for what they do, which happens once, outside brushed nests."""

from __future__ import annotations

from typing import TypeGuard

from rv.analysis.values.effects import is_pure_call
from rv.ir.instructions import Call, Instruction
from rv.transform.loops.version import GUARD


def is_effect(instruction: Instruction) -> TypeGuard[Call]:
    """Whether an instruction calls a function that may do anything; tests in front of nests are no such calls."""
    return isinstance(instruction, Call) and not is_pure_call(instruction) and not instruction.callee.startswith(GUARD)
