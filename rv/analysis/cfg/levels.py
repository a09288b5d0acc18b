"""A region cut into acyclic levels: one iteration of every loop, with the loops inside it as single nodes.

Threads that take different paths within one iteration meet at its end at the latest, so what happens to them can be decided
level by level (thesis, section 7.1 and figure 7.3b). A loop as a node is named by its header; its successors are its exits.
Back edges and exits of the level's own loop leave the level.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.cfg.loops import LoopForest
from rv.analysis.cfg.region import Region


def loop_levels(region: Region) -> Mapping[str | None, Region]:
    """The level of every loop by header, and of the region itself by None."""
    inside: dict[str | None, dict[str, list[str]]] = {None: {}, **{header: {} for header in region.loops.loops}}
    leaving: dict[str | None, dict[str, list[str]]] = {level: {} for level in inside}
    for label in region.dominators.order:
        for level, node in _nodes(region, label):
            onward = inside[level].setdefault(node, [])
            out = leaving[level].setdefault(node, [])
            for target in region.ways_out(label):
                end = _node(region, level, target) if target in region.graph.successors[label] else None
                if end is None or end == level:
                    out.append(target)
                elif end != node and end not in onward:
                    onward.append(end)
    return {level: _acyclic(region.entry if level is None else level, inside[level], leaving[level]) for level in inside}


def _nodes(region: Region, label: str) -> Iterator[tuple[str | None, str]]:
    """For every loop around a block, and the region: the block, or the header of the loop one level below around it."""
    node = label
    for header in region.around(label):
        yield header, node
        node = header
    yield None, node


def _node(region: Region, level: str | None, label: str) -> str | None:
    return next((node for header, node in _nodes(region, label) if header == level), None)


def _acyclic(entry: str, inside: Mapping[str, list[str]], leaving: Mapping[str, list[str]]) -> Region:
    predecessors: dict[str, list[str]] = {label: [] for label in inside}
    for label, targets in inside.items():
        for target in targets:
            predecessors[target].append(label)
    successors = {label: tuple(targets) for label, targets in inside.items()}
    graph = FlowGraph(entry, successors, {label: tuple(found) for label, found in predecessors.items()})
    out = {label: tuple(targets) for label, targets in leaving.items() if targets}
    return Region(graph, out, dominator_tree(graph), LoopForest(MappingProxyType({}), MappingProxyType({}), ()))
