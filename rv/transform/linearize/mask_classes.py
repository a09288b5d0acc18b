"""Which blocks of a region run under one mask, so that predicates need computing only once for each (thesis, section 8.7).

A block has the mask of its dominator d when it is uniform relative to d (definition 23): in the part of the acyclic control flow
that d dominates, no divergent branch decides whether the block runs. By theorems 4 and 5 the linearized control flow reaches
the block from d exactly when the threads of d run it. Loops, which must be uniform, count as single blocks: all blocks of a
loop that its header's threads run in every iteration have the mask with which the loop is entered.
"""

from __future__ import annotations

from collections.abc import Mapping

from rv.analysis.cfg.control_dependence import ControlDependence, control_dependence
from rv.analysis.cfg.levels import loop_levels
from rv.analysis.cfg.region import Region


def mask_classes(region: Region, divergent: frozenset[str]) -> Mapping[str, str]:
    """For every block the block that stands for its mask: a dominator, or itself; the entry of the region stands for itself."""
    levels = loop_levels(region)
    found = {region.entry: region.entry}
    for header in (None, *region.loops.loops):
        level = levels[header]
        control = control_dependence(level)
        apart = {b for b in level.dominators.order if b in divergent and (b not in region.loops.loops or b == header)}
        for label in level.dominators.preorder():
            above = level.dominators.immediate[label]
            if above is not None:
                found[label] = found[above] if _relatively_uniform(level, control, apart, label, above) else label
    return found


def _relatively_uniform(level: Region, control: ControlDependence, apart: set[str], label: str, above: str) -> bool:
    seen: set[str] = set()
    pending = [label]
    while pending:
        for branch in control.branches(pending.pop()):
            if branch not in seen and level.dominators.dominates(above, branch):
                if branch in apart:
                    return False
                seen.add(branch)
                pending.append(branch)
    return True
