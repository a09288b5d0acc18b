"""Which blocks a block waits for, so that threads stay in the same iteration of all loops around them.

Definition 17 of the thesis lets a block run once no other pending block reaches it without a back edge. Where a loop is left at
its header, the blocks of the loop reach its exits by the back edge only: read literally, threads that have left the loop could
run ahead, into the next iteration of a loop around, and theorem 1 would fail. What the theorem and the analyses of control
divergence need is the same definition with inner loops as single nodes: a block waits for all blocks that come to it
without another iteration of a loop around it. A header is at the end of its loop's iteration, too: it waits for the blocks of
the loop, and they do not wait for it.
"""

from __future__ import annotations

from collections.abc import Mapping

from rv.analysis.cfg.region import Region


def waited_for(region: Region) -> Mapping[str, frozenset[str]]:
    """For each block of a region the pending blocks that have to run before it."""
    return {label: _coming_to(region, label) - frozenset({label, *region.around(label)}) for label in region.dominators.order}


def _coming_to(region: Region, label: str) -> frozenset[str]:
    loops = region.loops.loops
    around = frozenset(region.around(label)) - {label}
    found: set[str] = set()
    pending = [label]
    while pending:
        here = pending.pop()
        for source in region.graph.predecessors[here]:
            again = here in around and source in loops[here].blocks
            if not again and source not in found:
                found.add(source)
                pending.append(source)
    return frozenset(found)
