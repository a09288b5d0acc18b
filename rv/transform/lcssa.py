"""Loop-closed SSA: a value that leaves a loop leaves it through a phi in the block outside.

    head:                                 head:
      %s = phi double [...]                 %s = phi double [...]
      branch %c, body, out          ->      branch %c, body, out
    out:                                  out:
      %t = fadd double %s, %s               %s.out = phi double [%s, head]
                                            %t = fadd double %s.out, %s.out

Needs loop-simplify form. Loops are closed from the inside out, so that a value that leaves two loops gets a phi for each.
Where several exits meet again, phis are placed by construction of SSA form on demand (Braun et al., 2013).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TypeVar

from rv.analysis.dominance import dominator_tree
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
        function = _ReachingDefinitions(var, graph, names).rewrite(function, loop, closing)
    return function


def _leaving(function: Function, loop: NaturalLoop, defined: dict[str, str]) -> list[Var]:
    """The variables of the loop that are read outside other than by phis of its exits, in order of their first such use."""
    found: dict[Var, None] = {}
    for block in function.blocks:
        for phi in block.phis:
            uses = [value for label, value in phi.incoming if label not in loop.blocks]
            found.update(_defined_in(uses, loop, defined))
        if block.label not in loop.blocks:
            for statement in (*block.body, block.terminator):
                found.update(_defined_in(operands(statement), loop, defined))
    return list(found)


def _defined_in(values: list[Value] | tuple[Value, ...], loop: NaturalLoop, defined: dict[str, str]) -> dict[Var, None]:
    return {value: None for value in values if isinstance(value, Var) and defined[value.name] in loop.blocks}


@dataclass
class _ReachingDefinitions:
    """The definition of one variable that reaches each block outside the loop; phis are made on demand."""

    var: Var
    graph: FlowGraph
    names: FreshNames
    entering: dict[str, Var] = field(default_factory=dict)
    phis: dict[str, Phi] = field(default_factory=dict)
    only: Var | None = None  # the one phi through which every use is reached, when a single exit lets the variable out

    def rewrite(self, function: Function, loop: NaturalLoop, closing: list[str]) -> Function:
        for label in closing:
            self._place_phi(label, tuple((p, self.var) for p in self.graph.predecessors[label]))
        if len(closing) == 1:
            self.only = self.entering[closing[0]]
        blocks = []
        for block in function.blocks:
            if block.label not in loop.blocks:
                block = replace(
                    block,
                    body=tuple(self._rename(s, block.label) for s in block.body),
                    terminator=self._rename(block.terminator, block.label),
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
        if self.only is not None:
            return self.only
        line: list[str] = []
        while label not in self.entering and len(self.graph.predecessors[label]) == 1:
            line.append(label)
            (label,) = self.graph.predecessors[label]
        if label not in self.entering:
            self._place_phi(label, ())
            incoming = tuple((p, self._reaching(p)) for p in self.graph.predecessors[label])
            self.phis[label] = replace(self.phis[label], incoming=incoming)
        self.entering.update(dict.fromkeys(line, self.entering[label]))
        return self.entering[label]

    def _place_phi(self, label: str, incoming: tuple[tuple[str, Value], ...]) -> None:
        result = self.names.variable(f"{self.var.name}.out", self.var.type)
        self.entering[label] = result
        self.phis[label] = Phi(result, incoming)
