"""Loops that test at their end become loops that test at their start, as compilers and `do ... while` leave and make them.

    pre:                                  pre:
      jump body                             jump head
    body:                                 head:
      %i = phi i64 [0, pre], [%k, body]     %i = phi i64 [0, pre], [%k, body]
      store double %x, %p                   %more = icmp ne i64 %i, %n
      %k = add nsw i64 %i, 1        ->      branch %more, body, out
      %more = icmp ne i64 %k, %n          body:
      branch %more, body, out               store double %x, %p
    out:                                    %k = add nsw i64 %i, 1
                                            jump head

The new test is the old one on what the phis get for the next iteration. On entry it has to succeed, since the loop runs at least
once. That is known when it folds to true; when it follows from branches on the way to the loop; when it compares a pointer, or a
variable whose steps do not overflow (`nsw`), for being different from a bound: equal at the start, the two would be equal again
only after an overflow. A comparison of order is with the farther of the bound and the value of the second iteration otherwise:

    i = a; do ...; while (++i < n);       i = a; while (i < max(n, a + 1)) { ...; ++i; }

Done in loops with one latch that leaves the loop, and a header that does not, in loop-simplify form and loop-closed SSA. What is
computed in the last iteration and read outside goes round in a phi.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.effects import is_pure, may_trap, may_write
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Call, CompareInt, ElementPointer, Instruction, Jump, Phi, Select, operands
from rv.ir.rewrite import FreshNames, map_operands, rename_predecessor, with_result
from rv.ir.types import I1, IntType
from rv.ir.values import TRUE, Const, Undef, Value, Var, const_int
from rv.transform.loops.first_test import is_known
from rv.transform.scalar.fold import fold

_MOST: Final = 16
"""Instructions of a test that are computed from the phis again."""
_UP: Final = frozenset(("slt", "sle", "ult", "ule"))


def lead_with_tests(function: Function) -> Function:
    """The function whose loops test first, as far as that is possible."""
    for header in [loop.header for loop in find_loops(function).innermost_first()]:
        loop = find_loops(function).loops[header]
        function = _turned(function, loop) or function
    return function


def _turned(function: Function, loop: NaturalLoop) -> Function | None:
    if len(loop.latches) != 1 or len(loop.entering) != 1:
        return None
    (latch,), (preheader,) = loop.latches, loop.entering
    exits = [target for label, target in loop.exits if label == latch]
    leaves_first = any(label == loop.header for label, _ in loop.exits) and loop.header != latch
    end = function.block(latch).terminator
    if len(exits) != 1 or leaves_first or not isinstance(end, Branch) or function.block(latch).predicate != TRUE:
        return None
    if sum(exits[0] in block.successors for block in function.blocks) != 1:
        return None
    test = _Test(function, loop, definitions(function), defining_blocks(function), FreshNames.of(function))
    again = test.of_next(end.condition)
    if again is None:
        return None
    stays = end.then in loop.blocks
    if not _succeeds(function, test, preheader, again, stays):
        again = _farther(test, again, stays, preheader)
        if again is None:
            return None
    return _rebuilt(function, loop, test, again, stays, exits[0])


@dataclass(eq=False, slots=True)
class _Test:
    """The test of a loop computed again from its phis, whose `code` this is."""

    function: Function
    loop: NaturalLoop
    known: Mapping[str, Definition]
    where: Mapping[str, str]
    names: FreshNames
    code: list[Instruction] = field(default_factory=list)
    next: dict[str, Var] = field(init=False)
    """The phi that gets a value for the next iteration."""
    _made: dict[str, Value | None] = field(default_factory=dict)

    def __post_init__(self) -> None:
        (latch,) = self.loop.latches
        self.next = {
            value.name: phi.result
            for phi in self.function.block(self.loop.header).phis
            if isinstance(value := phi.value_from(latch), Var)
        }

    def of_next(self, value: Value) -> Value | None:
        """What a value was at the end of the iteration before, from the phis; None when that is not to be computed."""
        if not isinstance(value, Var) or self.where.get(value.name, "") not in self.loop.blocks:
            return value
        if value.name in self.next:
            return self.next[value.name]
        if value.name not in self._made:
            self._made[value.name] = self._compute(value)
        return self._made[value.name]

    def _compute(self, value: Var) -> Value | None:
        definition = self.known[value.name]
        if isinstance(definition, Phi):
            return self._before_step(definition)
        if not is_pure(definition) or may_trap(definition) or len(self.code) >= _MOST:
            return None
        found = [self.of_next(operand) for operand in operands(definition)]
        values = [operand for operand in found if operand is not None]
        if len(values) < len(found):
            return None
        given = iter(values)
        result = self.names.variable(value.name, value.type)
        copied = map_operands(with_result(definition, result), lambda _: next(given))
        self.code.append(replace(copied, nsw=False) if isinstance(copied, Binary) else copied)
        return result

    def _before_step(self, phi: Phi) -> Value | None:
        """A phi of the iteration before is this one's without the step."""
        (latch,) = self.loop.latches
        if self.where[phi.result.name] != self.loop.header:
            return None
        step = self.known.get(following.name) if isinstance(following := phi.value_from(latch), Var) else None
        match step:
            case Binary(op="add", left=left, right=Const() as amount) if left == phi.result:
                assert isinstance(amount.type, IntType)
                result = self.names.variable(phi.result.name, phi.result.type)
                self.code.append(Binary(result, "add", phi.result, const_int(amount.type, -amount.signed), span=phi.span))
                return result
            case _:
                return None


