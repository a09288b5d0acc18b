"""Which masks are known to hold for some thread: behind a branch on `any` of them (thesis, sections 8.7 and 9.2).

    %any = horizontal i1 any(i1 %m) total
    branch %any, b, c                         # in b, and in what b dominates, some thread is in %m

What follows: where a truth value holds for some thread that is a conjunction (`select %m, %c, 0`, `and`), so do both parts; where
one side of a disjunction does, so does the whole.

A fact about a value lasts as long as its block dominates: between a block and what it dominates the value is not computed anew.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from rv.analysis.dominance import DominatorTree, dominator_tree
from rv.analysis.flow import flow_graph
from rv.analysis.uses import Definition, definitions
from rv.ir.function import Function
from rv.ir.instructions import Binary, Branch, Horizontal, Select
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Value, Var

Define = Callable[[str], Definition | None]


@dataclass(slots=True)
class Inhabited:
    """What is known in a function: `entered` has the value that some thread is in whenever control comes to a block."""

    dominators: DominatorTree
    defined: Define
    entered: dict[str, Value] = field(default_factory=dict)

    def holds(self, mask: Value, label: str) -> bool:
        """Whether some thread is in `mask` whenever the block `label` runs."""
        known = (self.entered[above] for above in self.dominators.chain(label) if above in self.entered)
        return mask == TRUE or any(self._contains(mask, part) for value in known for part in conjuncts(value, self.defined))

    def learn(self, branch: Branch, predecessors: Mapping[str, tuple[str, ...]]) -> None:
        """Takes note of what is known behind a branch that all threads take together."""
        test = self.defined(branch.condition.name) if isinstance(branch.condition, Var) else None
        if branch.then == branch.otherwise or not isinstance(test, Horizontal) or not test.total:
            return
        if test.op == "any" and len(predecessors[branch.then]) == 1:
            self.entered[branch.then] = test.operands[0]
        if test.op == "all" and len(predecessors[branch.otherwise]) == 1:
            self._learn_refuted(branch.otherwise, test.operands[0])

    def _learn_refuted(self, label: str, value: Value) -> None:
        """A thread for which `select %m, %c, 1` does not hold is in %m."""
        match self.defined(value.name) if isinstance(value, Var) else None:
            case Select(condition=condition, otherwise=otherwise) if otherwise == TRUE:
                self.entered[label] = condition
            case _:
                pass

    def _contains(self, mask: Value, part: Value) -> bool:
        """Whether a thread in `part` is in `mask`."""
        if mask == part:
            return True
        match self.defined(mask.name) if isinstance(mask, Var) else None:
            case Binary(op="or", left=left, right=right):
                return self._contains(left, part) or self._contains(right, part)
            case _:
                return False


def conjuncts(value: Value, defined: Define) -> Iterator[Value]:
    """The truth values that all hold for a thread for which `value` holds, itself among them."""
    yield value
    match defined(value.name) if isinstance(value, Var) else None:
        case Select(condition=condition, then=then, otherwise=otherwise) if otherwise == FALSE:
            yield from conjuncts(condition, defined)
            yield from conjuncts(then, defined)
        case Binary(result=Var(type=type_), op="and", left=left, right=right) if type_ == I1:
            yield from conjuncts(left, defined)
            yield from conjuncts(right, defined)
        case _:
            pass


def inhabited(function: Function) -> Inhabited:
    """What the branches of a function say about masks."""
    graph = flow_graph(function)
    result = Inhabited(dominator_tree(graph), definitions(function).get)
    for block in function.blocks:
        if isinstance(block.terminator, Branch):
            result.learn(block.terminator, graph.predecessors)
    return result
