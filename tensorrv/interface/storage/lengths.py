"""Lengths of stored dimensions as code at the start of a function, and as polynomials over what that code defines."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import assert_never

from layouts.lengths import Blocks, Constant, Extent, Length, Plus, RoundedUp, extents_of
from rv.evolution.polynomial import Kind, Polynomial, Symbol, signed
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Instruction, IntBinaryOp, Select
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1, I64
from rv.ir.values import Const, Value, Var, const_i64
from tensorrv.interface.storage.arrays import LaidOutArray


@dataclass(slots=True)
class EntryCode:
    """Instructions for the start of a function; values are computed once."""

    function: Function
    names: FreshNames
    body: list[Instruction] = field(default_factory=list)
    known: dict[tuple[str, Value, Value], Var] = field(default_factory=dict)

    def binary(self, op: IntBinaryOp, left: Value, right: Value, wanted: str) -> Value:
        if isinstance(left, Const) and isinstance(right, Const):
            a, b = left.signed, right.signed
            return const_i64({"add": a + b, "mul": a * b, "udiv": a // max(1, b)}[op])
        neutral = {"add": 0, "mul": 1, "udiv": 1}[op]
        if isinstance(right, Const) and right.signed == neutral:
            return left
        if isinstance(left, Const) and left.signed == neutral and op != "udiv":
            return right
        key = (op, left, right)
        if key not in self.known:
            self.known[key] = self.names.variable(f"{wanted}.length", I64)
            self.body.append(Binary(self.known[key], op, left, right))
        return self.known[key]

    def symbol(self, symbol: Symbol, wanted: str) -> Value:
        """A parameter as i64."""
        unsigned = symbol.kind is Kind.UNSIGNED
        var = next(p.var for p in self.function.parameters if p.var.name == symbol.name)
        if var.type == I64:
            return var
        key = ("zext" if unsigned else "sext", var, var)
        if key not in self.known:
            self.known[key] = self.names.variable(f"{wanted}.length", I64)
            self.body.append(Convert(self.known[key], "zext" if unsigned else "sext", var))
        return self.known[key]

    def polynomial(self, polynomial: Polynomial, wanted: str) -> Value:
        total: Value = const_i64(0)
        for monomial, coefficient in polynomial.terms:
            product: Value = const_i64(coefficient)
            for symbol in monomial:
                product = self.binary("mul", self.symbol(symbol, wanted), product, wanted)
            total = self.binary("add", product, total, wanted)
        return total

    def extent(self, array: LaidOutArray, dimension: int) -> Value:
        """The length of a dimension of an array."""
        extent, wanted = array.shape[dimension], array.var.name
        assert extent is not None
        value = self.polynomial(extent, wanted)
        return self.at_least_one(value, wanted) if array.flattened and isinstance(value, Var) else value

    def at_least_one(self, value: Var, wanted: str) -> Var:
        key = ("max", value, value)
        if key not in self.known:
            positive = self.names.variable(f"{wanted}.length", I1)
            self.known[key] = self.names.variable(f"{wanted}.length", I64)
            self.body.append(CompareInt(positive, "sgt", value, const_i64(0)))
            self.body.append(Select(self.known[key], positive, value, const_i64(1)))
        return self.known[key]

    def length(self, length: Length, array: LaidOutArray) -> Value:
        """A length of the stored array."""
        wanted = array.var.name
        match length:
            case Constant(value):
                return const_i64(value)
            case Extent(dimension):
                return self.extent(array, dimension)
            case Plus(inner, extra):
                return self.binary("add", self.length(inner, array), const_i64(extra), wanted)
            case Blocks(inner, size):
                rounded = self.binary("add", self.length(inner, array), const_i64(size - 1), wanted)
                return self.binary("udiv", rounded, const_i64(size), wanted)
            case RoundedUp(inner, multiple):
                blocks = self.length(Blocks(inner, multiple), array)
                return self.binary("mul", blocks, const_i64(multiple), wanted)
            case _:
                assert_never(length)


def length_polynomial(length: Length, array: LaidOutArray, value: Value) -> Polynomial:
    """The length as a polynomial; `value` is what the code computes for it."""
    match length:
        case Extent(dimension) if not array.flattened:
            extent = array.shape[dimension]
            assert extent is not None
            return extent
        case Plus(inner, extra) if isinstance(inner, Extent) and not array.flattened:
            return length_polynomial(inner, array, value) + extra
        case _:
            assert isinstance(value, Const | Var)
            return Polynomial.constant(value.signed) if isinstance(value, Const) else Polynomial.symbol(signed(value.name))


def stored_lengths(code: EntryCode, array: LaidOutArray) -> tuple[tuple[Value, Polynomial] | None, ...]:
    """Value and polynomial of every digit's length; None for the outermost when the array does not declare it."""
    found: list[tuple[Value, Polynomial] | None] = []
    for digit in array.address.digits:
        if any(array.shape[dimension] is None for dimension in extents_of(digit.length)):
            found.append(None)
            continue
        value = code.length(digit.length, array)
        found.append((value, length_polynomial(digit.length, array, value)))
    return tuple(found)


def stored_count(lengths: Sequence[tuple[Value, Polynomial] | None]) -> Polynomial | None:
    """The number of stored elements, None where the array does not declare it."""
    count = Polynomial.constant(1)
    for pair in lengths:
        if pair is None:
            return None
        count = count * pair[1]
    return count
