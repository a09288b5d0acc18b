"""Loop-closed SSA: a value that leaves a loop leaves it through a phi in the block outside.

    head:                                 head:
      %s = phi double [...]                 %s = phi double [...]
      branch %c, body, out          ->      branch %c, body, out
    out:                                  out:
      %t = fadd double %s, %s               %s.out = phi double [%s, head]
                                            %t = fadd double %s.out, %s.out

Needs loop-simplify form. Loops are closed from the inside out, so that a value that leaves two loops gets a phi for each.
Where several exits meet again, phis are placed in the iterated dominance frontier (Cytron et al., 1991), as far as they are read.
Shadows of phis are no values that leave a loop: they may name its variables.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

from rv.analysis.dominance import DominatorTree, dominator_tree, iterated_frontier
from rv.analysis.flow import FlowGraph, flow_graph
from rv.analysis.loops import NaturalLoop, find_loops
from rv.analysis.uses import defining_blocks
from rv.ir.function import Function
from rv.ir.instructions import Instruction, Phi, Terminator, operands
from rv.ir.rewrite import FreshNames, map_operands
from rv.ir.values import Value, Var

Statement = TypeVar("Statement", bound=Instruction | Terminator)


def close_loops(function: Function) -> Function:
    """The function in loop-closed SSA form."""
    names = FreshNames.of(function)
    for loop in find_loops(function).innermost_first():
        function = _close(function, loop, names)
    return function


def _close(function: Function, loop: NaturalLoop, names: FreshNames) -> Function:
    graph = flow_graph(function)
    dominators = dominator_tree(graph)
    defined = defining_blocks(function)
    exits = tuple(dict.fromkeys(outside for _, outside in loop.exits))
    for var in _leaving(function, loop, defined):
        closing = [label for label in exits if dominators.dominates(defined[var.name], label)]
        function = _ReachingDefinitions(var, graph, dominators, names).rewrite(function, loop, closing)
    return function


def _leaving(function: Function, loop: NaturalLoop, defined: dict[str, str]) -> list[Var]:
    """The variables of the loop that are read outside other than by phis of its exits, in order of their first such use."""
    found: dict[Var, None] = {}
    for block in function.blocks:
        for phi in block.phis:
            uses = [value for label, value in phi.incoming if label not in loop.blocks]
            found.update(_defined_in(uses, loop, defined))
        if block.label not in loop.blocks:
            for values in ((block.predicate,), *map(operands, (*block.body, block.terminator))):
                found.update(_defined_in(values, loop, defined))
    return list(found)


def _defined_in(values: list[Value] | tuple[Value, ...], loop: NaturalLoop, defined: dict[str, str]) -> dict[Var, None]:
    return {value: None for value in values if isinstance(value, Var) and defined[value.name] in loop.blocks}


@dataclass
class _ReachingDefinitions:
    """The definition of one variable that reaches each block outside the loop; phis are made where they are read."""

    var: Var
    graph: FlowGraph
    dominators: DominatorTree
    names: FreshNames
    entering: dict[str, Var] = field(default_factory=dict)
    phis: dict[str, Phi] = field(default_factory=dict)
    meeting: frozenset[str] = frozenset()

    def rewrite(self, function: Function, loop: NaturalLoop, closing: list[str]) -> Function:
        for label in closing:
            self._place_phi(label, tuple((p, self.var) for p in self.graph.predecessors[label]))
        self.meeting = iterated_frontier(self.graph, self.dominators, closing)
        blocks = []
        for block in function.blocks:
            if block.label not in loop.blocks:
                block = replace(
                    block,
                    body=tuple(self._rename(s, block.label) for s in block.body),
                    terminator=self._rename(block.terminator, block.label),
                    predicate=self._reaching(block.label) if block.predicate == self.var else block.predicate,
                )
            blocks.append(replace(block, phis=tuple(self._rename_edges(phi, loop) for phi in block.phis)))
        return replace(
            function,
            blocks=tuple(replace(b, phis=(*b.phis, self.phis[b.label])) if b.label in self.phis else b for b in blocks),
        )

    def _rename(self, statement: Statement, label: str) -> Statement:
        return map_operands(statement, lambda value: self._reaching(label) if value == self.var else value)

    def _rename_edges(self, phi: Phi, loop: NaturalLoop) -> Phi:
        incoming = tuple(
            (label, self._reaching(label) if value == self.var and label not in loop.blocks else value)
            for label, value in phi.incoming
        )
        return replace(phi, incoming=incoming)

    def _reaching(self, label: str) -> Var:
        """The definition at the entry, and so at the end, of a block outside the loop."""
        while label not in self.entering and label not in self.meeting:
            above = self.dominators.immediate[label]
            assert above is not None, "the variable dominates its uses"
            label = above
        if label not in self.entering:
            self._place_phi(label, ())
            incoming = tuple((p, self._reaching(p)) for p in self.graph.predecessors[label])
            self.phis[label] = replace(self.phis[label], incoming=incoming)
        return self.entering[label]

    def _place_phi(self, label: str, incoming: tuple[tuple[str, Value], ...]) -> None:
        result = self.names.variable(f"{self.var.name}.out", self.var.type)
        self.entering[label] = result
        self.phis[label] = Phi(result, incoming)
