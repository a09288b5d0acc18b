"""What is to be proved about loops: that a brush, threads, or another order of their iterations give the results of the source.

The region is the outermost loop that is concerned; `facts` are those known before it is entered.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from rv.evolution.facts import Loop
from rv.ir.types import FloatMode
from tensorrv.nest.choice.hints import declared_independent, independent_in_threads, is_assumed, safe_length
from tensorrv.nest.legality.dependence import (
    Promises,
)
from tensorrv.nest.legality.region import nests_within
from tensorrv.nest.legality.witness import brush_text
from tensorrv.nest.model import Access, Nests
from tensorrv.schedule.schedule import Dimension, Schedule, in_order

BrushSizes = tuple[tuple[str, int], ...]
"""Headers of loops with sizes, outermost first."""


@dataclass(frozen=True, slots=True)
class Claim:
    """The loops of a brush, or for threads one loop of size 2, or an order (`tensorrv.nest.legality.proof`)."""

    nests: Nests
    facts: Nests
    region: Loop
    brush: BrushSizes
    fp: FloatMode
    assume_no_alias: bool
    assume_parallel: frozenset[str]
    accesses: tuple[Access, ...]
    written: frozenset[str]
    for_threads: bool = False
    order: Schedule | None = None
    what: str = ""
    """What is checked, if not a brush."""
    witnessed: bool = True
    """Whether a refusal is to show two iterations of a run."""

    @staticmethod
    def of(
        nests: Nests, brush: BrushSizes, fp: FloatMode, no_alias: bool, parallel: frozenset[str]
    ) -> Claim:
        for (outer, _), (inner, _) in pairwise(brush):
            if inner == outer or inner not in nests.loops[outer].blocks:
                raise ValueError(f"loop {inner} is not inside loop {outer}")
        facts = nests_within(nests, brush[0][0])
        return Claim.over(nests, facts, facts.loops[brush[0][0]], brush, fp, no_alias, parallel)

    @staticmethod
    def over(
        nests: Nests,
        facts: Nests,
        region: Loop,
        brush: BrushSizes,
        fp: FloatMode,
        no_alias: bool,
        parallel: frozenset[str],
    ) -> Claim:
        accesses = tuple(a for a in facts.accesses if a.block in region.blocks)
        written = frozenset(a.array.name for a in accesses if a.kind == "store")
        return Claim(nests, facts, region, brush, fp, no_alias, parallel, accesses, written)

    @property
    def subject(self) -> str:
        return self.what or f"the brush {brush_text(self.brush)}"

    @property
    def brushed(self) -> tuple[Loop, ...]:
        """The loops that the brush takes more than one iteration of at once, or those whose order changes."""
        if self.order is not None:
            return tuple(self.facts.loops[header] for d in self.order.dimensions for header in dict.fromkeys(d.loops))
        return tuple(self.facts.loops[header] for header, size in self.brush if size > 1)

    def schedule(self) -> Schedule:
        """The order of the region's iterations under the brush; for threads, with those of the loop in any order."""
        inside = [loop for loop in self.facts.loops.values() if loop.header in self.region.blocks]
        if self.order is not None:
            moved = {header for d in self.order.dimensions if d.kind != "apart" for header in d.loops}
            rest = (loop.header for loop in inside if loop.header not in moved)
            return Schedule((*self.order.dimensions, *in_order(rest).dimensions))
        if self.for_threads:
            rest = (loop.header for loop in inside if loop != self.region)
            return Schedule((Dimension((self.region.header,), "parallel"), *in_order(rest).dimensions))
        return Schedule(tuple(map(self._dimension, inside)))

    def _dimension(self, loop: Loop) -> Dimension:
        size = dict(self.brush).get(loop.header)
        if size is not None:
            return Dimension((loop.header,), "brush", size)
        between = self.brush[-1][0] in loop.blocks
        return Dimension((loop.header,), "sequential" if between else "inside")

    @property
    def promises(self) -> Promises:
        answered = [loop for loop in self.brushed if self.is_declared_independent(loop)]
        assumed = frozenset(loop.header for loop in answered if is_assumed(loop, self.assume_parallel))
        return Promises(frozenset(loop.header for loop in answered) - assumed, assumed)

    def is_declared_independent(self, loop: Loop) -> bool:
        """Whether the user's hint covers this proof.

        Threads run iterations at the same time, and other orders of loops swap them, that are any distance apart.
        """
        far = self.for_threads or self.order is not None
        answered = independent_in_threads if far else declared_independent
        limited = far and safe_length(loop, self.assume_parallel) is not None
        return answered(loop, self.assume_parallel) and not limited

    def loops_around(self, block: str) -> tuple[Loop, ...]:
        """The loops of the region that contain the block, outermost first."""
        found: list[Loop] = []
        header: str | None = self.facts.innermost.get(block)
        while header is not None and header in self.region.blocks:
            loop = self.facts.loops[header]
            found.insert(0, loop)
            header = loop.parent
        return tuple(found)
