"""Loop-closed SSA: a value that leaves a loop leaves it through a phi in the block outside.

    head:                                 head:
      %s = phi double [...]                 %s = phi double [...]
      branch %c, body, out          ->      branch %c, body, out
    out:                                  out:
      %t = fadd double %s, %s               %s.out = phi double [%s, head]
                                            %t = fadd double %s.out, %s.out

Needs loop-simplify form. Loops are closed from the inside out, so that a value that leaves two loops gets a phi for each; all
values that leave a loop are renamed in one walk over the blocks that read them. Control flow stays as it is.
Where several exits meet again, phis are placed in the iterated dominance frontier (Cytron et al., 1991), as far as they are read.
Shadows of phis are no values that leave a loop: they may name its variables.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree, iterated_frontier
from rv.analysis.cfg.flow import FlowGraph, flow_graph
from rv.analysis.cfg.loops import NaturalLoop, loop_forest
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Block, Function
from rv.ir.instructions import Phi, operands
from rv.ir.rewrite import FreshNames, map_operands
from rv.ir.values import Value, Var


def close_loops(function: Function) -> Function:
    """The function in loop-closed SSA form."""
    graph = flow_graph(function)
    dominators = dominator_tree(graph)
    closing = _Closing(function, graph, dominators)
    for loop in loop_forest(graph, dominators).innermost_first():
        closing.close(loop)
    return replace(function, blocks=tuple(closing.blocks.values()))


class _Closing:
    """The blocks so far, what defines the variables, and which blocks read them: in phis on their edges, or in themselves."""

    def __init__(self, function: Function, graph: FlowGraph, dominators: DominatorTree) -> None:
        self.graph = graph
        self.dominators = dominators
        self.names = FreshNames.of(function)
        self.blocks = {block.label: block for block in function.blocks}
        self.defined = dict(defining_blocks(function))
        self.readers: dict[str, dict[str, None]] = {}
        for block in function.blocks:
            self._note(block)

    def _note(self, block: Block) -> None:
        for values in (
            (block.predicate,),
            *(operands(s) for s in (*block.body, block.terminator)),
            *((value for _, value in phi.incoming) for phi in block.phis),
        ):
            for value in values:
                if isinstance(value, Var):
                    self.readers.setdefault(value.name, {})[block.label] = None

    def close(self, loop: NaturalLoop) -> None:
        leaving = self._leaving(loop)
        exits = tuple(dict.fromkeys(outside for _, outside in loop.exits))
        found: dict[str, _ReachingDefinitions] = {}
        for var in leaving:
            ends = [label for label in exits if self.dominators.dominates(self.defined[var.name], label)]
            found[var.name] = _ReachingDefinitions(var, self.graph, self.dominators, self.names, ends)
        if not found:
            return
        touched = dict.fromkeys(label for name in found for label in self.readers.get(name, ()))
        changed = {label: self._renamed(self.blocks[label], loop, found) for label in touched}
        for own in found.values():
            for label, phi in own.phis.items():
                block = changed.get(label, self.blocks[label])
                changed[label] = replace(block, phis=(*block.phis, phi))
                self.defined[phi.result.name] = label
        for label, block in changed.items():
            self.blocks[label] = block
            self._note(block)

    def _leaving(self, loop: NaturalLoop) -> list[Var]:
        """The variables of the loop that are read outside other than by phis of its exits, in order of their definitions."""
        found: list[Var] = []
        for label in self.dominators.order:
            for definition in (*self.blocks[label].phis, *self.blocks[label].body) if label in loop.blocks else ():
                if definition.result is not None and self._leaves(definition.result, loop):
                    found.append(definition.result)
        return found

    def _leaves(self, var: Var, loop: NaturalLoop) -> bool:
        for label in self.readers.get(var.name, ()):
            block = self.blocks[label]
            if any(value == var and source not in loop.blocks for phi in block.phis for source, value in phi.incoming):
                return True
            if label not in loop.blocks and (
                block.predicate == var or any(var in operands(s) for s in (*block.body, block.terminator))
            ):
                return True
        return False

    def _renamed(self, block: Block, loop: NaturalLoop, found: dict[str, _ReachingDefinitions]) -> Block:
        """The block with what reaches it, or the ends of its predecessors, in place of the variables of the loop."""

        def at(label: str) -> Change:
            return lambda v: found[v.name].reaching(label) if isinstance(v, Var) and v.name in found else v

        phis = tuple(
            replace(p, incoming=tuple((s, v if s in loop.blocks else at(s)(v)) for s, v in p.incoming)) for p in block.phis
        )
        if block.label in loop.blocks:
            return replace(block, phis=phis)
        here = at(block.label)
        body = tuple(map_operands(statement, here) for statement in block.body)
        end = map_operands(block.terminator, here)
        return replace(block, phis=phis, body=body, terminator=end, predicate=here(block.predicate))


Change = Callable[[Value], Value]


@dataclass
class _ReachingDefinitions:
    """The definition of one variable that reaches each block outside the loop; phis are made where they are read."""

    var: Var
    graph: FlowGraph
    dominators: DominatorTree
    names: FreshNames
    closing: list[str]
    entering: dict[str, Var] = field(default_factory=dict)
    phis: dict[str, Phi] = field(default_factory=dict)
    meeting: frozenset[str] = frozenset()

    def __post_init__(self) -> None:
        for label in self.closing:
            self._place_phi(label, tuple((p, self.var) for p in self.graph.predecessors[label]))
        self.meeting = iterated_frontier(self.graph, self.closing)

    def reaching(self, label: str) -> Var:
        """The definition at the entry, and so at the end, of a block outside the loop."""
        while label not in self.entering and label not in self.meeting:
            above = self.dominators.immediate[label]
            assert above is not None, "the variable dominates its uses"
            label = above
        if label not in self.entering:
            self._place_phi(label, ())
            incoming = tuple((p, self.reaching(p)) for p in self.graph.predecessors[label])
            self.phis[label] = replace(self.phis[label], incoming=incoming)
        return self.entering[label]

    def _place_phi(self, label: str, incoming: tuple[tuple[str, Value], ...]) -> None:
        result = self.names.variable(f"{self.var.name}.out", self.var.type)
        self.entering[label] = result
        self.phis[label] = Phi(result, incoming)
