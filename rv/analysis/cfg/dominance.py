"""The dominator tree (Cooper, Harvey, Kennedy: A Simple, Fast Dominance Algorithm, 2001).

Block a dominates block b when every path from the entry to b goes through a. Immediate dominators are the fixed point of
intersecting the predecessors' chains in reverse post-order. Blocks that the entry does not reach have no place in the tree:
nothing dominates them and they dominate nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache

from rv.analysis.cfg.flow import REMEMBERED, FlowGraph, reverse_postorder


@dataclass(frozen=True, slots=True)
class DominatorTree:
    """Immediate dominators (None for the entry), children in reverse post-order, and the intervals of a walk over the tree."""

    order: tuple[str, ...]
    immediate: Mapping[str, str | None]
    children: Mapping[str, tuple[str, ...]]
    interval: Mapping[str, tuple[int, int]]

    def dominates(self, above: str, below: str) -> bool:
        """Whether `above` dominates `below`; a block dominates itself."""
        if above not in self.interval or below not in self.interval:
            return False
        first, last = self.interval[above]
        return first <= self.interval[below][0] <= last

    def chain(self, label: str) -> Iterator[str]:
        """The dominators of `label`, itself first, the entry last."""
        current: str | None = label
        while current is not None:
            yield current
            current = self.immediate[current]

    def preorder(self) -> Iterator[str]:
        """The blocks of the tree, each after its dominators, children in reverse post-order."""
        return iter(sorted(self.interval, key=lambda label: self.interval[label][0]))


@lru_cache(REMEMBERED)
def dominator_tree(graph: FlowGraph) -> DominatorTree:
    """The dominator tree of the blocks that the entry reaches."""
    order = reverse_postorder(graph)
    immediate = _immediate_dominators(graph, order)
    children: dict[str, list[str]] = {label: [] for label in order}
    for label in order[1:]:
        children[immediate[label]].append(label)
    tree = {label: tuple(found) for label, found in children.items()}
    parents: dict[str, str | None] = {label: immediate[label] for label in order}
    parents[graph.entry] = None
    return DominatorTree(order, parents, tree, _intervals(graph.entry, tree))


@lru_cache(REMEMBERED)
def _frontiers(graph: FlowGraph) -> Mapping[str, set[str]]:
    tree = dominator_tree(graph)
    frontier: dict[str, set[str]] = {label: set() for label in tree.order}
    for label in tree.order:
        before = [p for p in graph.predecessors[label] if p in tree.immediate]
        for predecessor in before if len(before) > 1 else ():
            for above in tree.chain(predecessor):
                if above == tree.immediate[label]:
                    break
                frontier[above].add(label)
    return frontier


def iterated_frontier(graph: FlowGraph, starts: Iterable[str]) -> frozenset[str]:
    """Where definitions in the blocks `starts` of one variable meet another definition: its phis belong there.

    The frontier of a block are the blocks that it does not strictly dominate although it dominates one of their predecessors.
    """
    frontier = _frontiers(graph)
    found: set[str] = set()
    pending = list(starts)
    while pending:
        fresh = frontier[pending.pop()] - found
        found |= fresh
        pending.extend(fresh)
    return frozenset(found)


def _immediate_dominators(graph: FlowGraph, order: tuple[str, ...]) -> dict[str, str]:
    number = {label: index for index, label in enumerate(order)}
    immediate = {graph.entry: graph.entry}

    def intersect(left: str, right: str) -> str:
        while left != right:
            if number[left] > number[right]:
                left = immediate[left]
            else:
                right = immediate[right]
        return left

    changed = True
    while changed:
        changed = False
        for label in order[1:]:
            known = [p for p in graph.predecessors[label] if p in immediate]
            found = known[0]
            for other in known[1:]:
                found = intersect(found, other)
            if immediate.get(label) != found:
                immediate[label] = found
                changed = True
    return immediate


def _intervals(entry: str, children: Mapping[str, tuple[str, ...]]) -> dict[str, tuple[int, int]]:
    """For each block the numbers of the first and last block of its subtree in a preorder walk."""
    first: dict[str, int] = {}
    last: dict[str, int] = {}
    stack: list[tuple[str, bool]] = [(entry, False)]
    while stack:
        label, done = stack.pop()
        if done:
            last[label] = len(first) - 1
            continue
        first[label] = len(first)
        stack.append((label, True))
        stack.extend((child, False) for child in reversed(children[label]))
    return {label: (first[label], last[label]) for label in first}
