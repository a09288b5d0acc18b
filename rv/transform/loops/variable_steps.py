"""Loops with a step that is fixed, but no constant, count their iterations.

    pre:                                    pre:
      jump head                               %distance = ...   n - s, in 64 bits
    head:                                     %i.trips = ...    if s < n: (distance - 1) / max(step, 1) + 1, else 0
      %i = phi i32 [%s, pre], ...             jump head
      %c = icmp slt i32 %i, %n       ->     head:
      branch %c, body, out                    %i = phi i32 [%s, pre], [%j, latch]
    ...                                       %i.count = phi i64 [0, pre], [%i.next, latch]
    latch:                                    %c = icmp slt i64 %i.count, %i.trips
      %j = add nsw i32 %i, %step              branch %c, body, out
      jump head

A step that is not positive never ends a loop that begins: the variable would stay, or overflow, and C says of a loop whose
condition is no constant that it ends (6.8.5, paragraph 6). So what the count is then does not matter; nothing divides by zero.
Downwards likewise, with `i -= step` and `i > n`. Needs loop-simplify form; the header's test is the only way out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.ir.comparisons import NEGATED, SWAPPED
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, BinaryOp, Branch, CompareInt, Convert, Instruction, IntPredicate, Phi, Select
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1, I64, IntType
from rv.ir.values import Const, Value, Var, const_i64

_STEPPED: Final[Mapping[IntPredicate, BinaryOp]] = {"slt": "add", "sle": "add", "sgt": "sub", "sge": "sub"}


@dataclass(frozen=True, slots=True)
class _Test:
    """The loop goes on while `phi predicate bound`; an iteration moves `phi` by `step` towards the bound."""

    phi: Phi
    predicate: IntPredicate
    bound: Value
    step: Var


def count_variable_steps(function: Function) -> Function:
    """The function with counters in all loops of this kind."""
    for header in tuple(find_loops(function).loops):
        loop = find_loops(function).loops[header]
        test = _Search(function, loop).test()
        if test is not None:
            function = _counted(function, loop, test)
    return function


class _Search:
    def __init__(self, function: Function, loop: NaturalLoop) -> None:
        self.header = function.block(loop.header)
        self.loop = loop
        self.known: Mapping[str, Definition] = definitions(function)
        self.place = defining_blocks(function)

    def test(self) -> _Test | None:
        branch, loop = self.header.terminator, self.loop
        alone = len(loop.exits) == 1 and loop.exits[0][0] == loop.header and len(loop.entering) == 1 == len(loop.latches)
        compare = self._definition(branch.condition) if isinstance(branch, Branch) else None
        if not alone or not isinstance(branch, Branch) or not isinstance(compare, CompareInt):
            return None
        goes_on = compare.predicate if branch.then in loop.blocks else NEGATED[compare.predicate]
        sides = ((compare.left, compare.right, goes_on), (compare.right, compare.left, SWAPPED[goes_on]))
        found = (self._stepped(*side) for side in sides)
        return next((test for test in found if test is not None), None)

    def _stepped(self, tested: Value, bound: Value, predicate: IntPredicate) -> _Test | None:
        definition = self._definition(tested)
        if isinstance(definition, Convert) and definition.op == "sext":
            definition = self._definition(definition.value)
        if not isinstance(definition, Phi) or definition not in self.header.phis or not self._is_fixed(bound):
            return None
        match self._definition(definition.value_from(self.loop.latches[0])):
            case Binary(op=op, left=left, right=Var() as step, nsw=True) if left == definition.result:
                fits = op == _STEPPED.get(predicate) and self._is_fixed(step) and definition.result.type in (IntType(32), I64)
                return _Test(definition, predicate, bound, step) if fits else None
            case Binary(op="add", left=Var() as step, right=right, nsw=True) if right == definition.result:
                fits = _STEPPED.get(predicate) == "add" and self._is_fixed(step) and step.type in (IntType(32), I64)
                return _Test(definition, predicate, bound, step) if fits else None
            case _:
                return None

    def _definition(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None

    def _is_fixed(self, value: Value) -> bool:
        return isinstance(value, Const) or (isinstance(value, Var) and self.place[value.name] not in self.loop.blocks)


def _counted(function: Function, loop: NaturalLoop, test: _Test) -> Function:
    names = FreshNames.of(function)
    name = test.phi.result.source_name
    (preheader,), (latch,) = loop.entering, loop.latches
    count, following = names.variable(f"{name}.count", I64), names.variable(f"{name}.next", I64)
    trips, before = _trips(test, test.phi.value_from(preheader), names)
    phi = Phi(count, ((preheader, const_i64(0)), (latch, following)), test.phi.span)
    more = names.variable("more", I1)
    header = function.block(loop.header)
    assert isinstance(header.terminator, Branch)
    inside = next(target for target in header.successors if target in loop.blocks)
    outside = next(target for target in header.successors if target not in loop.blocks)

    def changed(block: Block) -> Block:
        if block.label == loop.header:
            tested = CompareInt(more, "slt", count, trips)
            return replace(block, phis=(*block.phis, phi), body=(*block.body, tested), terminator=Branch(more, inside, outside))
        if block.label == latch:
            return replace(block, body=(*block.body, Binary(following, "add", count, const_i64(1), nsw=True)))
        return replace(block, body=(*block.body, *before)) if block.label == preheader else block

    return replace(function, blocks=tuple(map(changed, function.blocks)))


def _trips(test: _Test, start: Value, names: FreshNames) -> tuple[Var, list[Instruction]]:
    """How often the loop runs, and the code that computes it."""
    code: list[Instruction] = []
    name = test.phi.result.source_name

    def wide(value: Value) -> Value:
        if value.type == I64:
            return value
        code.append(Convert(names.variable("wide", I64), "sext", value))
        return code[-1].result or value

    def new(op: BinaryOp, left: Value, right: Value) -> Var:
        code.append(Binary(names.variable(f"{name}.{op}", I64), op, left, right))
        assert code[-1].result is not None
        return code[-1].result

    def chosen(left: Value, predicate: IntPredicate, right: Value, then: Value, otherwise: Value) -> Var:
        holds, result = names.variable("holds", I1), names.variable(f"{name}.trips", I64)
        code.extend([CompareInt(holds, predicate, left, right), Select(result, holds, then, otherwise)])
        return result

    first, last, step = wide(start), wide(test.bound), wide(test.step)
    low, high = (first, last) if test.predicate[1] == "l" else (last, first)
    distance: Value = new("sub", high, low)
    if test.predicate[2] == "t":
        distance = new("sub", distance, const_i64(1))
    divisor = chosen(step, "sgt", const_i64(0), step, const_i64(1))
    rounds = new("add", new("udiv", distance, divisor), const_i64(1))
    return chosen(low, "slt" if test.predicate[2] == "t" else "sle", high, rounds, const_i64(0)), code
