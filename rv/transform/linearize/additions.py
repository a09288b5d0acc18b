"""What linearization adds to a function: total instructions at the ends of blocks, and phis. Unused ones are not added.

Everything is written down eagerly, in an order in which operands come first; `kept` then picks what the given values need.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rv.analysis.cfg.dominance import DominatorTree
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Function
from rv.ir.instructions import Binary, Instruction, Phi, Select, operands
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Const, Undef, Value, Var


@dataclass(slots=True)
class Additions:
    """Added phis and instructions by block. `bindings` replace variables; `homes` are the blocks that define variables."""

    names: FreshNames
    dominators: DominatorTree
    homes: dict[str, str]
    phis: dict[str, list[Phi]] = field(default_factory=dict)
    tails: dict[str, list[Instruction]] = field(default_factory=dict)
    bindings: dict[str, Value] = field(default_factory=dict)
    added: dict[str, Phi | Instruction] = field(default_factory=dict)

    @staticmethod
    def to(function: Function, dominators: DominatorTree) -> Additions:
        return Additions(FreshNames.of(function), dominators, dict(defining_blocks(function)))

    def resolve(self, value: Value) -> Value:
        """What a value of the function is replaced with."""
        while isinstance(value, Var) and value.name in self.bindings:
            value = self.bindings[value.name]
        return value

    def available(self, value: Value, label: str) -> bool:
        """Whether a value can be read at the end of a block. Variables from outside the region can everywhere."""
        if not isinstance(value, Var):
            return True
        home = self.homes[value.name]
        return home not in self.dominators.interval or self.dominators.dominates(home, label)

    def phi(self, label: str, incoming: tuple[tuple[str, Value], ...], result: Var) -> Value:
        """A new phi in a block; `result` is a new variable, or that of a phi which it replaces."""
        self.homes[result.name] = label
        self.added[result.name] = made = Phi(result, incoming)
        self.phis.setdefault(label, []).append(made)
        return result

    def append(self, label: str, instruction: Instruction) -> Value:
        """The result of an instruction that is added at the end of a block."""
        assert instruction.result is not None
        self.homes[instruction.result.name] = label
        self.added[instruction.result.name] = instruction
        self.tails.setdefault(label, []).append(instruction)
        return instruction.result

    def select(self, label: str, wanted: str, condition: Value, then: Value, otherwise: Value) -> Value:
        """`condition ? then : otherwise` for all threads, at the end of a block; only the chosen value needs to be defined."""
        if condition == TRUE or then == otherwise:
            return then
        if condition == FALSE:
            return otherwise
        if (then, otherwise) == (TRUE, FALSE):
            return condition
        if (then, otherwise) == (FALSE, TRUE):
            return self.negate(label, condition)
        return self.append(label, Select(self.names.variable(wanted, then.type), condition, then, otherwise, total=True))

    def negate(self, label: str, value: Value) -> Value:
        if isinstance(value, Const):
            return Const(I1, value.bits ^ 1)
        if isinstance(value, Undef):
            return value
        return self.append(label, Binary(self.names.variable(f"{value.name}.not", I1), "xor", value, TRUE, total=True))

    def are_opposite(self, left: Value, right: Value) -> bool:
        """Whether one is computed as the negation of the other."""
        return self._negated(left) == right or self._negated(right) == left

    def _negated(self, value: Value) -> Value | None:
        found = self.added.get(value.name) if isinstance(value, Var) else None
        return found.left if isinstance(found, Binary) and found.op == "xor" and found.right == TRUE else None

    def either(self, label: str, wanted: str, left: Value, right: Value) -> Value:
        if FALSE in (left, right):
            return right if left == FALSE else left
        if TRUE in (left, right) or left == right:
            return TRUE if TRUE in (left, right) else left
        if self.are_opposite(left, right):
            return TRUE
        return self.append(label, Binary(self.names.variable(wanted, I1), "or", left, right, total=True))

    def kept(self, needed: Iterable[Value]) -> frozenset[str]:
        """The names of the added variables that are read by `needed`, directly or through other additions."""
        live: set[str] = set()
        pending = list(needed)
        while pending:
            value = self.resolve(pending.pop())
            if isinstance(value, Var) and value.name in self.added and value.name not in live:
                live.add(value.name)
                pending.extend(operands(self.added[value.name]))
        return frozenset(live)

