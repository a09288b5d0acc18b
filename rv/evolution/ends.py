"""Two numbers between which an integer is, whatever happens: from its type, and from the nearer or farther of two numbers."""

from __future__ import annotations

from collections.abc import Mapping
from math import inf

from rv.analysis.values.uses import Definition
from rv.ir.instructions import Binary, CompareInt, Convert, Select
from rv.ir.types import IntType
from rv.ir.values import Const, Value, Var

Ends = tuple[float, float]


def ends_of(known: Mapping[str, Definition], value: Value) -> Ends:
    """The ends of a number read as signed; infinite where only the type of 64 bits is known."""
    if isinstance(value, Const):
        return value.signed, value.signed
    definition = known.get(value.name) if isinstance(value, Var) else None
    match definition:
        case Select():
            return _selected(known, definition)
        case Binary(op="add", left=left, right=right, nsw=True):
            (low, high), (other_low, other_high) = ends_of(known, left), ends_of(known, right)
            return low + other_low, high + other_high
        case Convert(op="sext", value=Var(type=IntType(bits))):
            return -(1 << (bits - 1)), (1 << (bits - 1)) - 1
        case Convert(op="zext", value=Var(type=IntType(bits))):
            return 0, (1 << bits) - 1
        case _:
            return -inf, inf


def _selected(known: Mapping[str, Definition], select: Select) -> Ends:
    """The smaller or larger of two numbers, or either of them."""
    (low, high), (other_low, other_high) = ends_of(known, select.then), ends_of(known, select.otherwise)
    compare = known.get(select.condition.name) if isinstance(select.condition, Var) else None
    if isinstance(compare, CompareInt) and compare.predicate[0] == "s":
        if {select.then, select.otherwise} == {compare.left, compare.right}:
            smaller = (compare.predicate[1] == "l") == (select.then == compare.left)
            nearer = min if smaller else max
            return nearer(low, other_low), nearer(high, other_high)
    return min(low, other_low), max(high, other_high)
