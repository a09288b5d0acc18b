"""Code that evaluates closed forms in 64 bits at the end of a block.

Counters of loops around the place come from their variables. What may be undefined, such as a subscript that is never used, is
frozen: then what is computed from it is one number or another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial, reduce
from typing import Literal

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.defined import may_be_undefined
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.evolution.facts import Loop
from rv.evolution.polynomial import Kind, Polynomial, Symbol
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Freeze, Instruction, IntBinaryOp, IntPredicate, Select
from rv.ir.rewrite import FreshNames
from rv.ir.source import Span
from rv.ir.types import I1, I64, IntType, Type
from rv.ir.values import Const, Value, Var, const_i64


class NotKnownBefore(ValueError):
    """A test needs what is not computed where it stands; the message names it."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span = span


@dataclass(slots=True)
class Evaluation:
    """The `code` so far, at the end of the block `place`, behind what is in it at first, which becomes part of it.

    Results are called `wanted`; `purpose` is what messages call the code. `nsw`: nothing leaves the range of 64 bits.
    """

    function: Function
    place: str
    loops: Mapping[str, Loop]
    names: FreshNames
    wanted: str
    purpose: str
    code: list[Instruction] = field(default_factory=list)
    nsw: bool = False
    known: dict[Symbol, Value] = field(default_factory=dict)
    polynomials: dict[Polynomial, Value] = field(default_factory=dict)
    found: Mapping[str, Definition] = field(init=False)
    homes: Mapping[str, str] = field(init=False)
    dominators: DominatorTree = field(init=False)
    variables: dict[str, Var] = field(init=False)

    def __post_init__(self) -> None:
        self.found, self.homes = definitions(self.function), defining_blocks(self.function)
        self.dominators = dominator_tree(flow_graph(self.function))
        self.variables = {parameter.var.name: parameter.var for parameter in self.function.parameters}
        self.variables |= {i.result.name: i.result for i in self.code if i.result is not None}

    def polynomial(self, polynomial: Polynomial) -> Value:
        """The value of a polynomial, computed once."""
        if polynomial not in self.polynomials:
            self.polynomials[polynomial] = self._sum(polynomial)
        return self.polynomials[polynomial]

    def nearest(self, predicate: IntPredicate, polynomials: Sequence[Polynomial]) -> Value:
        """The smallest of some numbers, for the predicate `slt`, or the largest, for `sgt`."""
        return reduce(partial(self.nearer, predicate), map(self.polynomial, polynomials))

    def nearer(self, predicate: IntPredicate, one: Value, other: Value) -> Value:
        """The smaller or larger of two numbers."""
        result = self._result(I64)
        self.code.append(Select(result, self.compare(predicate, one, other), one, other))
        return result

    def _sum(self, polynomial: Polynomial) -> Value:
        total: Value = const_i64(0)
        for monomial, coefficient in polynomial.terms:
            product: Value = const_i64(coefficient)
            for symbol in monomial:
                product = self.binary("mul", self._symbol(symbol), product)
            total = self.binary("add", product, total)
        return total

    def _symbol(self, symbol: Symbol) -> Value:
        if symbol not in self.known:
            self.known[symbol] = self._counter(symbol.name) if symbol.is_counter else self._variable(symbol)
        return self.known[symbol]

    def _variable(self, symbol: Symbol) -> Value:
        variable = self.variables.get(symbol.name)
        if variable is None:
            found = self.found.get(symbol.name)
            result = None if found is None else found.result
            if result is None:
                raise NotKnownBefore(f"{self.purpose} would need `{symbol.source_name}` before it is computed")
            variable = self.here(result)
        return self.wide(variable, unsigned=symbol.kind is Kind.UNSIGNED)

    def here(self, variable: Var) -> Var:
        """The variable, or what it is frozen to. Raises NotKnownBefore where it is not computed yet."""
        if variable.name in self.variables:
            return variable
        home = self.homes.get(variable.name)
        if home is None or not self.dominators.dominates(home, self.place):
            raise NotKnownBefore(f"{self.purpose} would need `{variable.source_name}` before it is computed")
        if may_be_undefined(variable, self.found.get):
            frozen = self._result(variable.type)
            self.code.append(Freeze(frozen, variable))
            self.variables[variable.name] = frozen
            return frozen
        return variable

    def _counter(self, header: str) -> Value:
        loop = self.loops[header]
        if loop.trip is None or loop.variable is None:
            raise NotKnownBefore(f"{self.purpose} would need the iteration of the {loop.called}", loop.span)
        unsigned = loop.trip.unsigned
        start = loop.trip.start
        first = self.wide(self.here(start) if isinstance(start, Var) else start, unsigned=unsigned)
        moved = self.binary("sub", self.wide(self.here(loop.variable), unsigned=unsigned), first)
        return self.binary("sdiv", moved, const_i64(loop.trip.step))

    def wide(self, value: Value, *, unsigned: bool) -> Value:
        """An integer in 64 bits."""
        assert isinstance(value.type, IntType)
        if value.type == I64:
            return value
        if isinstance(value, Const):
            return const_i64(value.bits if unsigned else value.signed)
        return self.convert("zext" if unsigned else "sext", value)

    # -- instructions

    def compare(self, predicate: IntPredicate, left: Value, right: Value) -> Value:
        result = self._result(I1)
        self.code.append(CompareInt(result, predicate, left, right))
        return result

    def binary(self, op: IntBinaryOp, left: Value, right: Value, type_: Type = I64) -> Value:
        """The operation, or what it gives where the right operand is neutral or both are numbers."""
        if isinstance(right, Const):
            if right.signed == _NEUTRAL.get(op):
                return left
            if isinstance(left, Const) and op == "mul":
                return const_i64(left.signed * right.signed)
            if isinstance(left, Const) and op == "add":
                return const_i64(left.signed + right.signed)
        result = self._result(type_)
        self.code.append(Binary(result, op, left, right, nsw=self.nsw and type_ == I64))
        return result

    def convert(self, op: Literal["ptrtoint", "zext", "sext", "trunc"], value: Value, type_: Type = I64) -> Value:
        result = self._result(type_)
        self.code.append(Convert(result, op, value))
        return result

    def _result(self, type_: Type) -> Var:
        return self.names.variable(self.wanted, type_)


_NEUTRAL: Mapping[str, int] = {"add": 0, "sub": 0, "mul": 1, "sdiv": 1}
