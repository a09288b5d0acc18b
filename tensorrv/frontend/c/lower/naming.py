"""Dense names: construction of SSA form leaves gaps where phis were dropped, and a stable text form should have none.

%i.4 = add i32 %i, 1    ->    %i.1 = add i32 %i, 1
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace

from rv.ir.function import Block, Function
from rv.ir.instructions import Call, Instruction, Phi, Store
from rv.ir.rewrite import map_operands
from rv.ir.values import Value, Var


def number_densely(function: Function, temporary: str) -> Function:
    """The function with the variables of each source name numbered in textual order; temporaries count from 1."""
    counts = {parameter.var.name: 1 for parameter in function.parameters} | {temporary: 1}
    names = {parameter.var.name: parameter.var.name for parameter in function.parameters}
    for block in function.blocks:
        for statement in (*block.phis, *block.body):
            if statement.result is not None:
                base = statement.result.source_name
                count = counts.get(base, 0)
                counts[base] = count + 1
                names[statement.result.name] = f"{base}.{count}" if count else base

    def renamed(value: Value) -> Value:
        return Var(names[value.name], value.type) if isinstance(value, Var) else value

    return replace(function, blocks=tuple(_renamed_block(block, names, renamed) for block in function.blocks))


def _renamed_block(block: Block, names: Mapping[str, str], renamed: Callable[[Value], Value]) -> Block:
    def phi(old: Phi) -> Phi:
        return replace(map_operands(old, renamed), result=Var(names[old.result.name], old.result.type))

    def instruction(old: Instruction) -> Instruction:
        new = map_operands(old, renamed)
        match new:
            case Store():
                return new
            case Call(result=result):
                return replace(new, result=None if result is None else Var(names[result.name], result.type))
            case _:
                return replace(new, result=Var(names[new.result.name], new.result.type))

    return replace(
        block,
        phis=tuple(map(phi, block.phis)),
        body=tuple(map(instruction, block.body)),
        terminator=map_operands(block.terminator, renamed),
    )
