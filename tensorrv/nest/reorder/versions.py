"""Two versions of loops of which one keeps the order of the source: it runs where a proof does not hold at run time."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.verify import verify
from rv.evolution.facts import Legal, Loop
from rv.ir.function import Function
from rv.ir.rewrite import FreshNames
from rv.transform.loops.evaluation import NotKnownBefore
from rv.transform.loops.run_time_test import run_time_test
from rv.transform.loops.version import version_loops
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.bands import Obstacle

SUFFIX: Final = ".order"
"""What names end with in the version in the order of the source."""


def behind_test(nests: Nests, region: Loop, left: str, legal: Legal) -> Nests:
    """The function with a region in two versions, if the proof has conditions: the first is for the case that they hold.

    `left`: the block from which control leaves the region. Raises Obstacle.
    """
    if not legal.is_conditional:
        return nests
    try:
        test = run_time_test(nests.function, region.preheader, nests.loops, legal, FreshNames.of(nests.function))
    except NotKnownBefore as problem:
        raise Obstacle(str(problem), problem.span) from problem
    exits = ((left, region.exit),)
    piece = NaturalLoop(region.header, region.blocks, (region.latch,), (region.preheader,), exits, region.parent, 1)
    versions = version_loops(nests.function, [piece], {region.header: test}, _suffix(nests.function))
    return analyze_nests(verify(_left_scalar(nests.function, versions)))


def _suffix(function: Function) -> str:
    """What the names in a version in the order of the source end with: versions may get versions."""
    labels = [block.label for block in function.blocks]
    candidates = (SUFFIX, *(f"{SUFFIX}.{number}" for number in range(1, len(labels) + 1)))
    return next(suffix for suffix in candidates if not any(label.endswith(suffix) for label in labels))


def _left_scalar(before: Function, function: Function) -> Function:
    """The function without lanes in the version that keeps the order of the source."""
    old = find_loops(before).loops
    copies = find_loops(function).loops.keys() - old.keys()
    blocks = (
        replace(block, hints=replace(block.hints, novector=True)) if block.label in copies else block
        for block in function.blocks
    )
    return replace(function, blocks=tuple(blocks))
