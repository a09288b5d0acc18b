"""Dead code: what nothing reads goes, with what only it reads.

    %2: <8 x double> = fmul %0, %1        ->        (nothing, unless something reads %2)

Stores, calls that may do something, prefetches and terminators count. Phis that only read each other go as well.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from rv.vector.function import Block, Function, Module
from rv.vector.instructions import Call, CallAt, operands, terminator_operands
from rv.vector.values import Operand, Register


def without_dead_code(module: Module) -> Module:
    """The module with what is executed for its effect, and what that reads."""
    functions = tuple(map(_live, module.functions))
    return module if functions == module.functions else replace(module, functions=functions)


def _live(function: Function) -> Function:
    sources: dict[str, Iterable[Operand]] = {}
    pending: list[Operand] = []
    for block in function.blocks:
        sources.update((phi.result.name, [value for value, _ in phi.incoming]) for phi in block.phis)
        pending += terminator_operands(block.terminator)
        for statement in block.body:
            if statement.result is None or _acts(statement.instruction):
                pending += operands(statement.instruction)
            else:
                sources[statement.result.name] = operands(statement.instruction)
    live: set[str] = set()
    while pending:
        operand = pending.pop()
        if isinstance(operand, Register) and operand.name not in live:
            live.add(operand.name)
            pending += sources.get(operand.name, ())
    blocks = tuple(_without_dead(block, live) for block in function.blocks)
    prologue = tuple(entry for entry in function.prologue if entry.result.name in live)
    if prologue == function.prologue and all(new is old for new, old in zip(blocks, function.blocks, strict=True)):
        return function
    return replace(function, blocks=blocks, prologue=prologue)


def _acts(instruction: object) -> bool:
    return isinstance(instruction, CallAt) or (isinstance(instruction, Call) and not instruction.pure)


def _without_dead(block: Block, live: set[str]) -> Block:
    phis = tuple(phi for phi in block.phis if phi.result.name in live)
    body = tuple(s for s in block.body if s.result is None or s.result.name in live or _acts(s.instruction))
    if len(phis) == len(block.phis) and len(body) == len(block.body):
        return block
    return replace(block, phis=phis, body=body)
