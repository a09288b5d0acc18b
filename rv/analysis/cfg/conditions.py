"""Which truth values are known in a block, because of the branches on the way to it."""

from __future__ import annotations

from rv.analysis.cfg.dominance import DominatorTree
from rv.analysis.cfg.flow import FlowGraph
from rv.ir.function import Function
from rv.ir.instructions import Branch
from rv.ir.values import Value

Known = tuple[Value, bool]


def edge_condition(function: Function, graph: FlowGraph, label: str) -> Known | None:
    """The condition under which a block with a single predecessor is entered from there; None where it is entered always."""
    before = graph.predecessors[label]
    branch = function.block(before[0]).terminator if len(before) == 1 else None
    if isinstance(branch, Branch) and branch.then != branch.otherwise:
        return branch.condition, branch.then == label
    return None


def known_conditions(function: Function, graph: FlowGraph, dominators: DominatorTree, label: str) -> tuple[Known, ...]:
    """Conditions with their values in a block, the nearest one first."""
    edges = (edge_condition(function, graph, above) for above in dominators.chain(label))
    return tuple(edge for edge in edges if edge is not None)
