"""Chains of operations from a phi of a loop's header to the value that the next iteration gives it."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from typing import Final

from rv.cost import divider as cost
from rv.cost.instructions import call_latency
from rv.ir.types import bits_of
from rv.target.description import Machine
from rv.vector.dependences import kind_of
from rv.vector.function import Block, Phi
from rv.vector.instructions import (
    Binary,
    Call,
    Elementwise,
    Freeze,
    Hide,
    Instruction,
    Join,
    Member,
    Quotients,
    Roots,
    is_floating,
    operands,
)
from rv.vector.types import TupleType, element_of
from rv.vector.values import Operand, Register

Place = tuple[str, int]
"""A register of `Quotients` or `Roots`: the name of their result, and the number of the register."""
UNDER_WAY: Final = -math.inf


class Chain:
    """The chains of one phi inside a loop with these blocks, when some registers are off the divider.

    Registers of one instruction that are left to the divider have it for themselves, and count as those off it do.
    """

    def __init__(self, machine: Machine, bits: int, blocks: Iterable[Block], moved: frozenset[Place]) -> None:
        self.machine, self.bits = machine, bits
        self.moved = frozenset(name for name, _ in moved)
        self.definitions: dict[str, Instruction | Phi] = {}
        for block in blocks:
            self.definitions.update((phi.result.name, phi) for phi in block.phis)
            self.definitions.update((s.result.name, s.instruction) for s in block.body if s.result is not None)
        self.known: dict[str, float] = {}

    def around(self, phi: Phi, inside: Collection[str]) -> float:
        """Cycles from the phi to what it becomes; minus infinity when that does not depend on it."""
        self.known = {phi.result.name: 0.0}
        return max((self.until(value) for value, label in phi.incoming if label in inside), default=-math.inf)

    def until(self, value: Operand) -> float:
        """Cycles from the start until `value` is known; minus infinity when it does not depend on the start."""
        if not isinstance(value, Register):
            return -math.inf
        if value.name not in self.known:
            self.known[value.name] = UNDER_WAY  # around an inner loop
            definition = self.definitions.get(value.name)
            if definition is not None:
                self.known[value.name] = self._after(definition)
        return self.known[value.name]

    def _after(self, instruction: Instruction | Phi) -> float:
        if isinstance(instruction, Phi):
            return max(self.until(value) for value, _ in instruction.incoming)
        if isinstance(instruction, Member) and isinstance(instruction.tuple, Register):
            whole = self.definitions.get(instruction.tuple.name)
            if isinstance(whole, Quotients | Roots):
                return self._divided(whole, instruction.tuple.name, instruction.number)
        return max(map(self.until, operands(instruction)), default=-math.inf) + self._latency(instruction)

    def _divided(self, whole: Quotients | Roots, name: str, number: int) -> float:
        root = isinstance(whole, Roots)
        group = whole.groups[number // 2 if root else number]
        bits = bits_of(element_of(group[-2].type))
        dividend, divisor = self.until(group[-3] if not root else group[-2]), self.until(group[-2])
        if name not in self.moved:
            return max(dividend, divisor) + self.machine.divider(self.bits).of[root, bits].result
        latency = cost.latency(self.machine, bits, root=root)
        return max(divisor + latency, dividend + (latency if root else cost.latency_from_dividend(self.machine)))

    def _latency(self, instruction: Instruction) -> float:
        match instruction:
            case Member() | Join() | Freeze() | Hide():
                return 0
            case Binary(op="fdiv", type=type_) | Elementwise(name="sqrt", type=type_):
                assert not isinstance(type_, TupleType)
                root = isinstance(instruction, Elementwise)
                return self.machine.divider(self.bits).of[root, bits_of(element_of(type_))].result
            case _ if kind_of(instruction) == "load":
                return self.machine.latency_of("load", self.bits)
            case Call():
                return call_latency()
            case Binary(type=type_) | Elementwise(type=type_) if is_floating(type_):
                return self.machine.latency_of("fused", self.bits)
            case _:
                return 1
