"""Which dependences a schedule breaks: its comparison with the order of the source, decided exactly by isl for affine accesses.

The new time of an iteration is defined by `tensorrv.schedule`; accesses at one time execute one instruction after the other, in
textual order. A conflicting pair with source before sink is violated when new(source) >= new(sink): there is one convex set for
each way in which that can happen (`tensorrv.schedule.comparison`).

Distances between the iterations of a pair that follow from single subscripts rule out most sets before isl is used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final

import islpy as isl

from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol, counter
from rv.ir.types import size_of
from tensorrv.nest.affine.derived import Derived
from tensorrv.nest.affine.quotients import Facts
from tensorrv.nest.legality.conflict_system import ConflictSystem
from tensorrv.nest.model import Access
from tensorrv.schedule.comparison import Step, Way, common_loops, ways_to_differ
from tensorrv.schedule.schedule import Schedule

# counted inside isl, so that the answer does not depend on the machine; a 25-point in-place stencil takes about 20,000
MOST_OPERATIONS: Final = 2_000_000


Subscripts = tuple[Polynomial | None, ...]


class TooHard(Exception):
    """The proof took more operations than the budget allows."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """An access with the loops around it inside the region, outermost first, and its place in the text.

    `subscripts` distinguish elements: two accesses of one array can only conflict where those are equal that both have. None when
    nothing is known. `in_order`: the lanes of a brush execute this store one after the other, in the order of iterations.
    """

    access: Access
    loops: tuple[Loop, ...]
    place: tuple[int, int]
    subscripts: Subscripts | None
    in_order: bool = False

    def domain(self) -> Iterator[Polynomial]:
        """Conditions p >= 0 for the counters."""
        for loop in self.loops:
            yield from loop.domain


@dataclass(frozen=True, slots=True)
class Violation:
    """A pair that the schedule runs in the wrong order, with values of parameters and of counters (by symbol) on each side."""

    source: Scheduled
    sink: Scheduled
    parameters: Mapping[Symbol, int]
    source_counters: Mapping[Symbol, int]
    sink_counters: Mapping[Symbol, int]
    at_once: bool


@dataclass(frozen=True, slots=True)
class Promises:
    """Headers of loops that are declared to carry no dependence, and of those declared to carry none that is not certain."""

    asserted: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()


Meetings = dict[tuple[int, int, int | None], bool]
"""Whether accesses of one array touch the same element in different iterations of a loop around both: by their numbers, and its
number from outside; None: in one iteration of all of these. That does not depend on a schedule.
"""


def find_violations(
    accesses: tuple[Scheduled, ...],
    schedule: Schedule,
    promises: Promises,
    known: Facts,
    derived: Derived,
    meetings: Meetings | None = None,
) -> Iterator[Violation]:
    """Pairs that the schedule runs in the wrong order, in textual order, for accesses of one array that all have subscripts.

    `known` are facts `p >= 0` about what is fixed outside the region; `derived` are those about numbers that have no closed form.
    `meetings` are kept for other schedules of these accesses. Raises TooHard.
    """
    return _conflicts(accesses, _Solver(schedule, promises, known, derived, {} if meetings is None else meetings))


def _conflicts(accesses: tuple[Scheduled, ...], solver: _Solver) -> Iterator[Violation]:
    """The violated pairs in textual order, one of them a store.

    Accesses of one element in the same loops differ in their places alone, so one pair of them for each order is enough.
    Those at different constant subscripts never meet.
    """
    numbers: dict[object, int] = {}
    found = [(s, numbers.setdefault(_alike(s), len(numbers)), s.access.kind == "store") for s in accesses]
    fixed = _fixed_subscripts(accesses)
    meeting: dict[tuple[int, ...], list[tuple[Scheduled, int, bool]]] = {}
    for place, entry in zip(fixed, found, strict=True):
        meeting.setdefault(place, []).append(entry)
    cleared: set[tuple[int, int, int]] = set()
    for place, (source, first, stores) in zip(fixed, found, strict=True):
        for sink, second, stores_too in meeting[place]:
            pair = (first, second, (source.place > sink.place) - (source.place < sink.place))
            if pair in cleared or not (stores or stores_too):
                continue
            cleared.add(pair)
            violation = solver.violation(source, sink, (first, second))
            if violation is not None:
                yield violation


def _fixed_subscripts(accesses: tuple[Scheduled, ...]) -> list[tuple[int, ...]]:
    """The values of the subscripts that are constants in all accesses, of which the last one counts elements of one size."""
    rows = [subscripts_of(scheduled) for scheduled in accesses]
    columns = list(zip(*rows, strict=True))
    sizes = {size_of(scheduled.access.element) for scheduled in accesses}
    values = [[s and s.as_constant for s in column] for column in (columns if len(sizes) < 2 else columns[:-1])]
    constant = [[v for v in column if v is not None] for column in values if None not in column]
    return list(zip(*constant, strict=True)) if constant else [() for _ in accesses]


def _alike(scheduled: Scheduled) -> object:
    access, headers = scheduled.access, tuple(loop.header for loop in scheduled.loops)
    return scheduled.subscripts, scheduled.in_order, access.extents, access.element, headers


def may_break(source: Scheduled, sink: Scheduled, schedule: Schedule, promises: Promises) -> bool:
    """Whether the schedule could break a dependence between two accesses of which nothing is known but their loops."""
    carrying = frozenset(_headers(source)) - promises.asserted - promises.assumed
    return any(True for _ in ways_to_differ(schedule, _headers(source), _headers(sink), carrying))


def _headers(scheduled: Scheduled) -> tuple[str, ...]:
    return tuple(loop.header for loop in scheduled.loops)


class _Solver:
    def __init__(
        self, schedule: Schedule, promises: Promises, known: Facts, derived: Derived, meetings: Meetings
    ) -> None:
        self.schedule = schedule
        self.numbers = {dimension: number for number, dimension in enumerate(schedule.dimensions)}
        self.promises = promises
        self.known = known
        self.derived = derived
        self.meetings = meetings
        self.ways: dict[tuple[tuple[str, ...], tuple[str, ...], bool], tuple[Way, ...]] = {}
        self.context = isl.Context()
        self.context.set_max_operations(MOST_OPERATIONS)

    def violation(self, source: Scheduled, sink: Scheduled, pair: tuple[int, int]) -> Violation | None:
        """A conflict of two accesses, which have these numbers."""
        ways = tuple(way for way in self._ways(source, sink) if _can_be(way, source, sink))
        common = common_loops(_headers(source), _headers(sink)) if ways else ()
        distances = _distances(source, sink, common) if ways else None
        if distances is None:
            return None
        for way in ways:
            if _possible(way, common, distances) and self._meet(source, sink, (*pair, way.level), common):
                found = self._first(partial(self._order, way=way, common=common), source, sink, at_once=_at_once(way))
                if found is not None:
                    return found
        return None

    def _meet(
        self, source: Scheduled, sink: Scheduled, key: tuple[int, int, int | None], common: tuple[str, ...]
    ) -> bool:
        """Whether two accesses touch one element, in the iterations that `Meetings` says."""
        if key not in self.meetings:
            order = partial(_in_original_order, level=key[2], common=common)
            systems = (self._system(order, case, source, sink) for case in self._cases())
            try:
                self.meetings[key] = any(system.has_solutions(self.context) for system in systems)
            except isl.Error as error:
                raise TooHard from error
        return self.meetings[key]

    def _cases(self) -> Iterator[tuple[Facts, Facts, Facts]]:
        return product(self.derived.fixed, self.derived.each, self.derived.each)

    def _first(
        self, order: Callable[[ConflictSystem], None], source: Scheduled, sink: Scheduled, *, at_once: bool
    ) -> Violation | None:
        """The pair under the first of the cases that allows one."""
        solutions = (self._solve(order, case, source, sink, at_once) for case in self._cases())
        return next((solution for solution in solutions if solution is not None), None)

    def _ways(self, source: Scheduled, sink: Scheduled) -> tuple[Way, ...]:
        left, right = _headers(source), _headers(sink)
        certain = not self.promises.assumed or _is_certain(source, sink)
        key = left, right, certain
        if key not in self.ways:
            answered = self.promises.asserted if certain else self.promises.asserted | self.promises.assumed
            self.ways[key] = tuple(ways_to_differ(self.schedule, left, right, frozenset(left) - answered))
        return self.ways[key]

    def _solve(
        self,
        order: Callable[[ConflictSystem], None],
        case: tuple[Facts, Facts, Facts],
        source: Scheduled,
        sink: Scheduled,
        at_once: bool,
    ) -> Violation | None:
        try:
            point = self._system(order, case, source, sink).smallest_point(self.context)
        except isl.Error as error:
            raise TooHard from error
        if point is None:
            return None
        return Violation(source, sink, point.parameters, point.source, point.sink, at_once)

    def _system(
        self, order: Callable[[ConflictSystem], None], case: tuple[Facts, Facts, Facts], source: Scheduled, sink: Scheduled
    ) -> ConflictSystem:
        """`case`: what is fixed, what is computed in the source's iteration, and in the sink's."""
        inside = self.derived.inside
        system = ConflictSystem(_counters(source) | inside, _counters(sink) | inside)
        for left, right in _compared(source, sink):
            system.equal(left, right)
        for polynomial in (*source.domain(), *case[1]):
            system.nonnegative("source", polynomial)
        for polynomial in (*sink.domain(), *case[2]):
            system.nonnegative("sink", polynomial)
        for polynomial in (*self.known, *case[0], *(e - 1 for e in source.access.extents)):
            system.nonnegative("source", polynomial)
        order(system)
        return system

    def _order(self, system: ConflictSystem, way: Way, common: tuple[str, ...]) -> None:
        """Source before sink in the original order, and not before it in the new one."""
        _in_original_order(system, way.level, common)
        for step in way.equal:
            system.same_time(self.numbers[step.dimension], *_times(step), step.dimension.size)
        if way.back is None or way.back.dimension.kind == "apart":
            return
        if way.relation == "earlier":
            system.earlier(*_times(way.back))
        else:
            system.later(self.numbers[way.back.dimension], *_times(way.back), way.back.dimension.size)


def _in_original_order(system: ConflictSystem, level: int | None, common: tuple[str, ...]) -> None:
    """The source in an earlier iteration of the common loop `level`; None: in the same one of all of them."""
    for loop in common[:level]:
        system.same_counter(counter(loop))
    if level is not None:
        system.before(counter(common[level]))


def _times(step: Step) -> tuple[Mapping[Symbol, int], Mapping[Symbol, int]]:
    """The times of the source and of the sink in a dimension, before they are divided by its size."""
    return _time(step, step.source), _time(step, step.sink)


def _time(step: Step, own: str) -> Mapping[Symbol, int]:
    factors = {counter(own): 1}
    for loop, factor in step.dimension.skew:
        factors[counter(loop)] = factors.get(counter(loop), 0) + factor
    return factors


def _can_be(way: Way, source: Scheduled, sink: Scheduled) -> bool:
    """Whether the places in the text allow a way: where counters do not differ the source stands first, at once it does not."""
    if way.level is None:
        return source.place < sink.place
    return way.back is not None or source.place > sink.place or (source.place == sink.place and not source.in_order)


def _at_once(way: Way) -> bool:
    """Whether both iterations run at once, or in no order."""
    return way.back is None or way.back.dimension.kind == "parallel"


def _possible(way: Way, common: tuple[str, ...], distances: Mapping[int, int]) -> bool:
    """Whether the known distances (sink - source), by position of the common loop, allow a pair."""
    for position, distance in distances.items():
        if position == way.level and distance <= 0:
            return False
        if (way.level is None or position < way.level) and distance != 0:
            return False
    return all(_allows(step, distances[position]) for step, position in _plain(way.equal, common) if position in distances) and (
        way.back is None
        or all(_sets_back(way, distances[p]) for _, p in _plain((way.back,), common) if p in distances)
    )


def _plain(steps: Iterable[Step], common: tuple[str, ...]) -> Iterator[tuple[Step, int]]:
    """The steps along one common loop, with its position."""
    for step in steps:
        if step.source == step.sink and step.source in common and not step.dimension.skew:
            yield step, common.index(step.source)


def _allows(step: Step, distance: int) -> bool:
    """Whether iterations so far apart can have the same time."""
    return abs(distance) < step.dimension.size


def _sets_back(way: Way, distance: int) -> bool:
    """Whether iterations so far apart can be in the wrong order."""
    return distance > 0 if way.relation == "earlier" else distance < 0


def _is_certain(source: Scheduled, sink: Scheduled) -> bool:
    """Whether the iterations that touch one element are equally far apart for all sizes: that is known, not assumed."""
    if None in (*subscripts_of(source), *subscripts_of(sink)):
        return False
    return all(left.distance_from(right) is not None for left, right in _compared(source, sink))


def _distances(source: Scheduled, sink: Scheduled, common: tuple[str, ...]) -> Mapping[int, int] | None:
    """Counter differences (sink - source) that equal elements force, by position of the loop; None when no elements are
    equal.
    """
    positions = {counter(loop): index for index, loop in enumerate(common)}
    moving = {counter(loop.header) for loop in (*source.loops, *sink.loops)}
    found: dict[int, int] = {}
    if _in_other_members(source, sink):
        return None
    for left, right in _compared(source, sink):
        constant = left.distance_from(right)
        if constant is None:
            continue
        symbols = sorted(moving & left.symbols)
        if not symbols:
            if constant != 0:
                return None
            continue
        slope = left.coefficient(symbols[0]).as_constant
        if len(symbols) > 1 or symbols[0] not in positions or not slope:
            continue
        position = positions[symbols[0]]
        if constant % slope or found.setdefault(position, constant // slope) != constant // slope:
            return None
    return found


def _compared(source: Scheduled, sink: Scheduled) -> Iterator[tuple[Polynomial, Polynomial]]:
    """The subscripts that are equal where two accesses meet: inside a struct, those of elements of other sizes need not be."""
    same = size_of(source.access.element) == size_of(sink.access.element)
    left, right = subscripts_of(source), subscripts_of(sink)
    for one, other in zip(left, right, strict=True) if same else zip(left[:-1], right[:-1], strict=True):
        if one is not None and other is not None:
            yield one, other


def _in_other_members(left: Scheduled, right: Scheduled) -> bool:
    """Whether two accesses with elements of different sizes are at fixed places of a struct that do not overlap."""
    first, second = size_of(left.access.element), size_of(right.access.element)
    low, other = (_last(scheduled) for scheduled in (left, right))
    if first == second or low is None or other is None:
        return False
    return (low + 1) * first <= other * second or (other + 1) * second <= low * first


def _last(scheduled: Scheduled) -> int | None:
    """The innermost subscript, when it is a number."""
    found = subscripts_of(scheduled)[-1]
    return None if found is None else found.as_constant


def _counters(scheduled: Scheduled) -> frozenset[Symbol]:
    return frozenset(counter(loop.header) for loop in scheduled.loops)


def subscripts_of(scheduled: Scheduled) -> Subscripts:
    """The subscripts of an access that is known to have them."""
    assert scheduled.subscripts is not None
    return scheduled.subscripts
