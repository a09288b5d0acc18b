"""Additions under a condition add nothing where it does not hold.

    %t = add i32 %s, %x                     %y = select %c, i32 %x, 0
    %u = select %c, i32 %t, %s       ->     %u = add i32 %s, %y

What is chosen is then as narrow as %x (`rv.transform.narrow.trees`), and partial sums only go through additions. Integers only:
of floating-point numbers -0 + 0 is another number than -0.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, Instruction, Phi, Select
from rv.ir.rewrite import FreshNames
from rv.ir.types import IntType
from rv.ir.values import Value, Var, const_int


def add_conditionally(function: Function) -> Function:
    """The function with such additions to phis; additions that are left over are dead."""
    known, names = definitions(function), FreshNames.of(function)
    blocks = []
    for block in function.blocks:
        body: list[Instruction] = []
        for instruction in block.body:
            body += _added(instruction, known, names)
        blocks.append(replace(block, body=tuple(body)) if len(body) > len(block.body) else block)
    return function if tuple(blocks) == function.blocks else replace(function, blocks=tuple(blocks))


def _added(select: Instruction, known: Mapping[str, Definition], names: FreshNames) -> tuple[Instruction, ...]:
    """What takes the place of an instruction."""
    if not isinstance(select, Select) or not isinstance(select.result.type, IntType):
        return (select,)
    for arm, kept in ((select.then, select.otherwise), (select.otherwise, select.then)):
        addition = known.get(arm.name) if isinstance(arm, Var) else None
        if isinstance(addition, Binary) and addition.op == "add" and is_partial_sum(kept, known):
            if kept in (addition.left, addition.right):
                added = addition.right if addition.left == kept else addition.left
                return _chosen(select, kept, added, arm == select.then, names)
    return (select,)


def _chosen(select: Select, kept: Value, added: Value, then: bool, names: FreshNames) -> tuple[Instruction, ...]:
    type_ = select.result.type
    assert isinstance(type_, IntType)
    zero, chosen = const_int(type_, 0), names.variable(f"{select.result.name}.added", type_)
    choice = replace(select, result=chosen, then=added if then else zero, otherwise=zero if then else added)
    return choice, Binary(select.result, "add", kept, chosen, span=select.span, total=select.total)


def is_partial_sum(value: Value, known: Mapping[str, Definition], depth: int = 8) -> bool:
    """Whether a value is a phi, or a phi and what is added to it."""
    match known.get(value.name) if isinstance(value, Var) else None:
        case Phi():
            return True
        case Binary(op="add", left=left, right=right) if depth:
            return is_partial_sum(left, known, depth - 1) or is_partial_sum(right, known, depth - 1)
        case _:
            return False
