"""Questions in a loop whose answers depend on the iteration alone: comparisons and remainders that are affine in its counter.

    i < k       distance i - k, negative where it is true
    (i + 1) % n the sum itself where it is less than n, and n less where it is not

All numbers are exact without run-time conditions, or the question is left alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from rv.analysis.values.defined import may_be_undefined
from rv.evolution.closed_forms import ClosedForms, Reading
from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, counter
from rv.ir.instructions import Binary, CompareInt, Instruction, IntPredicate
from rv.ir.types import IntType
from rv.ir.values import FALSE, TRUE, Const, Value
from tensorrv.nest.legality.region import known_before
from tensorrv.nest.model import Nests

Facts = tuple[Polynomial, ...]
"""Polynomials that are not negative."""


@dataclass(frozen=True, slots=True)
class Case:
    """One outcome of a question, and where the others are: in none of the iterations in which all of `elsewhere` are empty.

    `minus`: what is subtracted from the value, where the outcome is no constant.
    """

    value: Value
    elsewhere: tuple[Facts, ...]
    minus: Value | None = None


@dataclass(frozen=True, slots=True)
class Question:
    """An instruction with its possible outcomes, and the facts that are true from some iteration on, or up to some iteration."""

    instruction: Instruction
    cases: tuple[Case, ...]
    edges: Facts


def questions(nests: Nests, forms: ClosedForms, loop: Loop) -> Iterator[Question]:
    """Those in a loop, and in loops inside it, whose answers change with its counter."""
    for block in nests.function.blocks:
        if block.label in loop.blocks and block.label not in nests.loops:
            for instruction in block.body:
                found = _question(forms, block.label, instruction)
                if found is not None and all(_belongs_to(nests, loop, edge) for edge in found.edges):
                    yield found


def _belongs_to(nests: Nests, loop: Loop, edge: Polynomial) -> bool:
    """Whether one iteration of this loop follows from the fact: the loop's counter is the last one in it, by itself."""
    slope = edge.coefficient(counter(loop.header)).as_constant
    rest = edge.without([counter(loop.header)])
    around = all(loop.header in nests.loops[s.name].blocks for s in rest.symbols if s.is_counter)
    return slope in (1, -1) and counter(loop.header) not in rest.symbols and around and known_before(nests, rest, loop)


def _question(forms: ClosedForms, block: str, instruction: Instruction) -> Question | None:
    match instruction:
        case CompareInt(predicate=predicate, left=left, right=right) if isinstance(left.type, IntType):
            return _comparison(forms, block, instruction, predicate, left, right)
        case Binary(op="srem" | "urem", left=left, right=right) if not isinstance(right, Const):
            return _remainder(forms, block, instruction, left, right)
        case _:
            return None


_UNSIGNED: Final[dict[IntPredicate, IntPredicate]] = {"ult": "slt", "ule": "sle", "ugt": "sgt", "uge": "sge"}


def _comparison(
    forms: ClosedForms, block: str, instruction: CompareInt, predicate: IntPredicate, left: Value, right: Value
) -> Question | None:
    distance = _distance(forms, block, left, right, unsigned=predicate in _UNSIGNED)
    if distance is None and predicate in ("eq", "ne"):
        distance = _distance(forms, block, left, right, unsigned=True)
    if distance is None:
        return None
    true, false = _where(_UNSIGNED.get(predicate, predicate), distance)
    return Question(instruction, (Case(TRUE, false), Case(FALSE, true)), _edges(true, false))


def _where(predicate: IntPredicate, distance: Polynomial) -> tuple[tuple[Facts, ...], tuple[Facts, ...]]:
    """Where a number compares so with 0, and where it does not."""
    less, greater, equal = (-distance - 1,), (distance - 1,), (distance, -distance)
    at_most, at_least = (-distance,), (distance,)
    match predicate:
        case "slt":
            return (less,), (at_least,)
        case "sle":
            return (at_most,), (greater,)
        case "sgt":
            return (greater,), (at_most,)
        case "sge":
            return (at_least,), (less,)
        case "eq":
            return (equal,), (less, greater)
        case _:
            return (less, greater), (equal,)


def _edges(true: tuple[Facts, ...], false: tuple[Facts, ...]) -> Facts:
    """The facts whose signs decide: of equal numbers both."""
    return true[0] if len(true) == len(false) else max(true, false, key=lambda cases: len(cases[0]))[0]


def _remainder(forms: ClosedForms, block: str, instruction: Binary, left: Value, right: Value) -> Question | None:
    readings = [_read(forms, block, value, unsigned=instruction.op == "urem") for value in (left, right)]
    if readings[0] is None or readings[1] is None:
        return None
    number, divisor = readings[0], readings[1]
    below, above = (divisor - number - 1,), (number - divisor,)
    cases = (
        Case(left, ((-number - 1,), above)),
        Case(left, (below, (number - divisor * 2,)), right),
    )
    return Question(instruction, cases, above)


def _distance(forms: ClosedForms, block: str, left: Value, right: Value, *, unsigned: bool) -> Polynomial | None:
    one, other = (_read(forms, block, value, unsigned=unsigned) for value in (left, right))
    return None if one is None or other is None else one - other


def _read(forms: ClosedForms, block: str, value: Value, *, unsigned: bool) -> Polynomial | None:
    """The exact value, where it needs no run-time condition and is defined."""
    found: Reading | None = forms.unsigned(value, block) if unsigned else forms.signed(value, block)
    if found is None or found.conditions or may_be_undefined(value, forms.definitions.get):
        return None
    return found.polynomial
