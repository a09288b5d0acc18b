"""What a proof needs at run time, as code: whether all conditions hold and no two footprints overlap.

Everything is computed in 64 bits. Counters of loops around the place come from their variables.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rv.analysis.values.defined import may_be_undefined
from rv.analysis.values.uses import definitions
from rv.evolution.facts import Footprint, Legal, Loop
from rv.evolution.polynomial import Polynomial
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Instruction, IntBinaryOp, IntPredicate
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1, I64, IntType, Type, size_of
from rv.ir.values import TRUE, Value, Var, const_i64
from tensorrv.nest.reorder.bands import Obstacle


def run_time_test(function: Function, loops: Mapping[str, Loop], legal: Legal) -> tuple[tuple[Instruction, ...], Value]:
    """The code and its answer. Raises Obstacle where the answer would rest on what may be undefined."""
    test = _Test(function, loops, FreshNames.of(function))
    for condition in legal.conditions:
        test.require(test.compare("sge", test.polynomial(condition.polynomial), const_i64(0)))
    for left, right in legal.overlaps:
        test.require(test.apart(left, right))
    return tuple(test.code), test.answer


@dataclass(slots=True)
class _Test:
    function: Function
    loops: Mapping[str, Loop]
    names: FreshNames
    code: list[Instruction] = field(default_factory=list)
    answer: Value = TRUE
    known: dict[str, Value] = field(default_factory=dict)

    def require(self, truth: Value) -> None:
        self.answer = truth if self.answer == TRUE else self._binary("and", self.answer, truth, I1)

    def apart(self, left: Footprint, right: Footprint) -> Value:
        """One footprint ends before the other begins."""
        first, second = self._ends_before(left, right), self._ends_before(right, left)
        return self._binary("or", first, second, I1)

    def _ends_before(self, left: Footprint, right: Footprint) -> Value:
        return self.compare("ule", self._address(left, left.high + 1), self._address(right, right.low))

    def _address(self, footprint: Footprint, offset: Polynomial) -> Value:
        base = self._convert("ptrtoint", footprint.array)
        return self._binary("add", base, self._binary("mul", self.polynomial(offset), const_i64(size_of(footprint.element))))

    def polynomial(self, polynomial: Polynomial) -> Value:
        total: Value = const_i64(0)
        for monomial, coefficient in polynomial.terms:
            product: Value = const_i64(coefficient)
            for symbol in monomial:
                product = self._binary("mul", product, self._symbol(symbol))
            total = self._binary("add", total, product)
        return total

    def _symbol(self, symbol: str) -> Value:
        if symbol not in self.known:
            self.known[symbol] = self._counter(symbol[1:]) if symbol.startswith("@") else self._variable(symbol)
        return self.known[symbol]

    def _variable(self, symbol: str) -> Value:
        kind, _, name = symbol.partition("%")
        parameters = {parameter.var.name: parameter.var for parameter in self.function.parameters}
        found = definitions(self.function)
        variable = parameters[name] if name in parameters else found[name].result if name in found else None
        if variable is None:
            raise Obstacle(f"a run-time check would need `{name.partition('.')[0]}` before it is computed", None)
        if may_be_undefined(variable, found.get):
            raise Obstacle(f"a run-time check would read `{variable.source_name}`, which may be undefined", None)
        return self._wide(variable, unsigned=kind == "u")

    def _counter(self, header: str) -> Value:
        loop = self.loops[header]
        if loop.trip is None or loop.variable is None:
            raise Obstacle(f"a run-time check would need the iteration of the {loop.called}", loop.span)
        unsigned = loop.trip.unsigned
        start = self._wide(loop.trip.start, unsigned=unsigned)
        moved = self._binary("sub", self._wide(loop.variable, unsigned=unsigned), start)
        return self._binary("sdiv", moved, const_i64(loop.trip.step))

    def _wide(self, value: Value, *, unsigned: bool) -> Value:
        assert isinstance(value.type, IntType)
        return value if value.type == I64 else self._convert("zext" if unsigned else "sext", value)

    # -- instructions

    def compare(self, predicate: IntPredicate, left: Value, right: Value) -> Value:
        result = self._result(I1)
        self.code.append(CompareInt(result, predicate, left, right))
        return result

    def _binary(self, op: IntBinaryOp, left: Value, right: Value, type_: Type = I64) -> Value:
        result = self._result(type_)
        self.code.append(Binary(result, op, left, right))
        return result

    def _convert(self, op: Literal["ptrtoint", "zext", "sext"], value: Value) -> Value:
        result = self._result(I64)
        self.code.append(Convert(result, op, value))
        return result

    def _result(self, type_: Type) -> Var:
        return self.names.variable("check", type_)
