"""Block predicates and edge masks of linearized code (thesis, sections 3.4 and 8.4).

    b: branch %c, c, d                    b: %c.not = xor i1 %c, 1 total
    c:                            ->         jump c
      ...                                 c: predicate %c
                                          d: predicate %c.not

The mask of an edge holds for the threads that take it in the original control flow, that of a block for those that come to it: it
is the union of the masks of its incoming edges, which is the cascade of `rv.transform.linearize.cascades` with 0 as its start.
Where all threads that are not in b are in d already, those of c are the only ones that are not in d behind b: then d's mask is
the negation of c's. Blocks of one class (`rv.transform.linearize.mask_classes`) share their mask. Masks are defined for all
threads: total instructions compute them, and a condition counts only where its block's mask holds (`select %mask, %c, 0`):
elsewhere it is undefined.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.analysis.cfg.region import Region
from rv.ir.function import Function
from rv.ir.instructions import Branch, Terminator
from rv.ir.types import I1
from rv.ir.values import FALSE, TRUE, Value, Var
from rv.transform.linearize.additions import Additions
from rv.transform.linearize.cascades import Arrival, arrival
from rv.transform.linearize.linear_graph import LinearGraph


@dataclass(slots=True)
class Masks:
    """The masks of a region's blocks; they must be requested in block order."""

    region: Region
    linear: LinearGraph
    additions: Additions
    classes: Mapping[str, str]
    terminators: Mapping[str, Terminator]
    shadowed: Mapping[str, tuple[str, Value]]
    blocks: dict[str, Value] = field(default_factory=dict)
    edges: dict[tuple[str, str], Value] = field(default_factory=dict)

    def of(self, label: str) -> Value:
        """The threads that run a block."""
        stands = self.classes[label]
        if stands not in self.blocks:
            self.blocks[stands] = self._meeting(stands)
        return self.blocks[stands]

    def on(self, source: str, following: str, target: str) -> Value:
        """The threads that take the original edge source -> target, at the end of `source` before `following`."""
        if self.linear.carries(source, following, target)[1]:
            return self.of(source)
        if (source, target) not in self.edges:
            self.edges[source, target] = self._taken(source, target)
        return self.edges[source, target]

    def _meeting(self, label: str) -> Value:
        def update(source: str, following: str, before: Arrival) -> Arrival:
            assert before.value is not None
            mask, other = self.on(source, following, label), self._otherwise(source, label)
            if other is not None and self.additions.are_opposite(before.value, self.of(source)):
                return Arrival(self.additions.negate(source, self.on(source, following, other)), None, False)
            return Arrival(self.additions.either(source, f"{label}.mask", before.value, mask), None, False)

        wanted = f"{label}.mask"
        result = self.additions.names.variable(wanted, I1)
        start = Arrival(FALSE, None, False)
        found = arrival(self.region, self.linear, self.additions, label, start, result, update, wanted).value
        assert found is not None
        return found

    def _otherwise(self, source: str, target: str) -> str | None:
        """Where the threads of a block with a divergent branch go that do not go to `target`."""
        ways, to = self.linear.original[source], self.linear.targets[source]
        return next((way for way in ways if way != target), None) if len(set(ways)) == 2 and len(set(to)) == 1 else None

    def _taken(self, source: str, target: str) -> Value:
        terminator = self.terminators[source]
        assert isinstance(terminator, Branch), "one of several ways"
        mask, condition = self.of(source), self.additions.resolve(terminator.condition)
        if terminator.then != target:
            return self._both(source, target, mask, self.additions.negate(source, condition))
        if isinstance(terminator.condition, Var):
            block, shadow = self.shadowed.get(terminator.condition.name, (source, None))
            if shadow == FALSE and self.classes.get(block) == self.classes[source]:
                return condition  # holds only where the mask does
        return self._both(source, target, mask, condition)

    def _both(self, source: str, target: str, mask: Value, condition: Value) -> Value:
        return condition if mask == TRUE else self.additions.select(source, f"{target}.mask", mask, condition, FALSE)


def shadowed_phis(function: Function) -> Mapping[str, tuple[str, Value]]:
    """The blocks and shadows of the variables that phis with shadows define: threads that do not come there have the shadow."""
    return {p.result.name: (b.label, p.shadow) for b in function.blocks for p in b.phis if p.shadow is not None}
