"""What the files of this folder look up about a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Branch, CompareFloat, Convert, Phi, Select
from rv.ir.values import Const, Value, Var

RESULT: Final = -1


@dataclass(frozen=True, slots=True)
class Hidden:
    """An operand of an instruction, by position, or its result, that LLVM must not recognize, behind `fences` fences."""

    name: str
    position: int
    fences: int = 1


@dataclass(frozen=True, slots=True)
class Facts:
    """`known` are definitions by name, `selects` the selects by condition; `tested` are the conditions of branches."""

    known: Mapping[str, Definition]
    selects: Mapping[str, tuple[Select, ...]]
    phis: tuple[Phi, ...]
    tested: frozenset[str]
    architecture: str

    @staticmethod
    def of(function: Function, architecture: str) -> Facts:
        known = definitions(function)
        selects: dict[str, tuple[Select, ...]] = {}
        for definition in known.values():
            if isinstance(definition, Select) and isinstance(definition.condition, Var):
                name = definition.condition.name
                selects[name] = (*selects.get(name, ()), definition)
        tests = [block.terminator.condition for block in function.blocks if isinstance(block.terminator, Branch)]
        tested = frozenset(value.name for value in tests if isinstance(value, Var))
        phis = tuple(definition for definition in known.values() if isinstance(definition, Phi))
        return Facts(known, selects, phis, tested, architecture)

    def definition(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None

    def source(self, value: Value) -> Value:
        """What a value is converted from."""
        while isinstance(found := self.definition(value), Convert):
            value = found.value
        return value

    def comparisons(self) -> Iterator[CompareFloat]:
        """All that ask which of two numbers is smaller."""
        for definition in self.known.values():
            if isinstance(definition, CompareFloat) and definition.predicate[1:] in ("lt", "le", "gt", "ge"):
                yield definition

    def choices(self, condition: Var) -> Iterator[tuple[Value, ...]]:
        """What selects choose between by this condition; if a branch tests it, what any phi chooses between."""
        for select in self.selects.get(condition.name, ()):
            yield select.then, select.otherwise
        if condition.name in self.tested:
            for phi in self.phis:
                yield tuple(value for _, value in phi.incoming)


def is_zero(value: Value) -> bool:
    return isinstance(value, Const) and value.number == 0
