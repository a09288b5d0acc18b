"""What instructions compute, apart from the names of their results: equal keys are equal values for equal operands."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rv.ir.instructions import Binary, Instruction
from rv.ir.rewrite import with_result
from rv.ir.types import VOID
from rv.ir.values import Var

_COMMUTATIVE: Final = frozenset({"add", "mul", "and", "or", "xor", "fadd", "fmul"})


def expression_key(instruction: Instruction) -> Instruction:
    """The expression without name and promises of its result, operands of commutative operations in one order."""
    result = instruction.result
    assert result is not None and result.type != VOID
    key = with_result(instruction, Var("", result.type))
    if isinstance(key, Binary):
        key = replace(key, nsw=False)
        if key.op in _COMMUTATIVE and str(key.left) > str(key.right):
            key = replace(key, left=key.right, right=key.left)
    return key
