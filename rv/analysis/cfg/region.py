"""Single-entry regions of a function: the part of the control flow that is analysed.

A region is entered at its entry only. Edges to blocks outside leave it, and so do edges back to the entry: the region of a
loop's blocks is one iteration of the loop. The whole function is a region too, which nothing leaves but returns.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import REMEMBERED, FlowGraph, flow_graph
from rv.analysis.cfg.loops import LoopForest, loop_forest
from rv.internal_error import InternalError
from rv.ir.function import Function

Edge = tuple[str, str]


@dataclass(frozen=True, slots=True, eq=False)
class Region:
    """The edges inside the region, the edges that leave it, and the dominators and loops of what is inside."""

    graph: FlowGraph
    leaving: Mapping[str, tuple[str, ...]]
    dominators: DominatorTree
    loops: LoopForest
    numbers: Mapping[str, int] = field(init=False, repr=False)
    """The place of each block in reverse post-order."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "numbers", {label: number for number, label in enumerate(self.dominators.order)})

    @property
    def entry(self) -> str:
        return self.graph.entry

    def ways_out(self, label: str) -> tuple[str, ...]:
        """All successors of a block of the region: first those inside, then those over edges that leave the region."""
        return self.graph.successors[label] + self.leaving.get(label, ())

    def around(self, label: str) -> tuple[str, ...]:
        """The headers of the loops that contain a block, the innermost first."""
        found: list[str] = []
        header = self.loops.innermost.get(label)
        while header is not None:
            found.append(header)
            header = self.loops.loops[header].parent
        return tuple(found)


def find_region(function: Function, labels: frozenset[str] | None = None) -> Region:
    """The region with these blocks (None: all blocks of the function). InternalError when it has more than one way in."""
    graph = flow_graph(function)
    return whole_region(graph) if labels is None else sub_region(graph, labels)


@lru_cache(REMEMBERED)
def whole_region(graph: FlowGraph) -> Region:
    """Everything that the entry of the graph reaches."""
    return _region(graph, {}, dominator_tree(graph))


@lru_cache(REMEMBERED)
def sub_region(graph: FlowGraph, labels: frozenset[str]) -> Region:
    """The part of the graph with the given blocks; InternalError when it is not entered at exactly one block."""
    entries = [b for b in graph.successors if b in labels and (b == graph.entry or not labels.issuperset(graph.predecessors[b]))]
    if len(entries) != 1:
        raise InternalError("a region needs exactly one entry", f"blocks {sorted(labels)}, entered at {entries}")
    entry = entries[0]
    inside = {
        b: tuple(t for t in targets if t in labels and t != entry) for b, targets in graph.successors.items() if b in labels
    }
    leaving = {b: tuple(t for t in graph.successors[b] if t not in inside[b]) for b in inside}
    predecessors = {b: tuple(p for p in graph.predecessors[b] if p in inside and b in inside[p]) for b in inside}
    part = FlowGraph(entry, inside, predecessors)
    return _region(part, {b: targets for b, targets in leaving.items() if targets}, dominator_tree(part))


def _region(graph: FlowGraph, leaving: Mapping[str, tuple[str, ...]], dominators: DominatorTree) -> Region:
    forest = loop_forest(graph, dominators)
    if forest.irreducible:
        raise InternalError("control flow must be reducible here", f"cycles {forest.irreducible}")
    return Region(graph, leaving, dominators, forest)
