"""Which uses a divergent instruction taints (the section "Control Divergence" of "SIMD Lane Evolution for AVR").

Two threads that a divergent instruction A sends to different successors can bring different values to a use when there are two
paths from A, with nothing but A in common, that end in

 - two definitions that reach the use, or in one and in the use itself, where a definition from before A is still to be read
   ("2 Defs");
 - a back edge and an exit of a loop: the definition is made once more for those that stay, and the use reads it after the loop
   ("leaking iterations");
 - the definition and a back edge of the loop: it is not made for those that go on to the next iteration, which read the one of
   an iteration before ("partially killing Defs").

Two such paths exist exactly when no single instruction is on all paths from A to both ends (Menger), which is when A is the
immediate dominator of the ends taken together, in the graph that begins in A. Threads wait for each other in two places, where
paths end: where every path from A leads before the next iteration of a loop around A; and at the headers of loops that contain
both A and the use. (The document takes the immediate post-dominator. But threads in different iterations of a loop do not wait
for each other in a block through which all will come.) Definitions of one value count as one; and a definition that has the
same value in every iteration of a loop is never an old one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Final

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import FlowGraph, graph_of_edges
from rv.analysis.cfg.region import Region
from rv.analysis.lane_evolution.instruction_graph import InstructionGraph, Variable
from rv.analysis.lane_evolution.same_values import SameValues

END: Final = "<end>"  # no label of an instruction: those consist of block labels and numbers
BACK: Final = "<back edge>"
OUT: Final = "<exit>"
OLD: Final = "<old>"

Use = tuple[str, Variable]


@dataclass(slots=True)
class Taint:
    """The effects of divergent instructions in one graph."""

    graph: InstructionGraph
    values: SameValues
    influence: dict[str, frozenset[str]] = field(default_factory=dict)
    following: dict[str | None, Mapping[str, str | None]] = field(default_factory=dict)

    def by(self, branch: str) -> Iterator[Use]:
        """The uses that different threads may read with different values because they part at `branch`."""
        region = self.influenced(branch)
        seen: set[Use] = set()
        for definition in region:
            variable = self.graph.nodes[definition].defines
            for use in self.graph.uses.get(definition, ()):
                assert variable is not None
                if (use, variable) in seen:
                    continue
                if self._by_two(branch, (use, variable), region) or self._by_one(branch, definition, use):
                    seen.add((use, variable))
                    yield use, variable

    def influenced(self, branch: str) -> frozenset[str]:
        """The influence region: what can run behind `branch` before all threads have come together again."""
        if branch not in self.influence:
            self.influence[branch] = frozenset(_reachable(self.graph.region.graph.successors, branch, self._together(branch)))
        return self.influence[branch]

    def _together(self, branch: str) -> str | None:
        """Where every path from `branch` leads before the next iteration of a loop around both; None: nowhere."""
        around = self.graph.region.around(branch)
        for level in range(len(around) + 1):
            left = self.graph.inside(around[level - 1]) if level else ()
            label = self._following(around[level:]).get(branch)
            while label is not None and label in left:
                label = self._following(around[level:]).get(label)
            if label not in (None, END):
                return label
        return None

    def _following(self, around: tuple[str, ...]) -> Mapping[str, str | None]:
        """Immediate post-dominators within an iteration of the loops `around`, of which the innermost one is the first."""
        innermost = around[0] if around else None
        if innermost not in self.following:
            self.following[innermost] = dominator_tree(_reversed(self.graph.region, around)).immediate
        return self.following[innermost]

    def _by_two(self, branch: str, use: Use, region: frozenset[str]) -> bool:
        """Whether threads come to a use with two of the definitions that reach it."""
        place, variable = use
        reaching = set(self.graph.reached[use])
        before = self.graph.live_into(branch, variable)
        if len(self.values.classes({*reaching, *before})) < 2:
            return False
        kept = self.values.classes(before)
        old = kept.pop() if len(kept) == 1 else OLD
        shared = {header for header in self.graph.region.around(branch) if place in self.graph.inside(header)}
        ends = {place} | ({self._together(branch)} & self._before(place, variable, shared))

        def onward(label: str) -> Iterable[str]:
            if label in reaching:
                return self.values.classes({label})
            if label != branch and (label not in region or label == place):
                return (old,) if before and label in ends else ()
            return (target for target in self.graph.region.graph.successors[label] if target not in shared or target == place)

        return self._apart(branch, onward, {*self.values.classes(reaching), old})

    def _by_one(self, branch: str, definition: str, use: str) -> bool:
        """Whether threads come to a use with one definition from different iterations of a loop."""
        for header in self.graph.region.around(branch):
            inside = self.graph.inside(header)
            if definition in inside and not self.values.is_invariant(definition, inside):
                if use not in inside and self._leaks(branch, header, definition, use):
                    return True
                dominated = use in inside and self.graph.region.dominators.dominates(definition, use)
                if not dominated and self._partly_killed(branch, header, definition, use):
                    return True
        return False

    def _leaks(self, branch: str, header: str, definition: str, use: str) -> bool:
        inside, ways = self.graph.inside(header), self._ways_to(use, definition)

        def onward(label: str) -> Iterable[str]:
            for target in self.graph.region.graph.successors[label]:
                if target not in inside:
                    yield from (OUT,) if target in ways else ()
                else:
                    yield BACK if target == header else target

        return self._apart(branch, onward, {BACK, OUT})

    def _partly_killed(self, branch: str, header: str, definition: str, use: str) -> bool:
        inside = self.graph.inside(header)
        if header not in self._ways_to(use, definition):
            return False

        def onward(label: str) -> Iterable[str]:
            again = self.graph.nodes[label].defines == self.graph.nodes[definition].defines
            for target in self.graph.region.graph.successors[label] if not again else (END,) if label == definition else ():
                if target in inside or target == END:
                    yield BACK if target == header else target

        return self._apart(branch, onward, {BACK})

    def _ways_to(self, use: str, definition: str) -> set[str]:
        """The instructions by which a definition comes to a use."""
        variable = self.graph.nodes[definition].defines
        assert variable is not None
        return self._before(use, variable, ()) & self.graph.spread[definition]

    def _before(self, use: str, variable: Variable, ends: Collection[str]) -> set[str]:
        """The use, and instructions from which it is reached without a definition of its variable or one of the `ends`."""
        found: set[str] = set()
        pending = [use]
        while pending:
            label = pending.pop()
            if label not in found and (label == use or self.graph.nodes[label].defines != variable):
                found.add(label)
                pending += self.graph.region.graph.predecessors[label] if label not in ends else ()
        return found

    def _apart(self, branch: str, onward: Callable[[str], Iterable[str]], ends: Iterable[str]) -> bool:
        """Whether two paths with only `branch` in common lead from it to two of the ends; `onward` continues a path."""
        last = dict.fromkeys(ends, (END,))
        edges: dict[str, tuple[str, ...]] = {END: ()}
        pending = [branch]
        while pending:
            label = pending.pop()
            if label not in edges:
                edges[label] = last.get(label) or tuple(t for t in dict.fromkeys(onward(label)) if t != branch)
                pending += edges[label]
        # the entry of a graph is its first node
        graph = graph_of_edges(((branch, edges.pop(branch)), *edges.items()))
        return dominator_tree(graph).immediate.get(END) == branch


def _reachable(successors: Mapping[str, tuple[str, ...]], start: str, end: str | None) -> set[str]:
    found: set[str] = set()
    pending = [*successors[start]]
    while pending:
        label = pending.pop()
        if label not in found and label != end:
            found.add(label)
            pending += successors[label]
    return found


def _reversed(region: Region, around: Iterable[str]) -> FlowGraph:
    """The graph from its end to its beginning; back edges of the loops `around` lead to the end."""
    inside = {header: region.loops.loops[header].blocks for header in around}
    backward: dict[str, list[str]] = {label: [] for label in (END, *region.dominators.order)}
    for label in region.dominators.order:
        targets = region.graph.successors[label]
        ways = {END if label in inside.get(target, ()) else target for target in targets} or {END}
        for target in sorted(ways):
            backward[target].append(label)
    return graph_of_edges(tuple((label, tuple(found)) for label, found in backward.items()))
