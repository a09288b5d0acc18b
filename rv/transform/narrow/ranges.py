"""The ranges of the numbers in an expression tree, and the number of bits that represents them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from rv.analysis.values.interval_arithmetic import Interval, binary, join, meet, whole
from rv.analysis.values.uses import Definition
from rv.ir.instructions import Binary, CompareInt, Convert, Select
from rv.ir.types import IntType
from rv.ir.values import Const, Value, Var
from rv.transform.narrow.forms import clamped, mixture

DEEP: Final = 32
"""Of a tree, in instructions from its root."""


@dataclass(frozen=True, slots=True)
class Ranges:
    """The intervals of a function's integers, as far as trees of `DEEP` instructions show."""

    known: Mapping[str, Definition]
    intervals: dict[str, Interval] = field(default_factory=dict)

    def definition(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None

    def sign(self, value: Value, bits: int) -> str | None:
        """How the low bits determine the whole value: without sign, with sign, or not at all."""
        low, high = self.interval(value)
        if 0 <= low and high < 1 << bits:
            return "unsigned"
        return "signed" if -1 << bits - 1 <= low and high < 1 << bits - 1 else None

    def interval(self, value: Value, depth: int = DEEP) -> Interval:
        """What a value may be, as a signed number."""
        assert isinstance(value.type, IntType)
        if isinstance(value, Const):
            return value.signed, value.signed
        if not isinstance(value, Var) or not depth:
            return whole(value.type)
        if value.name not in self.intervals:
            self.intervals[value.name] = self.computed(value, value.type, depth - 1)
        return self.intervals[value.name]

    def computed(self, value: Var, type_: IntType, depth: int) -> Interval:
        match self.known.get(value.name):
            case Convert(op="zext", value=narrow) if isinstance(narrow.type, IntType):
                return 0, (1 << narrow.type.bits) - 1
            case Convert(op="sext", value=narrow) if isinstance(narrow.type, IntType):
                return self.interval(narrow, depth)
            case Binary(left=left, right=right) as operation:
                plain = binary(operation, self.interval(left, depth), self.interval(right, depth))
                return meet(plain, self.mixed(value, type_, depth)) or plain
            case Select(condition=condition, then=then, otherwise=otherwise):
                bounds = clamped(value, self.definition)
                if bounds is not None:
                    return self.clipped(bounds.value, bounds.low, bounds.high, depth)
                return self.chosen(condition, then, otherwise, depth)
            case _:
                return whole(type_)

    def mixed(self, value: Var, type_: IntType, depth: int) -> Interval:
        """What a mixture of two numbers may be: a part of each, and the parts are one whole together."""
        found = mixture(value, self.definition)
        if found is None:
            return whole(type_)
        least, most = self.interval(found.weight, depth)
        low, high = join(self.interval(found.left, depth), self.interval(found.right, depth))
        fits = whole(type_)[0] <= low * found.whole and high * found.whole <= whole(type_)[1]
        return (low * found.whole, high * found.whole) if 0 <= least and most <= found.whole and fits else whole(type_)

    def clipped(self, value: Value, low: int | None, high: int | None, depth: int = DEEP) -> Interval:
        """What a number between bounds may be."""
        least, most = self.interval(value, depth)
        least, most = (least, most) if low is None else (max(least, low), max(most, low))
        return (least, most) if high is None else (min(least, high), min(most, high))

    def chosen(self, condition: Value, then: Value, otherwise: Value, depth: int) -> Interval:
        """What a select gives; of a difference whose sign is that of the condition, `x > y ? x - y : y - x`, its size."""
        test = self.known.get(condition.name) if isinstance(condition, Var) else None
        arms = [self.interval(arm, depth) for arm in (then, otherwise)]
        if isinstance(test, CompareInt) and test.predicate in ("slt", "sle", "sgt", "sge"):
            greater = test.predicate in ("sgt", "sge")
            for k, (arm, holds) in enumerate(((then, True), (otherwise, False))):
                difference = self.known.get(arm.name) if isinstance(arm, Var) else None
                if isinstance(difference, Binary) and difference.op == "sub" and not wraps(arms[k], arm):
                    larger, smaller = (test.left, test.right) if greater == holds else (test.right, test.left)
                    if (difference.left, difference.right) == (larger, smaller):
                        arms[k] = max(0, arms[k][0]), max(0, arms[k][1])
        return join(*arms)


def range_of(bits: int, *, signed: bool) -> Interval:
    """The numbers of so many bits."""
    return (-1 << bits - 1, (1 << bits - 1) - 1) if signed else (0, (1 << bits) - 1)


def wraps(interval: Interval, value: Value) -> bool:
    """Whether a difference may have left its type, so that its sign is not known."""
    assert isinstance(value.type, IntType)
    return interval == whole(value.type)
