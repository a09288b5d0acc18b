"""The control flow of partial linearization: new successors for every block of a region (thesis, listing 8 and section 8.3).

    a: branch (divergent) b, c            a: jump b
    b: jump d                     ->      b: jump c
    c: jump d                             c: jump d

A block with a divergent branch keeps one successor, the first in the block order of all that have to run; the others are
*deferred*: they must post-dominate the new successor. A uniform branch keeps its edges, except where something deferred comes
first. Back edges of loops and edges out of the region stay as they are: the loops must be uniform, so what is deferred in front
of a loop is deferred at each of its exits, and no thread leaves the region without the others.

The order must be topological and compact (`rv.analysis.cfg.block_order`); then dominance is preserved, blocks with uniform
predicates are reached exactly when these are true (theorem 4), and uniform edges inside dominance regions stay (theorem 5).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.cfg.block_order import block_order
from rv.analysis.cfg.region import Region
from rv.internal_error import InternalError


@dataclass(frozen=True, slots=True)
class LinearGraph:
    """The new successor for each original one, in the original order; equal ones are one edge. `index` is the block order.

    `sources`: the blocks with an original edge to a block. `onward`, `coming`: the successors and predecessors of a block over
    new edges that are forward. `passing`: how many of these edges lead from before a block to behind it.
    """

    order: tuple[str, ...]
    index: Mapping[str, int]
    original: Mapping[str, tuple[str, ...]]
    targets: Mapping[str, tuple[str, ...]]
    predecessors: Mapping[str, tuple[str, ...]]
    sources: Mapping[str, frozenset[str]]
    onward: Mapping[str, tuple[str, ...]]
    coming: Mapping[str, tuple[str, ...]]
    passing: Mapping[str, int]

    def forward(self, source: str, target: str) -> bool:
        """Whether an edge stays in the region and is no back edge."""
        return target in self.index and self.index[target] > self.index[source]

    def carries(self, source: str, target: str, old: str) -> tuple[bool, bool]:
        """Whether threads that took source -> old come over the new edge source -> target, and whether only those do."""
        behind = [o for o, new in zip(self.original[source], self.targets[source], strict=True) if new == target]
        return old in behind, all(o == old for o in behind)


def linear_graph(region: Region, divergent: frozenset[str], original: Mapping[str, tuple[str, ...]]) -> LinearGraph:
    """The linearized edges of a region. `original` are the successors of its blocks, in the order of their terminators."""
    order = block_order(region)
    index = {label: number for number, label in enumerate(order)}
    deferred: dict[str, set[str]] = {label: set() for label in order}
    targets: dict[str, tuple[str, ...]] = {}

    def connect(onward: set[str]) -> str:
        following = min(onward, key=index.__getitem__)
        deferred[following] |= onward - {following}
        return following

    for label in order:
        waiting = deferred[label]
        ways = original[label]
        stays = [index.get(target, -1) > index[label] for target in ways]
        if label in divergent and len(ways) > 1:
            if not all(stays):
                raise InternalError("a divergent branch leaves a loop or a region", f"block {label} -> {ways}")
            targets[label] = (connect({*waiting, *ways}),) * len(ways)
            continue
        targets[label] = tuple(connect({*waiting, t}) if s else t for t, s in zip(ways, stays, strict=True))
        if waiting and (not ways or any(t not in index for t in ways)):
            raise InternalError("threads leave a region apart", f"{sorted(waiting)} have to run after block {label}")
    predecessors: dict[str, list[str]] = {label: [] for label in order}
    sources: dict[str, set[str]] = {label: set() for label in order}
    for label in order:
        for target in dict.fromkeys(targets[label]):
            if target in predecessors:
                predecessors[target].append(label)
        for target in original[label]:
            if target in sources:
                sources[target].add(label)
    onward = {label: tuple(t for t in dict.fromkeys(targets[label]) if index.get(t, -1) > index[label]) for label in order}
    coming = {label: tuple(p for p in found if index[p] < index[label]) for label, found in predecessors.items()}
    passing: dict[str, int] = {}
    open_edges = 0
    for label in order:
        open_edges -= len(coming[label])
        passing[label] = open_edges
        open_edges += len(onward[label])
    kept = {label: original[label] for label in order}
    leading = {label: frozenset(found) for label, found in sources.items()}
    before = {label: tuple(found) for label, found in predecessors.items()}
    return LinearGraph(order, index, kept, targets, before, leading, onward, coming, passing)
