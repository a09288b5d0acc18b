"""The test that decides whether a loop runs at all: the header's test with the values of before the loop.

    pre:                                  at the end of pre:
      jump head                             %runs = icmp sgt i64 %n, 0
    head:
      %k = phi i64 [0, pre], ...
      %c = icmp slt i64 %k, %n
      branch %c, body, out

The test is known to succeed when it folds to a constant, or when it follows from a branch that was taken on the way to the loop:
with x <= n on the way, and x at least a, a <= n holds. Induction variables with positive steps are at least their start, because
their steps do not overflow (`nsw`).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rv.analysis.cfg.conditions import Known, known_conditions
from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import NaturalLoop
from rv.analysis.values.uses import Definition, definitions
from rv.ir.comparisons import NEGATED
from rv.ir.function import Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction, Phi, Select
from rv.ir.rewrite import FreshNames, map_operands, with_result
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Const, Value, Var
from rv.transform.scalar.fold import fold

# (signed, gap, operands exchanged) of predicates that mean: left + gap <= right
_AT_MOST: Final = {
    "slt": (True, 1, False),
    "sle": (True, 0, False),
    "sgt": (True, 1, True),
    "sge": (True, 0, True),
    "ult": (False, 1, False),
    "ule": (False, 0, False),
    "ugt": (False, 1, True),
    "uge": (False, 0, True),
}


@dataclass(frozen=True, slots=True)
class FirstTest:
    """Code for the end of the preheader; the loop runs when `condition` equals `runs_when`, or `always`."""

    code: tuple[Instruction, ...]
    condition: Value
    runs_when: bool
    always: bool


@dataclass(frozen=True, slots=True)
class _AtMost:
    """left + gap <= right, both read as signed or as unsigned numbers."""

    signed: bool
    gap: int
    left: Value
    right: Value


def first_test(function: Function, loop: NaturalLoop, names: FreshNames) -> FirstTest:
    """The first test of a loop whose header alone leaves it and accesses no memory."""
    header = function.block(loop.header)
    (preheader,) = loop.entering
    known: dict[str, Definition] = dict(definitions(function))
    bindings: dict[str, Value] = {phi.result.name: phi.value_from(preheader) for phi in header.phis}

    def bound(value: Value) -> Value:
        return bindings.get(value.name, value) if isinstance(value, Var) else value

    code: list[Instruction] = []
    for instruction in header.body:
        assert instruction.result is not None
        fresh = names.variable(instruction.result.name, instruction.result.type)
        simpler = fold(map_operands(with_result(instruction, fresh), bound), known)
        if isinstance(simpler, Value):
            bindings[instruction.result.name] = simpler
        else:
            known[fresh.name] = simpler
            bindings[instruction.result.name] = fresh
            code.append(simpler)
    assert isinstance(header.terminator, Branch)
    condition = bound(header.terminator.condition)
    runs_when = header.terminator.then in loop.blocks
    always = is_known(function, preheader, condition, runs_when, known)
    return FirstTest(tuple(code), condition, runs_when, always)


def only_if(test: FirstTest, guard: Known, names: FreshNames) -> FirstTest:
    """The test that succeeds when this one does and the guard, which is known before the loop, has its value too."""
    condition, wanted = guard
    if test.always:
        return FirstTest(test.code, condition, wanted, False)
    code = list(test.code)

    def truth(value: Value, expected: bool) -> Value:
        if expected:
            return value
        code.append(Binary(names.variable("not", I1), "xor", value, TRUE))
        return code[-1].result or FALSE

    first, second = truth(test.condition, test.runs_when), truth(condition, wanted)
    both = Select(names.variable("runs", I1), first, second, FALSE)
    return FirstTest((*code, both), both.result, True, False)


def is_known(function: Function, label: str, condition: Value, wanted: bool, known: dict[str, Definition]) -> bool:
    """Whether the condition has the wanted value at the end of a block."""
    if isinstance(condition, Const):
        return bool(condition.bits) == wanted
    graph = flow_graph(function)
    facts = known_conditions(function, graph, dominator_tree(graph), label)
    if (condition, wanted) in facts or any(_settles(fact, (condition, wanted), known) for fact in facts):
        return True
    goal = _at_most(condition, wanted, known)
    if goal is None:
        return False
    return any(_implies(fact, goal, known) for value, held in facts if (fact := _at_most(value, held, known)) is not None)


def _settles(fact: Known, goal: Known, known: dict[str, Definition]) -> bool:
    """Whether what is known about two values says that they are different, or equal, as wanted."""
    unequal = _unequal(*goal, known)
    given = _unequal(*fact, known)
    if unequal is None or given is not None:
        return given is not None and given == unequal
    order = _at_most(*fact, known)
    return unequal[1] and order is not None and order.gap > 0 and {order.left, order.right} == unequal[0]


def _unequal(condition: Value, held: bool, known: dict[str, Definition]) -> tuple[frozenset[Value], bool] | None:
    """Two values, and whether they are different; None for other conditions."""
    definition = known.get(condition.name) if isinstance(condition, Var) else None
    if not isinstance(definition, CompareInt) or definition.predicate not in ("eq", "ne"):
        return None
    return frozenset((definition.left, definition.right)), (definition.predicate == "ne") == held


def _at_most(condition: Value, held: bool, known: dict[str, Definition]) -> _AtMost | None:
    definition = known.get(condition.name) if isinstance(condition, Var) else None
    if not isinstance(definition, CompareInt) or definition.predicate not in _AT_MOST:
        return None
    signed, gap, exchanged = _AT_MOST[definition.predicate if held else NEGATED[definition.predicate]]
    left, right = definition.left, definition.right
    return _AtMost(signed, gap, right, left) if exchanged else _AtMost(signed, gap, left, right)


def _implies(fact: _AtMost, goal: _AtMost, known: dict[str, Definition]) -> bool:
    if fact.signed != goal.signed or fact.right != goal.right:
        return False
    if fact.left == goal.left:
        return fact.gap >= goal.gap
    if not isinstance(goal.left, Const):
        return False
    start = goal.left.signed if goal.signed else goal.left.bits
    least = _least_signed(fact.left, known) if fact.signed else _least_unsigned(fact.left)
    return least is not None and least + fact.gap >= start + goal.gap


def _least_unsigned(value: Value) -> int:
    return value.bits if isinstance(value, Const) else 0


def _least_signed(value: Value, known: dict[str, Definition]) -> int | None:
    """A number that the signed value is never below; None when nothing is known."""
    if isinstance(value, Const):
        return value.signed
    match known.get(value.name) if isinstance(value, Var) else None:
        case Convert(op="zext"):
            return 0
        case Phi(result=result, incoming=incoming):
            starts = [v for _, v in incoming if not _is_step(v, result, known)]
            if len(starts) == len(incoming) - 1 and all(isinstance(start, Const) for start in starts):
                return min(start.signed for start in starts if isinstance(start, Const))
    return None


def _is_step(value: Value, phi: Var, known: dict[str, Definition]) -> bool:
    """Whether the value is the phi plus a positive constant, without overflow."""
    match known.get(value.name) if isinstance(value, Var) else None:
        case Binary(op="add", left=left, right=Const() as step, nsw=True):
            return left == phi and step.signed > 0
        case _:
            return False
