"""What a proof needs at run time, as code: whether all conditions hold and no two footprints overlap.

    Legal(conditions n - 1 >= 0, overlaps A[0 .. n - 1] and B[0 .. n - 1])

    %check = add i64 %n, -1                                     the conditions
    %check.1 = icmp sge i64 %check, 0
    ...                                                         addresses behind the ends of A and B
    %check.8 = icmp ule i64 %check.4, %check.5                  A ends before B begins
    %check.9 = icmp ule i64 %check.6, %check.7                  B ends before A begins
    %check.10 = or i1 %check.8, %check.9
    %check.11 = and i1 %check.1, %check.10

Everything is computed in 64 bits. Counters of loops around the place come from their variables. What may be undefined, such as a
subscript that is never used, is frozen: then conditions about it hold or not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.defined import may_be_undefined
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.evolution.facts import Footprint, Legal, Loop
from rv.evolution.polynomial import Polynomial
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Freeze, Instruction, IntBinaryOp, IntPredicate
from rv.ir.rewrite import FreshNames
from rv.ir.source import Span
from rv.ir.types import I1, I64, IntType, Type, size_of
from rv.ir.values import TRUE, Const, Value, Var, const_i64
from rv.transform.loops.version import Test


class NotKnownBefore(ValueError):
    """A test needs what is not computed where it stands; the message names it."""

    def __init__(self, message: str, span: Span | None = None) -> None:
        super().__init__(message)
        self.span = span


def run_time_test(
    function: Function,
    place: str,
    loops: Mapping[str, Loop],
    legal: Legal,
    names: FreshNames,
    before: tuple[Instruction, ...] = (),
) -> Test:
    """The test at the end of the block `place`, behind the instructions `before`, which become part of it.

    Raises NotKnownBefore.
    """
    test = _Test(function, place, loops, names, list(before))
    for condition in legal.conditions:
        test.require(test.compare("sge", test.polynomial(condition.polynomial), const_i64(0)))
    for left, right in legal.overlaps:
        test.require(test.apart(left, right))
    return Test(tuple(test.code), test.answer)


@dataclass(slots=True)
class _Test:
    function: Function
    place: str
    loops: Mapping[str, Loop]
    names: FreshNames
    code: list[Instruction]
    answer: Value = TRUE
    known: dict[str, Value] = field(default_factory=dict)
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

    def require(self, truth: Value) -> None:
        self.answer = truth if self.answer == TRUE else self._binary("and", self.answer, truth, I1)

    def apart(self, left: Footprint, right: Footprint) -> Value:
        """One footprint ends before the other begins."""
        first, second = self._ends_before(left, right), self._ends_before(right, left)
        return self._binary("or", first, second, I1)

    def _ends_before(self, left: Footprint, right: Footprint) -> Value:
        return self.compare("ule", self._address(left, left.high + 1), self._address(right, right.low))

    def _address(self, footprint: Footprint, offset: Polynomial) -> Value:
        base = self._convert("ptrtoint", self._here(footprint.array))
        return self._binary("add", base, self._binary("mul", self.polynomial(offset), const_i64(size_of(footprint.element))))

    def polynomial(self, polynomial: Polynomial) -> Value:
        """The value of a polynomial, computed once."""
        if polynomial not in self.polynomials:
            self.polynomials[polynomial] = self._sum(polynomial)
        return self.polynomials[polynomial]

    def _sum(self, polynomial: Polynomial) -> Value:
        total: Value = const_i64(0)
        for monomial, coefficient in polynomial.terms:
            product: Value = const_i64(coefficient)
            for symbol in monomial:
                product = self._binary("mul", self._symbol(symbol), product)
            total = self._binary("add", product, total)
        return total

    def _symbol(self, symbol: str) -> Value:
        if symbol not in self.known:
            self.known[symbol] = self._counter(symbol[1:]) if symbol.startswith("@") else self._variable(symbol)
        return self.known[symbol]

    def _variable(self, symbol: str) -> Value:
        kind, _, name = symbol.partition("%")
        variable = self.variables.get(name)
        if variable is None:
            found = self.found.get(name)
            result = None if found is None else found.result
            if result is None:
                raise NotKnownBefore(f"a run-time check would need `{name.partition('.')[0]}` before it is computed")
            variable = self._here(result)
        return self._wide(variable, unsigned=kind == "u")

    def _here(self, variable: Var) -> Var:
        """The variable, or what it is frozen to. Raises NotKnownBefore where it is not computed yet."""
        if variable.name in self.variables:
            return variable
        home = self.homes.get(variable.name)
        if home is None or not self.dominators.dominates(home, self.place):
            raise NotKnownBefore(f"a run-time check would need `{variable.source_name}` before it is computed")
        if may_be_undefined(variable, self.found.get):
            frozen = self._result(variable.type)
            self.code.append(Freeze(frozen, variable))
            self.variables[variable.name] = frozen
            return frozen
        return variable

    def _counter(self, header: str) -> Value:
        loop = self.loops[header]
        if loop.trip is None or loop.variable is None:
            raise NotKnownBefore(f"a run-time check would need the iteration of the {loop.called}", loop.span)
        unsigned = loop.trip.unsigned
        start = loop.trip.start
        first = self._wide(self._here(start) if isinstance(start, Var) else start, unsigned=unsigned)
        moved = self._binary("sub", self._wide(self._here(loop.variable), unsigned=unsigned), first)
        return self._binary("sdiv", moved, const_i64(loop.trip.step))

    def _wide(self, value: Value, *, unsigned: bool) -> Value:
        assert isinstance(value.type, IntType)
        if value.type == I64:
            return value
        if isinstance(value, Const):
            return const_i64(value.bits if unsigned else value.signed)
        return self._convert("zext" if unsigned else "sext", value)

    # -- instructions

    def compare(self, predicate: IntPredicate, left: Value, right: Value) -> Value:
        result = self._result(I1)
        self.code.append(CompareInt(result, predicate, left, right))
        return result

    def _binary(self, op: IntBinaryOp, left: Value, right: Value, type_: Type = I64) -> Value:
        """The operation, or what it gives where the right operand is neutral or both are numbers."""
        if isinstance(right, Const):
            if right.signed == _NEUTRAL.get(op):
                return left
            if isinstance(left, Const) and op == "mul":
                return const_i64(left.signed * right.signed)
            if isinstance(left, Const) and op == "add":
                return const_i64(left.signed + right.signed)
        result = self._result(type_)
        self.code.append(Binary(result, op, left, right))
        return result

    def _convert(self, op: Literal["ptrtoint", "zext", "sext"], value: Value) -> Value:
        result = self._result(I64)
        self.code.append(Convert(result, op, value))
        return result

    def _result(self, type_: Type) -> Var:
        return self.names.variable("check", type_)


_NEUTRAL: Mapping[str, int] = {"add": 0, "sub": 0, "mul": 1, "sdiv": 1}
