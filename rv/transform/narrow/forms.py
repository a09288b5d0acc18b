"""Forms of arithmetic whose results are narrower than what C computes on the way.

    (x + y + 1) >> 1, (x + y) / 2                 the average of two numbers is one of their type
    s < 0 ? 0 : s > 255 ? 255 : s                 a number between bounds
    a * w + b * (255 - w)                         a mixture is at most 255 times the larger of a and b

`rv.transform.narrow.trees` decides by intervals where they apply.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rv.analysis.values.uses import Definition
from rv.ir.comparisons import NEGATED, SWAPPED
from rv.ir.instructions import Binary, CompareInt, IntPredicate, Select
from rv.ir.values import Const, Value

Known = Callable[[Value], Definition | None]
"""The definition of a variable."""

_BOUNDS: Final[dict[IntPredicate, tuple[bool, tuple[int, int]]]] = {
    "sgt": (True, (0, 1)), "sge": (True, (-1, 0)), "slt": (False, (-1, 0)), "sle": (False, (0, 1)),
}  # fmt: skip
"""`x PREDICATE c ? d : x`: whether it is an upper bound, and which d - c may be: the least and the greatest."""

_SHIFTS: Final = ("lshr", "ashr")
_HALVES: Final[dict[str, int]] = {"lshr": 1, "ashr": 1, "sdiv": 2, "udiv": 2}


@dataclass(frozen=True, slots=True)
class Average:
    """Half of the sum of two numbers, rounded `up` or down; a quotient is that only of a sum that is not `negative`."""

    left: Value
    right: Value
    up: bool
    negative: bool


@dataclass(frozen=True, slots=True)
class Clamped:
    """A number, but at least `low` and at most `high`, where those are."""

    value: Value
    low: int | None = None
    high: int | None = None


def average(value: Value, known: Known) -> Average | None:
    match known(value):
        case Binary(op=op, left=total, right=Const(bits=by)) if by == _HALVES.get(op):
            terms = _terms(total, known)
            ones = [term for term in terms if isinstance(term, Const)]
            others = [term for term in terms if not isinstance(term, Const)]
            if len(others) == 2 and [one.signed for one in ones] in ([], [1]):
                return Average(others[0], others[1], bool(ones), op in _SHIFTS)
    return None


def _terms(value: Value, known: Known) -> tuple[Value, ...]:
    """What is added in two additions at most."""
    match known(value):
        case Binary(op="add", left=left, right=right):
            for inner, other in ((left, right), (right, left)):
                deeper = known(inner)
                if isinstance(deeper, Binary) and deeper.op == "add" and Const in map(type, (other, deeper.left, deeper.right)):
                    return deeper.left, deeper.right, other
            return left, right
        case _:
            return ()


def clamped(value: Value, known: Known) -> Clamped | None:
    """The number and its bounds if `value` chooses between them."""
    select = known(value)
    test = known(select.condition) if isinstance(select, Select) else None
    if not isinstance(select, Select) or not isinstance(test, CompareInt):
        return None
    for bound, rest, holds in ((select.then, select.otherwise, True), (select.otherwise, select.then, False)):
        found = _bounded(test, bound, rest, known, holds=holds)
        if found is not None:
            return found
    return None


def _bounded(test: CompareInt, bound: Value, rest: Value, known: Known, *, holds: bool) -> Clamped | None:
    """`rest` unless the test, or its opposite, selects the bound."""
    predicate, value, limit = test.predicate, test.left, test.right
    if isinstance(value, Const):
        predicate, value, limit = SWAPPED[predicate], limit, value
    predicate = predicate if holds else NEGATED[predicate]
    if not isinstance(bound, Const) or not isinstance(limit, Const) or predicate not in _BOUNDS:
        return None
    upper, differences = _BOUNDS[predicate]
    if bound.signed - limit.signed not in differences:
        return None
    inner = Clamped(value) if rest == value else clamped(rest, known)
    if inner is None or inner.value != value:
        return None
    if upper:
        good = inner.high is None and (inner.low is None or inner.low <= bound.signed)
        return Clamped(value, inner.low, bound.signed) if good else None
    good = inner.low is None and (inner.high is None or inner.high >= bound.signed)
    return Clamped(value, bound.signed, inner.high) if good else None


@dataclass(frozen=True, slots=True)
class Mixture:
    """left * weight + right * (whole - weight)."""

    left: Value
    right: Value
    weight: Value
    whole: int


def mixture(value: Value, known: Known) -> Mixture | None:
    total = known(value)
    if not isinstance(total, Binary) or total.op != "add":
        return None
    for one, other in ((total.left, total.right), (total.right, total.left)):
        for left, weight in _factors(one, known):
            for right, rest in _factors(other, known):
                match known(rest):
                    case Binary(op="sub", left=Const() as whole, right=taken) if taken == weight:
                        return Mixture(left, right, weight, whole.signed)
    return None


def _factors(value: Value, known: Known) -> tuple[tuple[Value, Value], ...]:
    match known(value):
        case Binary(op="mul", left=left, right=right):
            return (left, right), (right, left)
        case _:
            return ()
