"""Post-dominators of a region (thesis, section 2.3): dominators of the reversed graph.

Block a post-dominates block b when every path from b out of the region goes through a. All returns and all edges that leave the
region lead to a common, nameless exit. A cycle without a way out gets one from its last block in reverse post-order, so
that every block has a place in the tree.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.cfg.region import Region

EXIT: Final = "<exit>"  # no label of a block: those consist of word characters


@dataclass(frozen=True, slots=True)
class PostDominatorTree:
    """The dominator tree of the reversed region, rooted in `EXIT`."""

    tree: DominatorTree

    def immediate(self, label: str) -> str | None:
        """The nearest other block through which every way from `label` out of the region leads; None: there is none."""
        found = self.tree.immediate[label]
        return None if found == EXIT else found

    def post_dominates(self, below: str, above: str) -> bool:
        """Whether every way from `above` out of the region leads through `below`; a block post-dominates itself."""
        return self.tree.dominates(below, above)


def post_dominator_tree(region: Region) -> PostDominatorTree:
    """The post-dominator tree of a region."""
    order = region.dominators.order
    onward = {label: region.graph.successors[label] + _to_exit(region, label) for label in order}
    finishing = _reaching_exit(region, onward)
    for label in reversed(order):
        if label not in finishing:
            onward[label] += (EXIT,)
            finishing = _reaching_exit(region, onward)
    backward: dict[str, list[str]] = {label: [] for label in (*order, EXIT)}
    for label, targets in onward.items():
        for target in targets:
            backward[target].append(label)
    reversed_graph = FlowGraph(EXIT, {label: tuple(found) for label, found in backward.items()}, {EXIT: (), **onward})
    return PostDominatorTree(dominator_tree(reversed_graph))


def _to_exit(region: Region, label: str) -> tuple[str, ...]:
    return (EXIT,) if label in region.leaving or not region.graph.successors[label] else ()


def _reaching_exit(region: Region, onward: dict[str, tuple[str, ...]]) -> set[str]:
    pending = [label for label, targets in onward.items() if EXIT in targets]
    found = set(pending)
    while pending:
        for label in region.graph.predecessors[pending.pop()]:
            if label in onward and label not in found:
                found.add(label)
                pending.append(label)
    return found
