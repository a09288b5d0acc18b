"""Loops that several bounds end get one: the nearest of them.

    pre:                                  pre:
      jump head                             %near = icmp slt i32 %a, %b
    head:                                   %limit = select %near, i32 %a, %b
      %i = phi i32 [%s, pre], ...           jump head
      %c = icmp slt i32 %i, %a            head:
      branch %c, and, out           ->      %i = phi i32 [%s, pre], ...
    and:                                    %more = icmp slt i32 %i, %limit
      %d = icmp slt i32 %i, %b              branch %more, body, out
      branch %d, body, out

This is what `for (i = s; i < a && i < b; i++)` needs to be a loop whose trips are known before it starts. The second block only
computes, its way out is the header's, and both tests compare the same variable, whatever is added to it, with numbers that
are fixed in the loop. Tests that differ in more than their bounds become one in 64 bits if the variable is narrower: there
`i + s < b` is `i < b - s` and `i <= b` is `i < b + 1`, since the sum does not overflow (`nsw`), and nothing wraps. Needs
loop-simplify form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final, Literal

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.ir.comparisons import NEGATED, SWAPPED
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction, IntPredicate, Phi, Select
from rv.ir.rewrite import FreshNames, rename_predecessor, without_predecessors
from rv.ir.types import I1, I64, IntType
from rv.ir.values import TRUE, Value, Var, const_i64

_BELOW: Final = ("slt", "sle", "ult", "ule")
_ABOVE: Final = ("sgt", "sge", "ugt", "uge")


@dataclass(frozen=True, slots=True)
class _Limit:
    """The loop goes on while `variable + sum(added)  predicate  bound`, all extended to the type of the bound if that is wider.

    Nothing is added to variables of 64 bits.
    """

    variable: Var
    extension: Literal["sext", "zext"]
    predicate: IntPredicate
    bound: Value
    added: tuple[Value, ...] = ()

    @property
    def down(self) -> bool:
        return self.predicate in _ABOVE

    def is_like(self, other: _Limit) -> bool:
        """Whether both limits differ in their bounds only."""
        plain = not self.added and not other.added and self.bound.type == other.bound.type
        return plain and self.predicate == other.predicate and self.extension == other.extension

    def joins(self, other: _Limit) -> bool:
        narrow = self.variable.type != I64 and (self.extension, self.down) == (other.extension, other.down)
        return self.variable == other.variable and (narrow or self.is_like(other))


def join_bounds(function: Function) -> Function:
    """The function with one test in the header of every loop of this kind."""
    for header in tuple(find_loops(function).loops):
        while (joined := _joined(function, find_loops(function).loops[header])) is not None:
            function = joined
    return function


def _joined(function: Function, loop: NaturalLoop) -> Function | None:
    """The function with the first two tests of a loop joined, if that can be done."""
    pair = _two_tests(function, loop)
    if pair is None:
        return None
    header, second = pair
    tests = _Tests(function, loop)
    first, other = tests.limit(header), tests.limit(second)
    if first is None or other is None or not first.joins(other):
        return None
    names = FreshNames.of(function)
    limit, before = _nearest(first, other, names)
    test = _test(first, other, limit, names)
    inside = next(target for target in second.successors if target in loop.blocks)
    (preheader,) = loop.entering
    outside = next(target for target in second.successors if target not in loop.blocks)

    def changed(block: Block) -> Block:
        block = rename_predecessor(without_predecessors(block, [second.label]) if block.label == outside else block, *gone)
        if block.label == preheader:
            return replace(block, body=(*block.body, *before))
        if block.label == header.label:
            result = test[-1].result
            assert result is not None
            return replace(block, body=(*block.body, *second.body, *test), terminator=Branch(result, inside, outside))
        return block

    gone = (second.label, header.label)
    return replace(function, blocks=tuple(changed(block) for block in function.blocks if block != second))


def _two_tests(function: Function, loop: NaturalLoop) -> tuple[Block, Block] | None:
    """The header and the block behind it, if both only decide whether the loop goes on, and it ends in one place."""
    header = function.block(loop.header)
    if len(loop.entering) != 1 or len(loop.latches) != 1 or not isinstance(header.terminator, Branch):
        return None
    inside = [target for target in header.successors if target in loop.blocks]
    if len(inside) != 1 or inside[0] == loop.header:
        return None
    second = function.block(inside[0])
    outside = [target for block in (header, second) for target in block.successors if target not in loop.blocks]
    only_computes = not second.phis and second.predicate == TRUE and all(map(is_speculatable, second.body))
    if not isinstance(second.terminator, Branch) or len(outside) != 2 or outside[0] != outside[1] or not only_computes:
        return None
    if header.predicate != TRUE or any(second.label in block.successors for block in function.blocks if block != header):
        return None
    leaving = function.block(outside[0]).phis
    same = all(phi.value_from(header.label) == phi.value_from(second.label) for phi in leaving)
    return (header, second) if same else None


class _Tests:
    """Reads the tests of a loop."""

    def __init__(self, function: Function, loop: NaturalLoop) -> None:
        self.loop = loop
        self.known: Mapping[str, Definition] = definitions(function)
        self.place = defining_blocks(function)

    def limit(self, block: Block) -> _Limit | None:
        branch = block.terminator
        assert isinstance(branch, Branch)
        compare = self._definition(branch.condition)
        if not isinstance(compare, CompareInt) or not isinstance(compare.left.type, IntType):
            return None
        goes_on = compare.predicate if branch.then in self.loop.blocks else NEGATED[compare.predicate]
        sides = ((compare.left, compare.right, goes_on), (compare.right, compare.left, SWAPPED[goes_on]))
        found = (self._read(*side) for side in sides if self._is_fixed(side[1]))
        return next((limit for limit in found if limit is not None), None)

    def _read(self, tested: Value, bound: Value, predicate: IntPredicate) -> _Limit | None:
        if predicate not in _BELOW + _ABOVE:
            return None
        extension: Literal["sext", "zext"] = "sext" if predicate[0] == "s" else "zext"
        definition = self._definition(tested)
        if isinstance(definition, Convert) and definition.op in ("sext", "zext") and definition.value.type != I1:
            if predicate not in ("slt", "sgt") or tested.type != I64:
                return None  # the bound is any number of 64 bits: one more may be too much
            tested, extension = definition.value, "sext" if definition.op == "sext" else "zext"
        found = self._sum(tested) if extension == "sext" else (tested,)
        if found is None or self._variable(found[0]) is None or (len(found) > 1 and tested.type == I64):
            return None
        variable, *added = found
        assert isinstance(variable, Var)
        return _Limit(variable, extension, predicate, bound, tuple(added))

    def _sum(self, tested: Value) -> tuple[Value, ...] | None:
        """The loop's variable, and what is fixed and added to it without overflow."""
        fixed: list[Value] = []
        while self._variable(tested) is None:
            match self._definition(tested):
                case Binary(op="add", left=left, right=right, nsw=True):
                    if self._is_fixed(left):
                        left, right = right, left
                    if not self._is_fixed(right):
                        return None
                    fixed.append(right)
                    tested = left
                case _:
                    return None
        return (tested, *fixed)

    def _variable(self, value: Value) -> Var | None:
        is_phi = isinstance(self._definition(value), Phi)
        return value if isinstance(value, Var) and is_phi and self.place[value.name] == self.loop.header else None

    def _definition(self, value: Value) -> Definition | None:
        return self.known.get(value.name) if isinstance(value, Var) else None

    def _is_fixed(self, value: Value) -> bool:
        return not isinstance(value, Var) or self.place[value.name] not in self.loop.blocks


