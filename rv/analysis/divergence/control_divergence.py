"""What a divergent branch does to control flow: where threads that part there meet again, and which loops they leave apart.

For every branch of a reducible region, as if it alone were divergent (thesis, chapter 7):
 - its *joins*: blocks at which threads may arrive together over different edges, so that phis mix values (sync dependence);
 - the *divergent exits* of loops: edges that some threads take while others stay in the loop, or leave it another way, so that
   values that the loop defines are used from different iterations (temporal dependence);
 - the blocks it *predicates*: those that some threads run without the others (activation dependence);
 - the edges out of the region that only some of the threads take.

Threads follow greedy schedules (thesis, chapter 5): a block waits for every thread that could still come to it without another
iteration of a loop around the block. In particular an exit of a loop waits for the threads that are in the loop (definition 17
read with inner loops as single nodes). On acyclic regions the joins are exact: those blocks to which two paths lead that
have only the branch and the block in common. On loops they are an over-approximation.

Method: listing 4 with definitions on edges. Every edge of the branch carries its own definition; a block over whose edges one
definition comes in passes it on; one with several is a join and passes on itself. By theorem 2 threads can be at two places at
once exactly if the definitions differ. An exit edge of the loop around is divergent unless it carries the definition that
goes back to the header. Then the loop becomes a node of the loop around it (listing 7, its recursion in the loop around):
its divergent exits carry definitions of their own, its other exits, of which threads take at most one, share a single one
(definition 21). Since exits are edges here, critical edges out of loops and blocks that several loops leave for need no
splitting; headers may have several back edges, and are joins when these carry different definitions.

Predicates follow from iterated control dependence, one iteration of a loop at a time: a block that every thread comes to sooner
or later, but in different iterations, is run by some without the others, though it post-dominates the branch. A loop that
is left apart runs all its blocks with fewer and fewer threads, and parts the threads like a branch to its exits.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from heapq import heappop, heappush

from rv.analysis.cfg.control_dependence import ControlDependence, control_dependence
from rv.analysis.cfg.flow import REMEMBERED
from rv.analysis.cfg.levels import loop_levels
from rv.analysis.cfg.postdominance import EXIT, post_dominator_tree
from rv.analysis.cfg.region import Edge, Region, find_region
from rv.ir.function import Function

NONE: frozenset[str] = frozenset()
Following = Mapping[str, str | None]


@dataclass(frozen=True, slots=True, order=True)
class LoopExit:
    """An edge out of the loop with this header. An edge that leaves several loops at once is an exit of each of them."""

    header: str
    source: str
    target: str


@dataclass(frozen=True, slots=True)
class Effects:
    """What happens when one branch is divergent.

    `arrivals`: for each join the predecessors from which the parted threads come. `leaving`: edges out of the region.
    """

    arrivals: Mapping[str, frozenset[str]]
    exits: frozenset[LoopExit]
    predicated: frozenset[str]
    leaving: frozenset[Edge]

    @property
    def joins(self) -> frozenset[str]:
        return frozenset(self.arrivals)


@dataclass(frozen=True, slots=True)
class ControlDependences:
    """The effects of every branch of a region, by the label of its block. A block without a choice of successors has none."""

    region: Region
    effects: Mapping[str, Effects]

    @property
    def branches(self) -> tuple[str, ...]:
        """The blocks with several successors, in reverse post-order."""
        return tuple(self.effects)

    def joins_of(self, branch: str) -> frozenset[str]:
        """Blocks whose phis may mix values when the branch is divergent."""
        return self.effects[branch].joins if branch in self.effects else NONE

    def arrivals_at(self, branch: str, join: str) -> frozenset[str]:
        """The predecessors of a join from which threads come that the branch has parted; a phi mixes the values from there."""
        return self.effects[branch].arrivals.get(join, NONE) if branch in self.effects else NONE

    def exits_made_divergent_by(self, branch: str) -> frozenset[LoopExit]:
        """Exit edges over which values of the loop come from different iterations when the branch is divergent."""
        return self.effects[branch].exits if branch in self.effects else frozenset()

    def loops_made_divergent_by(self, branch: str) -> frozenset[str]:
        """Headers of the loops that threads leave at different times or over different exits when the branch is divergent."""
        return frozenset(exit.header for exit in self.exits_made_divergent_by(branch))

    def predicated_by(self, branch: str) -> frozenset[str]:
        """Blocks that only some of the threads run when the branch is divergent."""
        return self.effects[branch].predicated if branch in self.effects else NONE

    def leaving_apart_by(self, branch: str) -> frozenset[Edge]:
        """Edges out of the region that only some of the threads take when the branch is divergent."""
        return self.effects[branch].leaving if branch in self.effects else frozenset()


def control_divergence(function: Function, region: frozenset[str] | None = None) -> ControlDependences:
    """The control dependences inside a region of a function (None: the whole function), see `find_region`."""
    return region_divergence(find_region(function, region))


@lru_cache(REMEMBERED)
def region_divergence(region: Region) -> ControlDependences:
    """The control dependences inside a region."""
    levels = loop_levels(region)
    trees = {level: post_dominator_tree(acyclic) for level, acyclic in levels.items()}
    control = {level: control_dependence(acyclic, trees[level]) for level, acyclic in levels.items()}
    following = {level: tree.tree.immediate for level, tree in trees.items()}
    effects: dict[str, Effects] = {}
    branching = [label for label in region.dominators.order if len(region.ways_out(label)) > 1]
    for label in reversed(branching):  # what inner branches predicate is part of what those around them do
        arrivals, exits, leaving = _meetings(region, following, label)
        effects[label] = Effects(arrivals, exits, _predicated(region, control, label, {e.header for e in exits}), leaving)
    return ControlDependences(region, {label: effects[label] for label in branching})


def _predicated(
    region: Region, control: Mapping[str | None, ControlDependence], branch: str, divergent: set[str]
) -> frozenset[str]:
    """The blocks whose activation depends on a branch that makes the loops with the headers `divergent` divergent."""
    nodes: set[str] = set()
    node = branch
    for level in (*region.around(branch), None):
        nodes |= control[level].iterated_dependents(node)
        if level not in divergent:
            break
        nodes.add(level)
        node = level
    loops = region.loops.loops
    return frozenset(nodes - loops.keys()).union(*(loops[header].blocks for header in nodes & loops.keys()))


@dataclass(frozen=True, slots=True)
class _Parted:
    """The outcome of one level of loops; `outside` and `back` are the definitions on the edges out of it and to its header."""

    arrivals: Mapping[str, frozenset[str]]
    outside: Mapping[Edge, str]
    back: str | None


def _meetings(
    region: Region, following: Mapping[str | None, Following], branch: str
) -> tuple[Mapping[str, frozenset[str]], frozenset[LoopExit], frozenset[Edge]]:
    """Joins with their arrivals, divergent exits, and edges out of the region, from the innermost loop outwards (listing 7)."""
    arrivals: dict[str, frozenset[str]] = {}
    exits: set[LoopExit] = set()
    start = {(branch, target): _own(branch, target) for target in region.ways_out(branch)}
    for header in region.around(branch):
        parted = _part(region, header, following[header], start)
        arrivals |= parted.arrivals
        divergent = {edge for edge, definition in parted.outside.items() if definition != parted.back}
        if not divergent:
            return arrivals, frozenset(exits), frozenset()
        exits |= {LoopExit(header, *edge) for edge in divergent}
        start = {edge: _own(*edge) if edge in divergent else "uniform exit" for edge in _exits(region, header)}
    parted = _part(region, None, following[None], start)
    apart = len(set(parted.outside.values())) > 1
    return arrivals | dict(parted.arrivals), frozenset(exits), frozenset(parted.outside) if apart else frozenset()


def _exits(region: Region, header: str) -> Iterable[Edge]:
    """The edges out of a loop, those that leave the region as well included."""
    loop = region.loops.loops[header]
    for source in region.dominators.order:
        if source in loop.blocks:
            yield from ((source, target) for target in region.leaving.get(source, ()))
            yield from ((source, target) for target in region.graph.successors[source] if target not in loop.blocks)


def _own(source: str, target: str) -> str:
    return f"{source} -> {target}"


def _part(region: Region, header: str | None, following: Following, start: Mapping[Edge, str]) -> _Parted:
    """Definitions at the edges of one loop (None: the whole region), from those on the edges of a divergent node (listing 4).

    What lies between a block and the block that follows it on every path of this level is passed over where the first dominates
    the second: nothing else comes in between, so there is one definition.
    """
    inside = region.loops.loops[header].blocks if header is not None else frozenset(region.dominators.order)
    arriving: dict[str, dict[str, str]] = {}  # for every block, definitions by predecessor
    outside: dict[Edge, str] = {}
    pending: list[tuple[int, str]] = []

    def push(source: str, target: str, definition: str) -> None:
        if target not in region.graph.successors[source] or target not in inside:
            outside[source, target] = definition
        elif target == header or not region.dominators.dominates(target, source):
            if target not in arriving and target != header:
                heappush(pending, (region.numbers[target], target))
            arriving.setdefault(target, {})[source] = definition

    def passed(label: str) -> str:
        definitions = set(arriving[label].values())
        return definitions.pop() if len(definitions) == 1 else label

    for edge, definition in start.items():
        push(*edge, definition)
    # once all threads come together in one block, they have one definition from there on, and go back to the header with it
    while pending and (len(pending) > 1 or outside or header in arriving):
        label = heappop(pending)[1]
        definition, meeting = passed(label), following.get(label, EXIT)
        if meeting is not None and meeting in inside and region.dominators.dominates(label, meeting):
            for source in region.graph.predecessors[meeting]:
                push(source, meeting, definition)
        else:
            for target in region.ways_out(label):
                push(label, target, definition)
    arrivals = {label: frozenset(found) for label, found in arriving.items() if len(set(found.values())) > 1}
    return _Parted(arrivals, outside, passed(header) if header in arriving else header)
