"""What the files of this folder look up about a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.uses import Definition, defining_blocks, definitions
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, CompareFloat, CompareInt, Convert, Phi, Select, operands
from rv.ir.types import I1, FloatType
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
    """Definitions, the labels of their blocks, and selects, all by name (the selects by that of the condition).

    `tested` are conditions of branches, `combined` truth values that go into others or into numbers, and `unrolled` the phis of
    blocks that are left after a constant number of times: LLVM may know what they are each time.
    """

    known: Mapping[str, Definition]
    blocks: Mapping[str, str]
    selects: Mapping[str, tuple[Select, ...]]
    tested: frozenset[str]
    combined: frozenset[str]
    unrolled: frozenset[str]
    architecture: str

    @staticmethod
    def of(function: Function, architecture: str) -> Facts:
        known = definitions(function)
        selects: dict[str, tuple[Select, ...]] = {}
        for definition in known.values():
            if isinstance(definition, Select) and isinstance(definition.condition, Var):
                name = definition.condition.name
                selects[name] = (*selects.get(name, ()), definition)
        tests = {condition.name for block in function.blocks if (condition := _test(block)) is not None}
        combined = {value.name for definition in known.values() for value in _combined(definition)}
        unrolled = {phi.result.name for block in function.blocks if _is_counted(block, known) for phi in block.phis}
        sets = frozenset(tests), frozenset(combined), frozenset(unrolled)
        return Facts(known, defining_blocks(function), selects, *sets, architecture)

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
            for phi in self.known.values():
                if isinstance(phi, Phi):
                    yield tuple(value for _, value in phi.incoming)


def _test(block: Block) -> Var | None:
    match block.terminator:
        case Branch(condition=Var() as condition):
            return condition
        case _:
            return None


def _is_counted(block: Block, known: Mapping[str, Definition]) -> bool:
    condition = _test(block)
    test = None if condition is None else known.get(condition.name)
    return isinstance(test, CompareInt) and any(isinstance(side, Const) for side in (test.left, test.right))


def _combined(definition: Definition) -> tuple[Var, ...]:
    """The truth values that an instruction makes another value of."""
    chosen_by = isinstance(definition, Select) and definition.result.type != I1
    return tuple(v for v in operands(definition)[chosen_by:] if isinstance(v, Var) and v.type == I1)


def number_of(value: Value) -> float | None:
    """What a constant is."""
    if not isinstance(value, Const):
        return None
    return value.number if isinstance(value.type, FloatType) else value.signed