def _nearest(first: _Limit, other: _Limit, names: FreshNames) -> tuple[Value, list[Instruction]]:
    """The bound that is met first, and the code that computes it."""
    code: list[Instruction] = []
    alike = first.is_like(other)
    left, right = (limit.bound if alike else _distance(limit, names, code) for limit in (first, other))
    order: IntPredicate = ("sgt" if first.down else "slt") if not alike or first.predicate[0] == "s" else first.predicate
    near, limit = names.variable("near", I1), names.variable(f"{first.variable.source_name}.limit", left.type)
    code += [CompareInt(near, order, left, right), Select(limit, near, left, right)]
    return limit, code


def _distance(limit: _Limit, names: FreshNames, code: list[Instruction]) -> Value:
    """The number of 64 bits that the variable is less (greater, counting down) than."""

    def extended(value: Value) -> Value:
        if value.type == I64:
            return value
        code.append(Convert(names.variable("wide", I64), limit.extension, value))
        return code[-1].result or value

    def moved(op: Literal["add", "sub"], left: Value, right: Value) -> Value:
        code.append(Binary(names.variable("rest", I64), op, left, right, nsw=True))
        return code[-1].result or left

    total = extended(limit.bound)
    for value in limit.added:
        total = moved("sub", total, extended(value))
    if limit.predicate[1:] in ("le", "ge"):
        total = moved("sub" if limit.down else "add", total, const_i64(1))
    return total


def _test(first: _Limit, other: _Limit, bound: Value, names: FreshNames) -> list[Instruction]:
    """The test of the header."""
    goes_on = names.variable("more", I1)
    if first.is_like(other) and bound.type == first.variable.type:
        return [CompareInt(goes_on, first.predicate, first.variable, bound)]
    wide = names.variable("wide", I64)
    extension = Convert(wide, first.extension, first.variable)
    return [extension, CompareInt(goes_on, "sgt" if first.down else "slt", wide, bound)]
