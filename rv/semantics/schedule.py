"""Greedy runtime schedules: which blocks may run next (thesis, chapter 5, definition 12).

A state offers the blocks that some thread accepts (definition 6): the block that it branched to, or any successor of the last
block where it was passive. Of these may run
- what makes progress (definition 14): a thread branched to it, or no thread that came from one of its predecessors branched
  anywhere, so that no active thread determines the path of the passive ones; and of those
- what is synchronizing (definition 17, with inner loops as wholes, see `rv.semantics.waiting`): no other one
  that makes progress comes to it without another iteration of a loop around it. Blocks that make no progress are not waited for:
  they could not be scheduled instead. Nor are blocks to which threads would go only because they accept any successor, if these
  go back there, or if they may leave a loop here that they would stay in there: otherwise no schedule would lead them out (figure
  5.5).
In control flow that is not reducible a block waits for what reaches it without a back edge. While some thread runs and accepts
a block there is at least one such block.

Termination (section 5.3): the first choice is a block that a thread branched to; when there is none, it is the one that leads to
a return over the fewest back edges. So it never keeps threads in a loop that they do not demand themselves. Other choices may
spin for ever, so a scheduler must take the first one often enough.

Reducible control flow: a back edge leads to a block that does not come later in reverse post-order.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from rv.analysis.cfg.flow import Edges, FlowGraph, flow_graph, reverse_postorder
from rv.analysis.cfg.loops import LoopForest, find_loops
from rv.analysis.cfg.region import whole_region
from rv.ir.function import Function
from rv.semantics.waiting import waited_for

Scheduler = Callable[[Sequence[str]], str]
"""Chooses one of the blocks that may run next; the first one is always a safe choice."""


@dataclass(frozen=True, slots=True)
class Accepting:
    """The next block of a thread that was passive where it branched: any successor."""


@dataclass(frozen=True, slots=True)
class Returned:
    """The next block of a thread that has returned `value`."""

    value: object


Next = str | Accepting | Returned
ACCEPTING = Accepting()


@dataclass(frozen=True, slots=True)
class ControlState:
    """The last block of a thread (None before the entry) and its next one (definition 3)."""

    last: str | None
    next: Next

    def accepts(self, label: str, successors: Edges) -> bool:
        """The control mask (definition 6)."""
        if isinstance(self.next, Accepting):
            return self.last is not None and label in successors[self.last]
        return self.next == label


@dataclass(frozen=True, slots=True)
class ScheduleRules:
    """Which blocks of a function may run next; made by `schedule_rules`."""

    graph: FlowGraph
    order: Mapping[str, int]
    waits: Mapping[str, frozenset[str]]
    loops: LoopForest
    to_return: Mapping[str, int]

    def choices(self, threads: Sequence[ControlState]) -> tuple[str, ...]:
        """The blocks that may run, blocks that threads branched to first; empty when no thread accepts a block."""
        guided = {state.next for state in threads if isinstance(state.next, str)}
        guides = {state.last for state in threads if isinstance(state.next, str)}
        lost = {state.last for state in threads if isinstance(state.next, Accepting) and state.last is not None}
        edges = [(last, target) for last in lost for target in self.graph.successors[last] if self._progresses(target, guides)]
        distance: dict[str, int] = {}
        for last, target in edges:
            found = _edge_cost(self.order, last, target) + self.to_return[target]
            distance[target] = min(found, distance.get(target, found))
        onward = [(last, target) for last, target in edges if self.order[last] < self.order[target]]
        choices = [label for label in guided | distance.keys() if not self._must_wait(label, guided, onward)]
        return tuple(sorted(choices, key=lambda label: (label not in guided, distance.get(label, 0), self.order[label])))

    def _must_wait(self, label: str, guided: Collection[str], onward: Collection[tuple[str, str]]) -> bool:
        """Whether the block waits for one to which a thread has branched, or for one to which lost threads may go on."""
        waits = self.waits[label]
        return not waits.isdisjoint(guided) or any(
            target in waits and not self._leaves(last, target, label) for last, target in onward
        )

    def _leaves(self, last: str, target: str, label: str) -> bool:
        """Whether threads that are lost at `last` can leave a loop for `label` in which they would stay at `target`."""
        if label not in self.graph.successors[last]:
            return False
        return any({last, target} <= loop.blocks and label not in loop.blocks for loop in self.loops.loops.values())

    def _progresses(self, target: str, guides: Collection[str | None]) -> bool:
        """Whether no thread that came from a predecessor of `target` has a guide."""
        return not any(source in guides for source in self.graph.predecessors[target])


def schedule_rules(function: Function) -> ScheduleRules:
    """The rules of a function's control flow."""
    graph = flow_graph(function)
    labels = reverse_postorder(graph)
    order = {label: number for number, label in enumerate(labels)}
    forest = find_loops(function)
    waits = _forward_reaching(graph, order) if forest.irreducible else waited_for(whole_region(graph))
    return ScheduleRules(graph, order, waits, forest, _costs_to_return(graph, order))


