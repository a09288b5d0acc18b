"""The block index of partial linearization (thesis, sections 2.5 and 8.2).

A topological order of a region's blocks, back edges ignored, that is compact:
 - the blocks of every loop stand together, its header first, and its latch last when it is the only one and in no inner loop;
 - the blocks that a block dominates stand together, as far as they are in its innermost loop or, for a header, in the loop
   around. Blocks outside a loop that are dominated from within it come after the whole loop: both kinds of compactness
   at once do not exist where only one arm inside a loop leads to an exit.

A preorder walk over the dominator tree whose children are in reverse post-order is topological and compact on acyclic graphs.
So every loop is ordered by itself, with the loops in it taken as single nodes.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.analysis.cfg.levels import loop_levels
from rv.analysis.cfg.region import Region


def block_order(region: Region) -> tuple[str, ...]:
    """The blocks of a region in a compact topological order."""
    levels = loop_levels(region)

    def order(level: str | None) -> Iterator[str]:
        for label in levels[level].dominators.preorder():
            if label in levels and label != level:
                yield from order(label)
            else:
                yield label

    return tuple(order(None))
