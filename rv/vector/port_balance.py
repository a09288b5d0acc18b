"""Additions that are made on the ports of multiplications, where those would be idle.

    %2: <8 x double> = fadd %0, %1       ->       %2: <8 x double> = each fma %1, %one, %0

x * 1 is exact, so that the fused multiplication rounds the sum once and gives the same bits (but for what is in a NaN). Where
additions and multiplications have ports of their own (Zen, and Haswell, whose multipliers are two and whose adder is one), a
block of many additions runs faster so; `rv.cost.ports` computes their number. The constant 1 is opaque: LLVM would make
an addition of it again. Additions on the way from one iteration to the next keep the shorter latency of the adder.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from rv.cost.ports import additions_to_multiply
from rv.ir.types import FloatType, bits_of
from rv.target.description import Machine, Operation
from rv.vector.function import Block, Function, Module, OpaqueConstant, Statement
from rv.vector.instructions import Binary, Elementwise, Instruction, Load, Shuffle, is_floating, operands
from rv.vector.types import ValueType, VectorType
from rv.vector.values import Constant, Operand, Register, number


def balanced(module: Module, machine: Machine, register_bits: int) -> Module:
    """The module with as many additions moved as pays, in blocks whose order is still to be chosen."""
    return replace(module, functions=tuple(_Balance(function, machine, register_bits).run() for function in module.functions))


class _Balance:
    """The additions of one function."""

    def __init__(self, function: Function, machine: Machine, register_bits: int) -> None:
        self.function = function
        self.machine = machine
        self.register_bits = register_bits
        self.ones: dict[tuple[ValueType, float], Register] = {}
        self.carried = frozenset[Operand]()

    def run(self) -> Function:
        if not any(self.wanted(block) for block in self.function.blocks):
            return self.function
        self.carried = frozenset(_carried(self.function))
        blocks = tuple(self.block(block) for block in self.function.blocks)
        constants = tuple(OpaqueConstant(one, _constant(one.type, value)) for (_, value), one in self.ones.items())
        return replace(self.function, blocks=blocks, prologue=(*self.function.prologue, *constants))

    def wanted(self, block: Block) -> int:
        """How many additions of a block are better moved."""
        if block.fixed:
            return 0
        counts: Counter[Operation] = Counter(kind for s in block.body if (kind := self.kind(s.instruction)) is not None)
        return additions_to_multiply(self.machine, counts, self.register_bits)

    def kind(self, instruction: Instruction) -> Operation | None:
        """Which ports an operation on a whole register needs; None for others, which weigh little."""
        if not isinstance(instruction.type, VectorType):
            return None
        if bits_of(instruction.type.element) * instruction.type.lanes < self.register_bits:
            return None
        match instruction:
            case Binary(op="fadd" | "fsub"):
                return "add"
            case Binary(op="fmul") | Elementwise(name="fma"):
                return "multiply"
            case Shuffle():
                return "shuffle"
            case _:
                return None

    def block(self, block: Block) -> Block:
        """The block with additions moved that are evenly spread among those that may be."""
        movable = [k for k, statement in enumerate(block.body) if self.is_movable(statement)]
        count = min(self.wanted(block), len(movable))
        moved = {movable[(2 * k + 1) * len(movable) // (2 * count)] for k in range(count)}
        body = (self.moved(statement) if k in moved else statement for k, statement in enumerate(block.body))
        return replace(block, body=tuple(body)) if moved else block

    def is_movable(self, statement: Statement) -> bool:
        addition = statement.instruction
        strict = isinstance(addition, Binary) and addition.mode == "strict"
        return strict and self.kind(addition) == "add" and statement.result not in self.carried

    def moved(self, statement: Statement) -> Statement:
        addition = statement.instruction
        assert isinstance(addition, Binary)
        one = self.one(addition.type, -1.0 if addition.op == "fsub" else 1.0)
        return replace(statement, instruction=Elementwise("fma", (addition.right, one, addition.left)))

    def one(self, type_: ValueType, value: float) -> Register:
        """The constant 1 or -1 in every lane."""
        name = f".one.{len(self.ones)}"
        return self.ones.setdefault((type_, value), Register(name, type_))


def _constant(type_: ValueType, value: float) -> Constant:
    assert isinstance(type_, VectorType) and isinstance(type_.element, FloatType)
    return number(type_.element, value, type_.lanes)


def _carried(function: Function) -> Iterator[Register]:
    """The floating-point numbers that depend on those of an earlier iteration, or of another way to the same block."""
    found: set[Operand] = {phi.result for block in function.blocks for phi in block.phis if is_floating(phi.result.type)}
    users: dict[Operand, list[Register]] = {}
    for block in function.blocks:
        for statement in block.body:
            if statement.result is not None and not isinstance(statement.instruction, Load) and _is_number(statement.result):
                for operand in operands(statement.instruction):
                    users.setdefault(operand, []).append(statement.result)
    pending = list(found)
    while pending:
        for user in users.get(pending.pop(), ()):
            if user not in found:
                found.add(user)
                pending.append(user)
    return (register for register in found if isinstance(register, Register))


def _is_number(register: Register) -> bool:
    return isinstance(register.type, VectorType | FloatType) and is_floating(register.type)
