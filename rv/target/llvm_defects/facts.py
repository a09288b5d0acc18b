"""What the files of this folder look up about a function."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final

from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Call, CompareFloat, CompareInt, Convert, Horizontal, Negate, Phi, Select, operands
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
    """Definitions by name, and selects by the name of the condition.

    `tested` are conditions of branches, `combined` truth values that go into others or into numbers, and `unrolled` the phis of
    blocks that are left after a constant number of times: LLVM may know their value in each iteration.
    """

    known: Mapping[str, Definition]
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
        combined = {value.name for definition in known.values() for value in combined_in(definition)}
        unrolled = {phi.result.name for block in function.blocks if _is_counted(block, known) for phi in block.phis}
        sets = frozenset(tests), frozenset(combined), frozenset(unrolled)
        return Facts(known, selects, *sets, architecture)

    def definition(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None

    def source(self, value: Value) -> Value:
        """What a value is converted from, apart from its sign."""
        while True:
            match self.definition(value):
                case Convert(value=source) | Negate(value=source):
                    value = source
                case Binary() as operation if (operand := kept(operation)) is not None:
                    value = operand
                case _:
                    return value

    def may_signal(self, value: Value) -> bool:
        """Whether a number may be a signalling NaN: what arithmetic computes is none."""
        match self.definition(value):
            case Negate(value=source):
                return self.may_signal(source)
            case Call(callee="fabs" | "fabsf" | "copysign" | "copysignf", arguments=(source, *_)):
                return self.may_signal(source)
            case Select(then=then, otherwise=otherwise):
                return self.may_signal(then) or self.may_signal(otherwise)
            case Binary() as operation:
                operand = kept(operation)
                return operand is not None and self.may_signal(operand)
            case Call():
                return False
            case Convert(op=op):
                return op == "bitcast"
            case _:
                return isinstance(value, Var)

    def comparisons(self) -> Iterator[CompareFloat]:
        """All predicates that compare for smaller or larger."""
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


def kept(operation: Binary) -> Value | None:
    """The operand that LLVM takes for the result, or the negated one for it: `x * 1.0`, `x / -1.0`, `x + 0.0`, `0.0 - x`."""
    match operation:
        case (
            Binary(op="fmul" | "fdiv", left=other, right=Const() as number)
            | Binary(op="fmul", left=Const() as number, right=other)
        ):
            return other if abs(number.number) == 1 else None
        case (
            Binary(op="fadd" | "fsub", left=other, right=Const() as number)
            | Binary(op="fadd" | "fsub", left=Const() as number, right=other)
        ):
            return other if number.number == 0 else None
        case _:
            return None


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


def combined_in(definition: Definition) -> tuple[Var, ...]:
    """The truth values that an instruction makes another value of."""
    if isinstance(definition, Horizontal):
        return ()
    chosen_by = isinstance(definition, Select) and definition.result.type != I1
    return tuple(v for v in operands(definition)[chosen_by:] if isinstance(v, Var) and v.type == I1)


def number_of(value: Value) -> float | None:
    """What a constant is."""
    if not isinstance(value, Const):
        return None
    return value.number if isinstance(value.type, FloatType) else value.signed
