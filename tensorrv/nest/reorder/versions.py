"""Two versions of loops of which one keeps the order of the source: it runs where a proof does not hold at run time."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.values.uses import defining_blocks, definitions
from rv.analysis.verify import verify
from rv.evolution.facts import Legal, Loop
from rv.ir.function import Function
from rv.ir.instructions import operands
from rv.ir.rewrite import FreshNames
from rv.ir.values import Var
from rv.transform.loops.evaluation import NotKnownBefore
from rv.transform.loops.run_time_test import run_time_test
from rv.transform.loops.version import Versions, version_loops
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.bands import Obstacle


@dataclass(frozen=True, slots=True)
class Proof:
    """What a proof needs at run time, in the variables of the function that it is about."""

    function: Function
    legal: Legal

    def check_names(self, other: Function, region: Loop) -> None:
        """Raises Obstacle where another function has not computed what the test reads before a region, or not that."""
        read = (symbol for symbol in self.legal.symbols if not symbol.is_counter)
        pending, seen = [symbol.name for symbol in read], set[str]()
        one, two, places = definitions(self.function), definitions(other), defining_blocks(other)
        while pending:
            name = pending.pop()
            if name in seen:
                continue
            seen.add(name)
            if one.get(name) != two.get(name) or places.get(name) in region.blocks:
                raise Obstacle(f"a run-time check would need `{name.partition('.')[0]}` before it is computed", None)
            if name in one:
                pending += [value.name for value in operands(one[name]) if isinstance(value, Var)]


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
    return analyze_nests(verify(_left_scalar(nests.function, version_loops(nests.function, [piece], {region.header: test}))))


def _left_scalar(before: Function, versions: Versions) -> Function:
    """The function without lanes in the version that keeps the order of the source."""
    headers = {versions.copies[header] for header in find_loops(before).loops if header in versions.copies}
    blocks = (
        replace(block, hints=replace(block.hints, novector=True)) if block.label in headers else block
        for block in versions.function.blocks
    )
    return replace(versions.function, blocks=tuple(blocks))
