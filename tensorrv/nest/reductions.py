"""Reductions: phis of loop headers that only fold one value per iteration with an associative operation (thesis, section
6.5).

From the value over the latch the chain of partial results is followed back to the phi: through operations of one kind,
selects that pick the smaller or larger of two compared values, phis of inner loops that fold with the same operation, and
their copies behind the inner loop. Nothing else in the loop may read a member of the chain.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rv.analysis.loops import LoopForest, NaturalLoop
from rv.analysis.uses import Definition, statements
from rv.ir.function import Function
from rv.ir.instructions import Binary, Call, CompareFloat, CompareInt, Phi, Select, operands
from rv.ir.values import Value, Var
from tensorrv.nest.model import Reduction

_ASSOCIATIVE: Final = frozenset({"add", "mul", "and", "or", "xor", "fadd", "fmul"})
_SUBTRACTIONS: Final[Mapping[str, str]] = {"sub": "add", "fsub": "fadd"}
_CALLS: Final[Mapping[str, str]] = {"fmin": "fmin", "fminf": "fmin", "fmax": "fmax", "fmaxf": "fmax"}
_LESS: Final = frozenset({"slt", "sle", "ult", "ule", "olt", "ole"})
_GREATER: Final = frozenset({"sgt", "sge", "ugt", "uge", "ogt", "oge"})


def find_reductions(
    function: Function, forest: LoopForest, definitions: Mapping[str, Definition], defined_in: Mapping[str, str]
) -> tuple[Reduction, ...]:
    """All reductions, outer loops first."""
    found = []
    for loop in forest.loops.values():
        if len(loop.latches) != 1 or len(loop.entering) != 1:
            continue
        readers = _readers(function, loop)
        for phi in function.block(loop.header).phis:
            chain = _Chain(phi, loop, forest, definitions, defined_in)
            update = phi.value_from(loop.latches[0])
            if isinstance(update, Var) and chain.follow(update) and chain.operation and chain.is_private(readers):
                found.append(Reduction(phi.result, loop.header, chain.operation, update, phi.span))
    return tuple(found)


def _readers(function: Function, loop: NaturalLoop) -> Mapping[str, frozenset[str]]:
    """For each variable the names of what reads it in the loop; "" stands for what defines nothing."""
    found: dict[str, set[str]] = {}
    for block in function.blocks:
        if block.label not in loop.blocks:
            continue
        for statement in statements(block):
            result = getattr(statement, "result", None)
            name = result.name if isinstance(result, Var) else ""
            for value in operands(statement):
                if isinstance(value, Var):
                    found.setdefault(value.name, set()).add(name)
    return {name: frozenset(names) for name, names in found.items()}


@dataclass(slots=True)
class _Chain:
    """The partial results of `phi` that have been found, what may read them, and the operation that all share."""

    phi: Phi
    loop: NaturalLoop
    forest: LoopForest
    definitions: Mapping[str, Definition]
    defined_in: Mapping[str, str]
    operation: str = ""
    members: set[str] = field(default_factory=set)
    compares: set[str] = field(default_factory=set)

    def follow(self, value: Value) -> bool:
        """Whether `value` is the phi folded with something; adds what lies between to the members."""
        if not isinstance(value, Var):
            return False
        if value == self.phi.result or value.name in self.members:
            self.members.add(value.name)
            return True
        if self.defined_in[value.name] not in self.loop.blocks:
            return False
        before = set(self.members), set(self.compares)
        self.members.add(value.name)
        if self._follow_definition(self.definitions[value.name]):
            return True
        self.members, self.compares = before
        return False

    def _follow_definition(self, definition: Definition) -> bool:
        match definition:
            case Binary(op=op, left=left, right=right) if op in _ASSOCIATIVE:
                return self._agree(op) and self._one_of(left, right)
            case Binary(op=op, left=left) if op in _SUBTRACTIONS:
                return self._agree(_SUBTRACTIONS[op]) and self.follow(left)
            case Call(callee=callee, arguments=(left, right)) if callee in _CALLS:
                return self._agree(_CALLS[callee]) and self._one_of(left, right)
            case Select():
                return self._follow_select(definition)
            case Phi():
                return self._follow_phi(definition)
            case _:
                return False

    def _agree(self, operation: str) -> bool:
        if not self.operation:
            self.operation = operation
        return self.operation == operation

    def _one_of(self, left: Value, right: Value) -> bool:
        """Exactly one of two operands is the partial result."""
        operation = self.operation
        if left != right and self.follow(left):
            return True
        self.operation = operation
        return left != right and self.follow(right)

    def _follow_select(self, select: Select) -> bool:
        """`a < b ? a : b` and its variants, or `c ? fold(m) : m`, which keeps the partial result as it is."""
        compare = self.definitions.get(select.condition.name) if isinstance(select.condition, Var) else None
        if isinstance(compare, CompareInt | CompareFloat) and {compare.left, compare.right} == {select.then, select.otherwise}:
            operation = _extremum(compare, select)
            if operation is not None:
                self.compares.add(compare.result.name)
                return self._agree(operation) and self._one_of(select.then, select.otherwise)
        return self.follow(select.then) and self.follow(select.otherwise)

    def _follow_phi(self, phi: Phi) -> bool:
        """A phi of a loop inside that carries the partial result, or one that joins or copies partial results."""
        return all(self.follow(value) for _, value in phi.incoming)

    def is_private(self, readers: Mapping[str, frozenset[str]]) -> bool:
        """Whether only members of the chain, and the comparisons that belong to them, read the partial results."""
        allowed = self.members | self.compares | {self.phi.result.name}
        partial = self.members | {self.phi.result.name}
        private = all(readers.get(name, frozenset()) <= allowed for name in partial)
        return private and all(readers.get(name, frozenset()) <= self.members for name in self.compares)


def _extremum(compare: CompareInt | CompareFloat, select: Select) -> str | None:
    """Which minimum or maximum `compare.left < compare.right ? then : otherwise` is."""
    predicate: str = compare.predicate
    if predicate not in _LESS | _GREATER:
        return None
    takes_left = select.then == compare.left
    kind = "min" if (predicate in _LESS) == takes_left else "max"
    if isinstance(compare, CompareFloat):
        # `u` comparisons of floats are true for NaN: another function than C's `x < m ? x : m`
        return f"f{kind}" if predicate[0] == "o" else None
    return predicate[0] + kind