def _succeeds(function: Function, test: _Test, preheader: str, again: Value, stays: bool) -> bool:
    """Whether the new test is certain to stay in the loop on entry."""
    starts: dict[str, Value] = {phi.result.name: phi.value_from(preheader) for phi in function.block(test.loop.header).phis}
    known: dict[str, Definition] = dict(test.known)

    def bound(value: Value) -> Value:
        return starts.get(value.name, value) if isinstance(value, Var) else value

    for instruction in test.code:
        assert instruction.result is not None
        simpler = fold(map_operands(instruction, bound), known)
        if isinstance(simpler, Value):
            starts[instruction.result.name] = simpler
        else:
            known[instruction.result.name] = simpler
    if is_known(function, preheader, bound(again), stays, known):
        return True
    compare = next((i for i in test.code if i.result == again), None)
    if not isinstance(compare, CompareInt) or compare.predicate != ("ne" if stays else "eq"):
        return False
    sides = ((compare.left, compare.right), (compare.right, compare.left))
    return _ends_at_its_test(test) and any(_step(test, moving) is not None and _is_outside(test, b) for moving, b in sides)


def _ends_at_its_test(test: _Test) -> bool:
    """Whether nothing else ends the loop, a call included."""
    calls = (i for _, i in test.function.instructions_in(test.loop.blocks) if isinstance(i, Call))
    return len(test.loop.exits) == 1 and not any(map(may_write, calls))


def _step(test: _Test, value: Value) -> int | None:
    """The constant by which a phi of the loop moves, when its steps do not overflow."""
    (latch,) = test.loop.latches
    phi = test.known.get(value.name) if isinstance(value, Var) else None
    if not isinstance(phi, Phi) or value not in test.next.values():
        return None
    following = phi.value_from(latch)
    match test.known.get(following.name) if isinstance(following, Var) else None:
        case Binary(op="add", left=left, right=Const() as step, nsw=True) if left == phi.result and step.bits:
            return step.signed
        case ElementPointer(base=base, indices=(Const() as step,)) if base == phi.result and step.bits:
            return step.signed
        case _:
            return None


def _farther(test: _Test, again: Value, stays: bool, preheader: str) -> Value | None:
    """The test against the farther of its bound and the value after the first iteration; None for other tests."""
    compare = next((i for i in test.code if i.result == again), None)
    if not isinstance(compare, CompareInt) or not stays or test.code[-1] is not compare or compare.predicate in ("eq", "ne"):
        return None
    step = _step(test, compare.left)
    upward = compare.predicate in _UP
    if step is None or (step > 0) != upward or compare.predicate[0] == "u" or not _is_outside(test, compare.right):
        return None
    phi = test.known[compare.left.name] if isinstance(compare.left, Var) else None
    assert isinstance(phi, Phi) and isinstance(compare.left.type, IntType)
    start = phi.value_from(preheader)
    if not isinstance(start, Const):
        return None
    least = const_int(compare.left.type, start.signed + (compare.predicate[-1] == "t") * (1 if upward else -1))
    if least.signed != start.signed + (compare.predicate[-1] == "t") * (1 if upward else -1):
        return None
    farther = CompareInt(test.names.variable("runs", I1), compare.predicate, start, compare.right, compare.span)
    bound = Select(test.names.variable("bound", compare.right.type), farther.result, compare.right, least, compare.span)
    test.code[-1:] = [farther, bound, replace(compare, right=bound.result)]
    return again


def _is_outside(test: _Test, value: Value) -> bool:
    return not isinstance(value, Var) or test.where.get(value.name, "") not in test.loop.blocks


def _rebuilt(function: Function, loop: NaturalLoop, test: _Test, again: Value, stays: bool, outside: str) -> Function:
    (latch,), (preheader,) = loop.latches, loop.entering
    old = function.block(loop.header)
    body = test.names.name(f"{loop.header}.body")
    end = body if latch == loop.header else latch
    carried: dict[Value, Phi] = {}

    def last(value: Value) -> Value:
        """A value of the last iteration, in the header."""
        if _is_outside(test, value):
            return value
        assert isinstance(value, Var)
        if value.name in test.next:
            return test.next[value.name]
        if value not in carried:
            result = test.names.variable(value.name, value.type)
            carried[value] = Phi(result, ((preheader, Undef(value.type)), (end, value)))
        return carried[value].result

    exit_block = function.block(outside)
    phis = tuple(replace(phi, incoming=tuple((loop.header, last(v)) for _, v in phi.incoming)) for phi in exit_block.phis)
    terminator = function.block(latch).terminator
    then, otherwise = (body, outside) if stays else (outside, body)
    round_ = tuple(replace(phi, incoming=tuple((end if k == latch else k, v) for k, v in phi.incoming)) for phi in old.phis)
    head = replace(
        old, phis=(*round_, *carried.values()), body=tuple(test.code), terminator=Branch(again, then, otherwise, terminator.span)
    )
    rest = Block(body, (), old.body, old.terminator, span=old.span)
    blocks: list[Block] = []
    for block in function.blocks:
        new = [head, rest] if block.label == loop.header else [block]
        for part in new:
            if part.label == end:
                part = replace(part, terminator=Jump(loop.header, terminator.span))
            if part.label == outside:
                part = replace(part, phis=phis)
            elif part is not head and loop.header != end:
                part = _from_body(part, loop, body)
            blocks.append(part)
    return replace(function, blocks=tuple(blocks))


def _from_body(block: Block, loop: NaturalLoop, body: str) -> Block:
    """The block with edges from the old header coming from the body."""
    if block.label not in loop.blocks and all(loop.header not in dict(phi.incoming) for phi in block.phis):
        return block
    return rename_predecessor(block, loop.header, body)
