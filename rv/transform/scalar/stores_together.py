"""Stores of a block move down to the next access that may be of the same element, so that neighbours stand together.

    %x = load i8, %p0                      %x = load i8, %p0
    store i8 %u, %p0                       %y = load i8, %p1
    %y = load i8, %p1              ->      store i8 %u, %p0
    store i8 %v, %p1                       store i8 %v, %p1

A brush then stores what neighbours have in a row at once. The order of stores stays.
"""

from __future__ import annotations

from dataclasses import replace

from rv.analysis.memory.alias import AliasAnalysis, Place, alias_analysis
from rv.analysis.values.effects import is_pure
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Load, Store


def stores_together(function: Function) -> Function:
    """The function with stores as late in their blocks as they can be without passing an access of their elements."""
    aliases = alias_analysis(function)
    return replace(function, blocks=tuple(_later(block, aliases) for block in function.blocks))


def _later(block: Block, aliases: AliasAnalysis) -> Block:
    if sum(isinstance(instruction, Store) for instruction in block.body) < 2:
        return block
    code: list[Instruction] = []
    waiting: list[Store] = []
    for instruction in block.body:
        match instruction:
            case Store():
                waiting.append(instruction)
            case Load():
                read = _place(instruction)
                met = [number for number, store in enumerate(waiting, 1) if aliases.may_alias(_place(store), read)]
                first = max(met, default=0)
                code += [*waiting[:first], instruction]
                del waiting[:first]
            case _:
                code += [instruction] if is_pure(instruction) else [*waiting, instruction]
                if not is_pure(instruction):
                    waiting.clear()
    return replace(block, body=(*code, *waiting))


def _place(access: Load | Store) -> Place:
    return access.pointer, access.result.type if isinstance(access, Load) else access.value.type
