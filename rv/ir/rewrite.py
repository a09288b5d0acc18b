"""Replacing operands, targets and predecessors in immutable instructions and blocks, and names that are still free.

These are what transformations are made of; none of them keeps a function well formed by itself.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import TypeVar, cast

from rv.ir.function import Block, Function
from rv.ir.instructions import (
    Alloca,
    Binary,
    Branch,
    Call,
    CompareFloat,
    CompareInt,
    Convert,
    ElementPointer,
    Freeze,
    Horizontal,
    Instruction,
    Jump,
    Load,
    Mask,
    Negate,
    Phi,
    Return,
    Select,
    Store,
    Terminator,
    operands,
)
from rv.ir.types import Type
from rv.ir.values import Value, Var

Statement = TypeVar("Statement", bound=Instruction | Phi | Terminator)
ValueMap = Callable[[Value], Value]


def map_operands(statement: Statement, change: ValueMap) -> Statement:
    """The statement with every operand replaced; the same object when nothing changes."""
    before = operands(statement)
    after = tuple(change(value) for value in before)
    return statement if before == after else cast(Statement, _with_operands(statement, after))


def _with_operands(
    statement: Instruction | Phi | Terminator, values: tuple[Value, ...]
) -> Instruction | Phi | Terminator:
    match statement:
        case Binary() | CompareInt() | CompareFloat():
            return replace(statement, left=values[0], right=values[1])
        case Negate() | Freeze() | Convert():
            return replace(statement, value=values[0])
        case Select():
            return replace(statement, condition=values[0], then=values[1], otherwise=values[2])
        case ElementPointer(indices=indices):
            return replace(statement, base=values[0], indices=values[1 : 1 + len(indices)], extents=values[1 + len(indices) :])
        case Load():
            return replace(statement, pointer=values[0])
        case Store():
            return replace(statement, value=values[0], pointer=values[1])
        case Call():
            return replace(statement, arguments=values)
        case Horizontal():
            return replace(statement, operands=values)
        case Phi(incoming=incoming, shadow=shadow):
            edges = tuple((label, v) for (label, _), v in zip(incoming, values, strict=shadow is None))
            return replace(statement, incoming=edges, shadow=None if shadow is None else values[-1])
        case Branch():
            return replace(statement, condition=values[0])
        case Return():
            return replace(statement, value=values[0])
        case Jump() | Alloca() | Mask():
            return statement


def substitute(function: Function, bindings: Mapping[str, Value]) -> Function:
    """The function with variables replaced in all operands; a replacement may itself be a variable that is replaced."""
    if not bindings:
        return function

    def change(value: Value) -> Value:
        while isinstance(value, Var) and value.name in bindings:
            value = bindings[value.name]
        return value

    return replace(function, blocks=tuple(map_block(block, change) for block in function.blocks))


def map_block(block: Block, change: ValueMap) -> Block:
    """The block with every operand and the predicate replaced."""
    return replace(
        block,
        predicate=change(block.predicate),
        phis=tuple(map_operands(phi, change) for phi in block.phis),
        body=tuple(map_operands(instruction, change) for instruction in block.body),
        terminator=map_operands(block.terminator, change),
    )


def retarget(terminator: Terminator, old: str, new: str) -> Terminator:
    """The terminator with one target renamed."""
    match terminator:
        case Jump(target=target):
            return replace(terminator, target=new) if target == old else terminator
        case Branch(then=then, otherwise=otherwise):
            return replace(terminator, then=new if then == old else then, otherwise=new if otherwise == old else otherwise)
        case Return():
            return terminator


def with_result(instruction: Instruction, result: Var) -> Instruction:
    """The instruction, which has a result, with another one."""
    assert instruction.result is not None
    changed: Instruction = replace(cast(Binary, instruction), result=result)
    return changed


def rename_predecessor(block: Block, old: str, new: str) -> Block:
    """The block whose phis take from `new` what they took from `old`."""
    return replace(
        block,
        phis=tuple(
            replace(phi, incoming=tuple((new if label == old else label, v) for label, v in phi.incoming)) for phi in block.phis
        ),
    )


def without_predecessors(block: Block, gone: Iterable[str]) -> Block:
    """The block whose phis have no values for the predecessors `gone`."""
    dropped = frozenset(gone)
    return replace(
        block,
        phis=tuple(replace(phi, incoming=tuple(e for e in phi.incoming if e[0] not in dropped)) for phi in block.phis),
    )


@dataclass(slots=True)
class FreshNames:
    """Names that a function does not use yet; what was given out is used from then on."""

    taken: set[str] = field(default_factory=set)
    numbers: dict[str, int] = field(default_factory=dict)
    """For each wanted name the last number that was tried."""

    @staticmethod
    def of(function: Function) -> FreshNames:
        """The free names of a function. Variables and blocks share one space, which costs nothing."""
        taken = {parameter.var.name for parameter in function.parameters}
        for block in function.blocks:
            taken.add(block.label)
            taken.update(s.result.name for s in (*block.phis, *block.body) if s.result is not None)
        return FreshNames(taken)

    def name(self, wanted: str) -> str:
        """`wanted`, or `wanted.1`, `wanted.2`, ..., whichever is free first."""
        name, number = wanted, self.numbers.get(wanted, 0)
        while name in self.taken:
            number += 1
            name = f"{wanted}.{number}"
        self.numbers[wanted] = number
        self.taken.add(name)
        return name

    def variable(self, wanted: str, type_: Type) -> Var:
        """A new variable; its source name is that of `wanted`."""
        return Var(self.name(wanted), type_)
