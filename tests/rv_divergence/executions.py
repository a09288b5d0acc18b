"""The dynamic meaning of control divergence: all executions of a region by two threads, of which one branch parts the ways.

Threads that execute a block together take the same successor, except at the divergent branch. Two threads are witnesses enough:
more of them only rule schedules out. A block is executed by all threads that want to, once no other thread can still come to
it without another iteration of a loop around it. Every legal schedule and every outcome of every branch is followed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import product

from rv.analysis.cfg.region import Edge, Region
from rv.analysis.divergence.control_divergence import Effects, LoopExit

Place = tuple[str, str]  # (the block from where, the block to execute next); leaving the region: a block that is none of it
Left = frozenset[LoopExit]


@dataclass(frozen=True, slots=True)
class State:
    """Where the two threads are, the exits over which each has left loops, and the exits taken earlier than the other thread."""

    places: tuple[Place, Place]
    left: tuple[Left, Left] = (frozenset(), frozenset())
    late: Left = frozenset()


@dataclass(slots=True)
class Observed:
    """What some execution shows; `apart`: loops whose values the two threads use outside, from different iterations."""

    arrivals: set[Edge] = field(default_factory=set)
    exits: set[LoopExit] = field(default_factory=set)
    apart: set[str] = field(default_factory=set)
    alone: set[str] = field(default_factory=set)
    leaving: set[Edge] = field(default_factory=set)

    @property
    def joins(self) -> set[str]:
        return {join for _, join in self.arrivals}

    def contained_in(self, effects: Effects) -> bool:
        return (
            self.arrivals <= edges_into_joins(effects)
            and self.exits <= effects.exits
            and self.apart <= {exit.header for exit in effects.exits}
            and self.alone <= effects.predicated
            and self.leaving <= effects.leaving
        )


def edges_into_joins(effects: Effects) -> set[Edge]:
    return {(source, join) for join, sources in effects.arrivals.items() for source in sources}


class Executions:
    """All executions of one region."""

    def __init__(self, region: Region) -> None:
        self.region = region
        self.loops = region.loops.loops
        self.before = {label: self._coming_to(label) for label in region.dominators.order}

    def observe(self, branch: str) -> Observed:
        """What happens when the branch of this block alone is divergent."""
        found = Observed()
        start = State((("", self.region.entry), ("", self.region.entry)))
        seen, pending = {start}, [start]
        while pending:
            for following in self._steps(pending.pop(), branch, found):
                if following not in seen:
                    seen.add(following)
                    pending.append(following)
        return found

    def _coming_to(self, label: str) -> set[str]:
        """The blocks from which a thread comes to a block, without a back edge to another header of a loop around it."""
        around = set(self.region.around(label)) - {label}
        found: set[str] = set()
        pending = [label]
        while pending:
            here = pending.pop()
            for p in self.region.graph.predecessors[here]:
                again = here in around and p in self.loops[here].blocks
                if not again and p not in found:
                    found.add(p)
                    pending.append(p)
        return found

    def waits(self, label: str, place: Place) -> bool:
        """Whether a block has to wait for the thread at a place."""
        source, target = place
        if target == label or self._gone(place):
            return False
        iterated = target in self.loops and source in self.loops[target].blocks and label in self.loops[target].blocks
        return not iterated and target in self.before[label]

    def _gone(self, place: Place) -> bool:
        source, target = place
        return target == "" or (source != "" and target not in self.region.graph.successors[source])

    def _steps(self, state: State, branch: str, found: Observed) -> Iterator[State]:
        pending = [place for place in state.places if not self._gone(place)]
        if not pending:
            edges = {place for place in state.places if place[1] != ""}
            if len(set(state.places)) == 2:
                found.leaving |= edges
            return
        ready = {place[1] for place in pending if not any(self.waits(place[1], other) for other in state.places)}
        assert ready, state
        for label in ready:
            running = [not self._gone(place) and place[1] == label for place in state.places]
            self._note(state, label, running, found)
            ways = self.region.ways_out(label) or ("",)
            for choice in product(ways, repeat=2):
                if all(running) and label != branch and choice[0] != choice[1]:
                    continue
                places = tuple((label, choice[t]) if running[t] else state.places[t] for t in (0, 1))
                yield self._moved(state, label, running, (places[0], places[1]))

    def _note(self, state: State, label: str, running: list[bool], found: Observed) -> None:
        if not all(running):
            found.alone.add(label)
            return
        first, second = (place[0] for place in state.places)
        if first != second:
            found.arrivals |= {(first, label), (second, label)}
        outside = {exit for exit in state.late if label not in self.loops[exit.header].blocks}
        found.apart |= {exit.header for exit in outside}
        for header in {exit.header for exit in outside}:
            if first == second and first in self.loops[header].blocks:
                found.exits.add(LoopExit(header, first, label))

    def _moved(self, state: State, label: str, running: list[bool], places: tuple[Place, Place]) -> State:
        left, late = list(state.left), state.late
        if label in self.loops:
            sources = [state.places[t][0] for t in (0, 1) if running[t]]
            iterated = sources[0] in self.loops[label].blocks
            if iterated and not all(running):
                late |= {exit for exit in left[running.index(False)] if exit.header == label}
            # a loop that is entered, and the loops inside one that is iterated, start afresh
            afresh = self.loops[label].blocks - ({label} if iterated else set())
            left = [frozenset(exit for exit in each if exit.header not in afresh) for each in left]
            late = frozenset(exit for exit in late if exit.header not in afresh)
        for t in (0, 1):
            for header in self.region.around(label) if running[t] else ():
                if places[t][1] not in self.loops[header].blocks or self._gone(places[t]):
                    left[t] |= {LoopExit(header, *places[t])}
        return State(places, (left[0], left[1]), late)