def _forward_reaching(graph: FlowGraph, order: Mapping[str, int]) -> Mapping[str, frozenset[str]]:
    """For each block what reaches it without a back edge."""
    reaching: dict[str, frozenset[str]] = {}
    for label in order:
        before = [p for p in graph.predecessors[label] if order[p] < order[label]]
        reaching[label] = frozenset(before).union(*(reaching[p] for p in before))
    return reaching


def _edge_cost(order: Mapping[str, int], source: str, target: str) -> int:
    """One jump; a back edge costs more than any path without one."""
    return 1 if order[source] < order[target] else len(order)


def _costs_to_return(graph: FlowGraph, order: Mapping[str, int]) -> dict[str, int]:
    """The cost of a cheapest path from each block to a block without successors; very high when there is none."""
    cost = {label: len(order) ** 2 if graph.successors[label] else 0 for label in order}
    changed = True
    while changed:
        changed = False
        for label in reversed(list(order)):
            found = min([cost[target] + _edge_cost(order, label, target) for target in graph.successors[label]], default=0)
            if found < cost[label]:
                cost[label], changed = found, True
    return cost


def first_choice(choices: Sequence[str]) -> str:
    """The scheduler that always takes the first block."""
    return choices[0]


def random_scheduler(seed: int) -> Scheduler:
    """A scheduler that takes each block with equal probability; hence it terminates with probability 1 when others do."""
    return random.Random(seed).choice


@dataclass(slots=True)
class RecordedChoices:
    """A scheduler that takes given choices and then always the first block; keeps what it took, and out of how many."""

    given: Sequence[int] = ()
    taken: list[tuple[int, int]] = field(default_factory=list)

    def __call__(self, choices: Sequence[str]) -> str:
        place = len(self.taken)
        choice = self.given[place] if place < len(self.given) else 0
        self.taken.append((choice, len(choices)))
        return choices[choice]


def every_schedule(limit: int = 100) -> Iterator[Scheduler]:
    """Schedulers for repeated runs from one initial state, each of which leads to another greedy schedule, depth first.

    The run with one must have ended before the next one is taken. At most `limit`; every finite schedule of a function without
    passive loops comes if the limit allows.
    """
    given: list[int] | None = []
    while given is not None and limit > 0:
        scheduler = RecordedChoices(given)
        yield scheduler
        limit -= 1
        given = _following(scheduler.taken)


def _following(taken: Sequence[tuple[int, int]]) -> list[int] | None:
    """The choices that come next in lexicographic order: the last one that can be raised is."""
    for place in reversed(range(len(taken))):
        choice, count = taken[place]
        if choice + 1 < count:
            return [*(earlier for earlier, _ in taken[:place]), choice + 1]
    return None
