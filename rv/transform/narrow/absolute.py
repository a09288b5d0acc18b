"""The size of a difference is chosen by comparing what is subtracted.

    %d = sub nsw i32 %x, %y                 %d = sub nsw i32 %x, %y
    %c = icmp slt i32 %d, 0                 %c = icmp slt i32 %x, %y
    %m = sub nsw i32 0, %d          ->      %m = sub nsw i32 %y, %x
    %a = select %c, i32 %m, %d           %a = select i1 %c, i32 %m, %d

Then differences of narrow numbers are narrow as well (`rv.transform.narrow.trees`): of bytes x - y needs nine bits, and |x - y|
eight. The difference must not wrap, which `nsw` states.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Instruction, IntPredicate, Select
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1
from rv.ir.values import Const, Value, Var

_SIGNS: Final[frozenset[IntPredicate]] = frozenset({"slt", "sle", "sgt", "sge"})


def compare_subtracted(function: Function) -> Function:
    """The function with such choices by comparisons of the two numbers."""
    known, names = definitions(function), FreshNames.of(function)
    blocks = []
    for block in function.blocks:
        body: list[Instruction] = []
        for instruction in block.body:
            body += _chosen(instruction, known, names)
        blocks.append(replace(block, body=tuple(body)) if len(body) > len(block.body) else block)
    return function if tuple(blocks) == function.blocks else replace(function, blocks=tuple(blocks))


def _chosen(select: Instruction, known: Mapping[str, Definition], names: FreshNames) -> tuple[Instruction, ...]:
    """What takes the place of an instruction."""
    test = _definition(select.condition, known) if isinstance(select, Select) else None
    if not isinstance(select, Select) or not isinstance(test, CompareInt) or test.predicate not in _SIGNS:
        return (select,)
    difference = _definition(test.left, known)
    if not (isinstance(difference, Binary) and difference.op == "sub" and difference.nsw) or not _is_zero(test.right):
        return (select,)
    condition = Var(names.name(test.result.name), I1)
    compare = CompareInt(condition, test.predicate, difference.left, difference.right, span=test.span, total=select.total)
    opposite = Var(names.name(difference.result.name), difference.result.type)
    negated = Binary(opposite, "sub", difference.right, difference.left, True, difference.span, select.total)
    arms = [_without_zero(arm, difference, opposite, known) for arm in (select.then, select.otherwise)]
    if set(arms) != {difference.result, opposite}:
        return (select,)
    return compare, negated, replace(select, condition=condition, then=arms[0], otherwise=arms[1])


def _without_zero(arm: Value, difference: Binary, opposite: Var, known: Mapping[str, Definition]) -> Value:
    """The arm, with the opposite of the difference as one of its own."""
    match _definition(arm, known):
        case Binary(op="sub", left=left, right=right) if _is_zero(left) and right == difference.result:
            return opposite
        case _:
            return arm


def _definition(value: Value, known: Mapping[str, Definition]) -> Definition | None:
    return known.get(value.name) if isinstance(value, Var) else None


def _is_zero(value: Value) -> bool:
    return isinstance(value, Const) and value.bits == 0
