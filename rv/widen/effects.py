"""Calls that are there for what they do, which happens once, outside brushed nests."""

from __future__ import annotations

from typing import TypeGuard

from rv.analysis.values.effects import is_pure_call
from rv.ir.instructions import Call, Instruction


def is_effect(instruction: Instruction) -> TypeGuard[Call]:
    """Whether an instruction calls a function that may do anything."""
    return isinstance(instruction, Call) and not is_pure_call(instruction)
