"""The readers of the variables of a loop."""

from __future__ import annotations

from collections.abc import Collection, Mapping

from rv.analysis.values.uses import statements
from rv.ir.function import Function
from rv.ir.instructions import Instruction, Phi, Terminator, operands
from rv.ir.values import Var

Statement = Phi | Instruction | Terminator


def readers_in(function: Function, blocks: Collection[str]) -> Mapping[str, list[Statement]]:
    """For each variable the statements of these blocks that read it; a block's predicate is read by its terminator."""
    found: dict[str, list[Statement]] = {}
    for block in function.blocks:
        if block.label in blocks:
            for statement in statements(block):
                for value in operands(statement):
                    if isinstance(value, Var):
                        found.setdefault(value.name, []).append(statement)
            if isinstance(block.predicate, Var):
                found.setdefault(block.predicate.name, []).append(block.terminator)
    return found
