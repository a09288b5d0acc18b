"""The control-flow graph of a function by block labels, and its reverse post-order.

Every other analysis works on this graph. Edges are simple: a branch with two equal targets is one edge. Labels keep textual
order, so that everything computed from the graph is deterministic.

Passes query the graph far more often than they change it. Functions with the same edges therefore share one graph, and what
depends on edges alone (order, dominators, loops) is a function of the graph that caches its last results: those of the few
graphs that the passes of one pipeline go back and forth between.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

from rv.analysis.remembered import remembered
from rv.ir.function import Function

Edges = Mapping[str, tuple[str, ...]]

REMEMBERED: Final = 64
"""Of how many graphs the facts are kept."""


@dataclass(frozen=True, slots=True, eq=False)
class FlowGraph:
    """Successors and predecessors of every block, in textual order of the function's blocks."""

    entry: str
    successors: Edges
    predecessors: Edges


@remembered
def flow_graph(function: Function) -> FlowGraph:
    """The graph of all blocks, including those that the entry does not reach; KeyError when a target does not exist."""
    return graph_of_edges(tuple((block.label, block.successors) for block in function.blocks))


@lru_cache(REMEMBERED)
def graph_of_edges(edges: tuple[tuple[str, tuple[str, ...]], ...]) -> FlowGraph:
    """The graph of these labels with their successors, the entry first; KeyError when a successor is none of them."""
    successors = dict(edges)
    predecessors: dict[str, list[str]] = {label: [] for label in successors}
    for label, targets in successors.items():
        for target in targets:
            predecessors[target].append(label)
    return FlowGraph(edges[0][0], successors, {label: tuple(found) for label, found in predecessors.items()})


@lru_cache(REMEMBERED)
def reverse_postorder(graph: FlowGraph) -> tuple[str, ...]:
    """The blocks that the entry reaches, each before its successors except along retreating edges of a depth-first search.

    The search enters the last successor first, so that the first one comes first in the order: bodies before exits.
    """
    finished: list[str] = []
    seen = {graph.entry}
    stack = [(graph.entry, iter(reversed(graph.successors[graph.entry])))]
    while stack:
        label, pending = stack[-1]
        following = next((target for target in pending if target not in seen), None)
        if following is None:
            finished.append(label)
            stack.pop()
        else:
            seen.add(following)
            stack.append((following, iter(reversed(graph.successors[following]))))
    return tuple(reversed(finished))


@lru_cache(REMEMBERED)
def order_numbers(graph: FlowGraph) -> Mapping[str, int]:
    """The place of each block that the entry reaches in reverse post-order."""
    return {label: number for number, label in enumerate(reverse_postorder(graph))}
