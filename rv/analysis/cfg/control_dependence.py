"""Control dependence, and its transitive closure (thesis, section 2.3; Ferrante, Ottenstein, Warren 1987).

Block k depends on the edge a -> b when it post-dominates b but does not strictly post-dominate a: taking the edge means that k
will run, and a has a way past k. A loop's header depends on the branch that decides on another iteration, even when it is
this branch's own block. Whether a thread runs k at all is decided by the branches in the transitive closure alone; whether it
does so in this iteration of a loop is a question to the loop's level (`rv.analysis.cfg.levels`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.analysis.cfg.postdominance import EXIT, PostDominatorTree, post_dominator_tree
from rv.analysis.cfg.region import Edge, Region


@dataclass(frozen=True, slots=True)
class ControlDependence:
    """For each block the edges that it depends on, and for each branching block the blocks that depend on it directly."""

    edges: Mapping[str, tuple[Edge, ...]]
    dependents: Mapping[str, frozenset[str]]
    iterated: dict[str, frozenset[str]] = field(default_factory=dict, compare=False, repr=False)
    """Results of `iterated_dependents` so far: with queries for inner branches first, each block is computed once."""

    def branches(self, label: str) -> frozenset[str]:
        """The blocks whose branches decide directly whether the block runs."""
        return frozenset(source for source, _ in self.edges[label])

    def iterated_dependents(self, branch: str) -> frozenset[str]:
        """The blocks that depend on a branch directly or through other branches."""
        found: set[str] = set()
        pending = [branch]
        while pending:
            label = pending.pop()
            known = self.iterated.get(label)
            fresh = self.dependents.get(label, frozenset()) - found if known is None else known
            found |= fresh
            if known is None:
                pending.extend(fresh)
        self.iterated[branch] = frozenset(found)
        return self.iterated[branch]


def control_dependence(region: Region, post_dominators: PostDominatorTree | None = None) -> ControlDependence:
    """The control dependences inside a region."""
    tree = (post_dominators or post_dominator_tree(region)).tree
    edges: dict[str, list[Edge]] = {label: [] for label in region.dominators.order}
    for label in region.dominators.order:
        targets = region.ways_out(label)
        for target in targets if len(targets) > 1 else ():
            above = target if target in region.graph.successors[label] else EXIT
            while above != tree.immediate[label] and above != EXIT:
                edges[above].append((label, target))
                parent = tree.immediate[above]
                assert parent is not None  # the chain of any block ends at the exit
                above = parent
    dependents: dict[str, set[str]] = {}
    for label, found in edges.items():
        for source, _ in found:
            dependents.setdefault(source, set()).add(label)
    return ControlDependence(
        {label: tuple(found) for label, found in edges.items()},
        {label: frozenset(found) for label, found in dependents.items()},
    )
