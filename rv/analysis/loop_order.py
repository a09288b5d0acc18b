"""An order of blocks in which every loop is one piece, and what follows a loop stands behind all of it.

Reverse post-order alone does not say that: of the targets of `branch %done, exit, body` it takes the exit first. Where all
iterations of a loop run before what follows it, places in this order tell what comes first. Within a loop, blocks stand in
reverse post-order, with the loops inside it as single nodes.
"""

from __future__ import annotations

from collections.abc import Mapping

from rv.analysis.cfg.flow import FlowGraph, flow_graph, graph_of_edges, reverse_postorder
from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.remembered import remembered
from rv.ir.function import Function


@remembered
def loop_order(function: Function) -> Mapping[str, int]:
    """The place of each block that the entry reaches. Needs reducible control flow."""
    found: list[str] = []
    _add(found, flow_graph(function), find_loops(function), None, function.entry.label)
    return {label: number for number, label in enumerate(found)}


def _add(found: list[str], graph: FlowGraph, forest: LoopForest, around: str | None, entry: str) -> None:
    """Adds the blocks of the loop `around`, or of the function."""
    inside = graph.successors.keys() if around is None else forest.loops[around].blocks
    edges: dict[str, dict[str, None]] = {}
    for label in inside:
        source = _node(forest, around, label)
        edges.setdefault(source, {})
        for target in graph.successors[label]:
            node = _node(forest, around, target) if target in inside and target != around else source
            if node != source:
                edges[source][node] = None
    first = {entry: edges.pop(entry), **edges}
    for node in reverse_postorder(graph_of_edges(tuple((label, tuple(targets)) for label, targets in first.items()))):
        if node in forest.loops and node != around:
            _add(found, graph, forest, node, node)
        else:
            found.append(node)


def _node(forest: LoopForest, around: str | None, label: str) -> str:
    """The block itself, or the header of the loop directly inside `around` that it is in."""
    loop = forest.loop_of(label)
    while loop is not None and loop.header != around and loop.parent != around:
        loop = None if loop.parent is None else forest.loops[loop.parent]
    return label if loop is None or loop.header == around else loop.header
