"""Which masks are known to hold for some thread: behind a branch on `any` of them (thesis, sections 8.7 and 9.2).

    %any = horizontal i1 any(i1 %m) total
    branch %any, b, c                         # in b, and in what b dominates, some thread is in %m

What follows about that thread: where a conjunction holds for it (`select %m, %c, 0`, `and`), so do both parts; where `select %m,
%c, 1` does not, it is in %m and %c does not hold. Masks are evaluated for it as far as these truth values tell.

A fact about a value lasts as long as its block dominates: between a block and what it dominates the value is not computed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, Branch, Horizontal, Select
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Value, Var

Define = Callable[[str], Definition | None]
Truths = dict[Value, bool | None]
"""What is known of the truth values of one thread; None: nothing."""


@dataclass(slots=True)
class Inhabited:
    """What is known in a function: `entered` has what holds for some thread whenever control comes to a block."""

    dominators: DominatorTree
    defined: Define
    entered: dict[str, Truths] = field(default_factory=dict)

    def holds(self, mask: Value, label: str) -> bool:
        """Whether some thread is in `mask` whenever the block `label` runs."""
        known = (self.entered[above] for above in self.dominators.chain(label) if above in self.entered)
        return mask == TRUE or any(self._value(mask, truths) for truths in known)

    def learn(self, branch: Branch, predecessors: Mapping[str, tuple[str, ...]]) -> None:
        """Takes note of what is known behind a branch that all threads take together."""
        test = self.defined(branch.condition.name) if isinstance(branch.condition, Var) else None
        if branch.then == branch.otherwise or not isinstance(test, Horizontal) or not test.total:
            return
        if test.op == "any" and len(predecessors[branch.then]) == 1:
            self.entered[branch.then] = self._follows(test.operands[0], True)
        if test.op == "all" and len(predecessors[branch.otherwise]) == 1:
            self.entered[branch.otherwise] = self._follows(test.operands[0], False)

    def _follows(self, value: Value, truth: bool) -> Truths:
        """What is known of a thread for which `value` is `truth`."""
        found: Truths = {TRUE: True, FALSE: False}
        pending = [(value, truth)]
        while pending:
            value, truth = pending.pop()
            if value in found:
                continue
            found[value] = truth
            match self._logic(value):
                case Select(condition=condition, then=then, otherwise=otherwise) if otherwise == _constant(not truth):
                    pending += [(condition, True), (then, truth)]
                case Select(condition=condition, then=then, otherwise=otherwise) if then == _constant(not truth):
                    pending += [(condition, False), (otherwise, truth)]
                case Binary(op="and" | "or" as op, left=left, right=right) if truth == (op == "and"):
                    pending += [(left, truth), (right, truth)]
                case Binary(op="xor", left=left, right=right) if right == TRUE:
                    pending.append((left, not truth))
                case _:
                    pass
        return found

    def _value(self, mask: Value, truths: Truths) -> bool | None:
        """The truth value `mask` of the thread of `truths`, which is completed on the way."""
        pending = [mask]
        while pending:
            value = pending[-1]
            if value in truths:
                pending.pop()
                continue
            logic = self._logic(value)
            unknown = [part for part in _parts(logic) if part not in truths]
            if not unknown:
                truths[value] = _combined(logic, truths)
            pending += unknown
        return truths[mask]

    def _logic(self, value: Value) -> Select | Binary | None:
        """What computes a truth value from others."""
        found = self.defined(value.name) if isinstance(value, Var) else None
        return found if isinstance(found, Select | Binary) and found.result.type == I1 else None


def _constant(truth: bool) -> Value:
    return TRUE if truth else FALSE


def _parts(logic: Select | Binary | None) -> tuple[Value, ...]:
    match logic:
        case Select(condition=condition, then=then, otherwise=otherwise):
            return condition, then, otherwise
        case Binary(op="and" | "or" | "xor", left=left, right=right):
            return left, right
        case _:
            return ()


def _combined(logic: Select | Binary | None, truths: Truths) -> bool | None:
    """The value of an expression that computes a truth value, given `truths` of its parts."""
    match logic, [truths[part] for part in _parts(logic)]:
        case Select(), [condition, then, otherwise]:
            return (then if then == otherwise else None) if condition is None else then if condition else otherwise
        case Binary(op="and"), [left, right]:
            return left and right if None not in (left, right) else False if False in (left, right) else None
        case Binary(op="or"), [left, right]:
            return left or right if None not in (left, right) else True if True in (left, right) else None
        case Binary(op="xor"), [left, right]:
            return left != right if None not in (left, right) else None
        case _:
            return None


def inhabited(function: Function) -> Inhabited:
    """Facts about masks that follow from the branches of a function."""
    graph = flow_graph(function)
    result = Inhabited(dominator_tree(graph), definitions(function).get)
    for block in function.blocks:
        if isinstance(block.terminator, Branch):
            result.learn(block.terminator, graph.predecessors)
    return result
