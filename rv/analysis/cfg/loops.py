"""Natural loops, their nesting, and what is irreducible (thesis, section 2.4).

A back edge goes to a block that dominates its source; the natural loop of a header is the union, over its back edges, of the
blocks that reach the source without passing the header. A retreating edge that is no back edge closes a cycle with a second
way in: such cycles are reported, and belong to no loop.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import REMEMBERED, FlowGraph, flow_graph
from rv.ir.function import Function


@dataclass(frozen=True, slots=True)
class NaturalLoop:
    """A loop by its header; `parent` is the header of the innermost loop around it, `depth` is 1 for outermost loops.

    `exits` are the edges (exiting block inside, block outside); `entering` the predecessors of the header outside the loop.
    """

    header: str
    blocks: frozenset[str]
    latches: tuple[str, ...]
    entering: tuple[str, ...]
    exits: tuple[tuple[str, str], ...]
    parent: str | None
    depth: int


@dataclass(frozen=True, slots=True)
class IrreducibleCycle:
    """A cycle that can be entered at `first` and at `second`, neither of which dominates the other."""

    first: str
    second: str


@dataclass(frozen=True, slots=True)
class LoopForest:
    """All natural loops by header, outer ones first, and for each block in a loop the innermost loop's header."""

    loops: Mapping[str, NaturalLoop]
    innermost: Mapping[str, str]
    irreducible: tuple[IrreducibleCycle, ...]

    def loop_of(self, label: str) -> NaturalLoop | None:
        """The innermost loop that contains the block."""
        header = self.innermost.get(label)
        return None if header is None else self.loops[header]

    def children(self, header: str | None) -> tuple[NaturalLoop, ...]:
        """The loops directly inside the loop with this header (None: the outermost ones)."""
        return tuple(loop for loop in self.loops.values() if loop.parent == header)

    def innermost_first(self) -> tuple[NaturalLoop, ...]:
        """Every loop after the loops inside it."""
        return tuple(reversed(list(self.loops.values())))


def find_loops(function: Function) -> LoopForest:
    """The loop forest of a function."""
    return _forest(flow_graph(function))


@lru_cache(REMEMBERED)
def _forest(graph: FlowGraph) -> LoopForest:
    return loop_forest(graph, dominator_tree(graph))


def loop_forest(graph: FlowGraph, dominators: DominatorTree) -> LoopForest:
    """The loop forest of a graph with its dominator tree."""
    members = _natural_loops(graph, dominators)
    loops: dict[str, NaturalLoop] = {}
    innermost: dict[str, str] = {}
    for header in (label for label in dominators.order if label in members):
        blocks = frozenset(members[header])
        parent = innermost.get(header)
        loops[header] = NaturalLoop(
            header,
            blocks,
            latches=tuple(p for p in graph.predecessors[header] if p in blocks),
            entering=tuple(p for p in graph.predecessors[header] if p not in blocks and p in dominators.immediate),
            exits=tuple((b, s) for b in dominators.order if b in blocks for s in graph.successors[b] if s not in blocks),
            parent=parent,
            depth=1 if parent is None else loops[parent].depth + 1,
        )
        innermost.update(dict.fromkeys(blocks, header))
    return LoopForest(loops, innermost, _irreducible(graph, dominators, members))


def _natural_loops(graph: FlowGraph, dominators: DominatorTree) -> dict[str, set[str]]:
    members: dict[str, set[str]] = {}
    for label in dominators.order:
        for target in graph.successors[label]:
            if dominators.dominates(target, label):
                _add_body(graph, dominators, members.setdefault(target, {target}), label)
    return members


def _add_body(graph: FlowGraph, dominators: DominatorTree, blocks: set[str], latch: str) -> None:
    """Adds what reaches `latch` backwards without passing the header, which is in `blocks` already."""
    pending = [latch]
    while pending:
        label = pending.pop()
        if label not in blocks:
            blocks.add(label)
            pending.extend(p for p in graph.predecessors[label] if p in dominators.immediate)


def _irreducible(
    graph: FlowGraph, dominators: DominatorTree, natural: Mapping[str, set[str]]
) -> tuple[IrreducibleCycle, ...]:
    """One report for every retreating edge of reverse post-order whose target does not dominate its source."""
    number = {label: index for index, label in enumerate(dominators.order)}
    found: list[IrreducibleCycle] = []
    for source in dominators.order:
        for target in graph.successors[source]:
            if number[target] <= number[source] and not dominators.dominates(target, source):
                found.append(_cycle(graph, dominators, natural, target, source))
    return tuple(found)


def _cycle(
    graph: FlowGraph, dominators: DominatorTree, natural: Mapping[str, set[str]], target: str, source: str
) -> IrreducibleCycle:
    """The cycle through `source` -> `target` that does not pass the header of a natural loop around it.

    If it had one entry only, that would be the header of such a loop.
    """
    around = [header for header, blocks in natural.items() if {target, source} <= blocks]
    inside = min((natural[header] - {header} for header in around), key=len, default=set(dominators.order))
    cycle = _reaching(graph.successors, target, inside) & _reaching(graph.predecessors, source, inside)
    outside = dominators.immediate.keys() - cycle
    entered = [label for label in dominators.order if label in cycle and not outside.isdisjoint(graph.predecessors[label])]
    first = target if target in entered else entered[0]
    return IrreducibleCycle(first, next(label for label in entered if label != first))


def _reaching(edges: Mapping[str, tuple[str, ...]], start: str, inside: Collection[str]) -> set[str]:
    seen = {start}
    pending = [start]
    while pending:
        for label in edges[pending.pop()]:
            if label in inside and label not in seen:
                seen.add(label)
                pending.append(label)
    return seen
