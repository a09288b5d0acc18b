"""Definitions that have the same value ("Blending of the same value" in "SIMD Lane Evolution for AVR").

Two definitions are of one class when they are the same operation on operands of the same classes; loads count where nothing is
stored and nothing called that may store. A definition is invariant in a loop when everything that it reads comes from outside of
the loop, or is invariant itself.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rv.analysis.lane_evolution.instruction_graph import InstructionGraph, Move, Node
from rv.analysis.values.effects import is_pure, may_write
from rv.analysis.values.expressions import expression_key
from rv.ir.instructions import Instruction, Load
from rv.ir.rewrite import map_operands
from rv.ir.values import Value, Var


@dataclass(slots=True)
class SameValues:
    """The classes of the definitions of one graph."""

    graph: InstructionGraph
    defining: dict[str, Node] = field(init=False)
    keeps_memory: bool = field(init=False)
    """Whether no instruction writes to memory."""
    known: dict[str, Value] = field(default_factory=dict)
    """The variable that stands for the class of a variable, by its name."""
    computed: dict[Instruction, Var] = field(default_factory=dict)
    """The first variable that is the result of an operation on classes."""

    def __post_init__(self) -> None:
        nodes = self.graph.nodes.values()
        self.defining = {node.defines: node for node in nodes if isinstance(node.defines, str)}
        self.keeps_memory = not any(isinstance(node.what, Instruction) and may_write(node.what) for node in nodes)

    def classes(self, definitions: Iterable[str]) -> set[str]:
        """The classes of some definitions, by labels that are no instruction's."""
        return {f"<{self._class(self.graph.nodes[label])}>" for label in definitions}

    def is_invariant(self, definition: str, loop: frozenset[str]) -> bool:
        """Whether a definition in a loop has the same value in every iteration."""
        node = self.graph.nodes[definition]
        if not isinstance(node.what, Move) and self._computation(node) is None:
            return False
        above = (self.defining[v] for v in node.reads if isinstance(v, str) and v in self.defining)
        return all(other.label not in loop or self.is_invariant(other.label, loop) for other in above)

    def _class(self, node: Node) -> str:
        if isinstance(node.what, Move):
            return str(self._stands_for(node.what.value))
        what = self._computation(node)
        return node.label if what is None or what.result is None else str(self._stands_for(what.result))

    def _stands_for(self, value: Value) -> Value:
        if not isinstance(value, Var) or value.name not in self.defining:
            return value
        if value.name not in self.known:
            what = self._computation(self.defining[value.name])
            if what is None:
                return value
            self.known[value.name] = value  # what is computed from itself, over phis, stands for itself
            key = expression_key(map_operands(what, self._stands_for))
            self.known[value.name] = self.computed.setdefault(key, value)
        return self.known[value.name]

    def _computation(self, node: Node) -> Instruction | None:
        """The instruction of a node whose result depends on its operands alone."""
        what = node.what
        if not isinstance(what, Instruction):
            return None
        return what if is_pure(what) or (isinstance(what, Load) and self.keeps_memory) else None
