"""Dead code elimination: what no store, impure call or terminator needs is removed.

    %x = fadd double %a, %b
    %y = fmul double %a, %a
    return double %x              ->      %x = fadd double %a, %b
                                          return double %x

Unused loads and divisions are removed as well: that can only remove faults. Cycles of phis that only feed
each other are removed, because liveness starts at what is needed.
"""

from __future__ import annotations

from dataclasses import replace

from rv.analysis.values.effects import may_write
from rv.analysis.values.uses import definitions
from rv.ir.function import Function
from rv.ir.instructions import Instruction, operands
from rv.ir.values import Value, Var


def eliminate_dead_code(function: Function) -> Function:
    """The function without instructions and phis whose results are not needed."""
    live = _live_variables(function)

    def kept(instruction: Instruction) -> bool:
        if may_write(instruction):
            return True
        return instruction.result is not None and instruction.result.name in live

    blocks = tuple(
        replace(
            block,
            phis=tuple(phi for phi in block.phis if phi.result.name in live),
            body=tuple(instruction for instruction in block.body if kept(instruction)),
        )
        for block in function.blocks
    )
    return replace(function, blocks=blocks)


def _live_variables(function: Function) -> set[str]:
    known = definitions(function)
    pending: list[Value] = []
    for block in function.blocks:
        pending.extend((block.predicate, *operands(block.terminator)))
        for instruction in block.body:
            if may_write(instruction):
                pending.extend(operands(instruction))
    live: set[str] = set()
    while pending:
        value = pending.pop()
        if isinstance(value, Var) and value.name not in live:
            live.add(value.name)
            if value.name in known:
                pending.extend(operands(known[value.name]))
    return live


