"""Which dependences a brush breaks: the comparison of two schedules, decided exactly by isl for affine accesses.

Original order: counters of the common loops, then textual position. New order: the same with `counter // size` for brushed
loops, since the lanes of one brush run the body in lock step, one instruction after the other. A conflicting pair with
source before sink is violated when new(source) >= new(sink). That happens only if the counters first differ in a brushed
loop and stay within one tile there, so per brushed loop there is one convex set for each loop further in that orders the
pair backwards, and one for pairs in the same brush whose source does not come before the sink in the text.

Distances between the iterations of a pair that follow from single subscripts rule out most sets before isl sees them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from itertools import product
from typing import Final

import islpy as isl

from rv.evolution.facts import Loop, counter
from rv.evolution.polynomial import Polynomial
from rv.ir.types import size_of
from tensorrv.nest.conflict_system import ConflictSystem
from tensorrv.nest.derived import Derived
from tensorrv.nest.model import Access
from tensorrv.nest.quotients import Facts

# counted inside isl, so that the answer does not depend on the machine; a 25-point in-place stencil takes about 20,000
_MOST_OPERATIONS: Final = 2_000_000


Subscripts = tuple[Polynomial | None, ...]


class TooHard(Exception):
    """The proof took more operations than the budget allows."""


@dataclass(frozen=True, slots=True)
class Scheduled:
    """An access with the loops around it inside the region, outermost first, and its place in the text.

    `subscripts` tell elements apart: two accesses of one array can only meet where those are equal that both have. None when
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
    """A pair that the brush runs in the wrong order, with values of parameters and of counters (by symbol) on each side."""

    source: Scheduled
    sink: Scheduled
    parameters: Mapping[str, int]
    source_counters: Mapping[str, int]
    sink_counters: Mapping[str, int]
    at_once: bool


@dataclass(frozen=True, slots=True)
class _Case:
    """Counters first differ in common loop `level`, which is brushed. `back`: the common loop whose new time goes backwards,
    or none.
    """

    level: int
    back: int | None


@dataclass(frozen=True, slots=True)
class Brush:
    """Tile sizes by header; `asserted` are the headers of loops of which the user says that they carry no dependence, `assumed`
    those that carry none that is not certain.
    """

    sizes: Mapping[str, int]
    asserted: frozenset[str] = frozenset()
    assumed: frozenset[str] = frozenset()

    def carried(self, loops: tuple[Loop, ...], *, certain: bool) -> Iterator[int]:
        """The positions of loops that may carry a dependence which this brush breaks; `certain`: for all sizes."""
        answered = self.asserted if certain else self.asserted | self.assumed
        for level, loop in enumerate(loops):
            if self.sizes.get(loop.header, 1) > 1 and loop.header not in answered:
                yield level


def find_violations(
    accesses: tuple[Scheduled, ...], brush: Brush, known: Facts, derived: Derived
) -> Iterator[Violation]:
    """Violated pairs in textual order, for accesses of one array that all have subscripts; raises TooHard.

    `known` are facts `p >= 0` about what is fixed outside the region; `derived` are those about numbers that have no closed form.
    """
    return _conflicts(accesses, _Solver(brush, known, derived).violation)


def find_carried(accesses: tuple[Scheduled, ...], header: str, known: Facts, derived: Derived) -> Iterator[Violation]:
    """Pairs of accesses of one array that touch one element in different iterations of the loop, one of them a store.

    Raises TooHard. Arguments as for `find_violations`.
    """
    solver = _Solver(Brush({}), known, derived)
    return _conflicts(accesses, lambda source, sink: solver.carried(source, sink, header))


def _conflicts(
    accesses: tuple[Scheduled, ...], conflict: Callable[[Scheduled, Scheduled], Violation | None]
) -> Iterator[Violation]:
    """The pairs in textual order, one of them a store, that are in conflict.

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
            violation = conflict(source, sink)
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


def may_break(source: Scheduled, sink: Scheduled, brush: Brush) -> bool:
    """Whether the brush could break a dependence between two accesses of which nothing is known but their loops."""
    return any(True for _ in brush.carried(_common(source, sink), certain=False))


def _common(source: Scheduled, sink: Scheduled) -> tuple[Loop, ...]:
    if source.loops == sink.loops:
        return source.loops
    shared = []
    for left, right in zip(source.loops, sink.loops, strict=False):
        if left.header != right.header:
            break
        shared.append(left)
    return tuple(shared)


class _Solver:
    def __init__(self, brush: Brush, known: Facts, derived: Derived) -> None:
        self.brush = brush
        self.known = known
        self.derived = derived
        self.levels: dict[tuple[tuple[str, ...], bool], tuple[int, ...]] = {}
        self.context = isl.Context()
        self.context.set_max_operations(_MOST_OPERATIONS)

    def violation(self, source: Scheduled, sink: Scheduled) -> Violation | None:
        common = _common(source, sink)
        cases = tuple(self._cases(source, sink, common))
        distances = _distances(source, sink, common) if cases else None
        if distances is None:
            return None
        for case in cases:
            if self._possible(case, common, distances):
                order = partial(self._order, case=case, common=common)
                found = self._first(order, source, sink, at_once=case.back is None)
                if found is not None:
                    return found
        return None

    def carried(self, source: Scheduled, sink: Scheduled, header: str) -> Violation | None:
        """A common element of an earlier iteration of the loop at the source and a later one at the sink."""
        common = _common(source, sink)
        level = next((position for position, loop in enumerate(common) if loop.header == header), None)
        distances = None if level is None else _distances(source, sink, common)
        if level is None or distances is None:
            return None
        if any(distances.get(k, 0) != 0 for k in range(level)) or distances.get(level, 1) <= 0:
            return None

        def later(system: ConflictSystem) -> None:
            for loop in common[:level]:
                system.same_counter(counter(loop.header))
            system.before(counter(header))

        return self._first(later, source, sink, at_once=True)

    def _first(
        self, order: Callable[[ConflictSystem], None], source: Scheduled, sink: Scheduled, *, at_once: bool
    ) -> Violation | None:
        """The pair under the first of the cases that allows one."""
        cases = product(self.derived.fixed, self.derived.each, self.derived.each)
        solutions = (self._solve(order, case, source, sink, at_once) for case in cases)
        return next((solution for solution in solutions if solution is not None), None)

    def _cases(self, source: Scheduled, sink: Scheduled, common: tuple[Loop, ...]) -> Iterator[_Case]:
        certain = not self.brush.assumed or _is_certain(source, sink)
        for level in self._levels(common, certain):
            if source.place >= sink.place and not (source.place == sink.place and source.in_order):
                yield _Case(level, None)
            for back in range(level + 1, len(common)):
                yield _Case(level, back)

    def _levels(self, common: tuple[Loop, ...], certain: bool) -> tuple[int, ...]:
        key = tuple(loop.header for loop in common), certain
        if key not in self.levels:
            self.levels[key] = tuple(self.brush.carried(common, certain=certain))
        return self.levels[key]

    def _size(self, loop: Loop) -> int:
        return self.brush.sizes.get(loop.header, 1)

    def _possible(self, case: _Case, common: tuple[Loop, ...], distances: Mapping[int, int]) -> bool:
        """Whether the known distances (sink - source) allow the case."""
        for position, distance in distances.items():
            size = self._size(common[position])
            if position < case.level:
                fits = distance == 0
            elif position == case.level:
                fits = 0 < distance < size
            elif case.back is None or position < case.back:
                fits = abs(distance) < size
            else:
                fits = position > case.back or distance < 0
            if not fits:
                return False
        return True

    def _solve(
        self,
        order: Callable[[ConflictSystem], None],
        case: tuple[Facts, Facts, Facts],
        source: Scheduled,
        sink: Scheduled,
        at_once: bool,
    ) -> Violation | None:
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
        try:
            point = system.smallest_point(self.context)
        except isl.Error as error:
            raise TooHard from error
        if point is None:
            return None
        return Violation(source, sink, point.parameters, point.source, point.sink, at_once)

    def _order(self, system: ConflictSystem, case: _Case, common: tuple[Loop, ...]) -> None:
        """Source before sink in the original order, and not before it in the new one."""
        for position, loop in enumerate(common[: len(common) if case.back is None else case.back + 1]):
            symbol, size = counter(loop.header), self._size(loop)
            if position < case.level:
                system.same_counter(symbol)
            elif position == case.level:
                system.before(symbol)
                system.same_tile(symbol, size)
            elif position == case.back:
                system.tile_behind(symbol, size)
            else:
                system.same_tile(symbol, size)


def _is_certain(source: Scheduled, sink: Scheduled) -> bool:
    """Whether the iterations that touch one element are equally far apart for all sizes: that is known, not assumed."""
    if None in (*subscripts_of(source), *subscripts_of(sink)):
        return False
    return all(left.distance_from(right) is not None for left, right in _compared(source, sink))


def _distances(source: Scheduled, sink: Scheduled, common: tuple[Loop, ...]) -> Mapping[int, int] | None:
    """Counter differences (sink - source) that equal elements force, by position of the loop; None when no elements are
    equal.
    """
    positions = {counter(loop.header): index for index, loop in enumerate(common)}
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


def _counters(scheduled: Scheduled) -> frozenset[str]:
    return frozenset(counter(loop.header) for loop in scheduled.loops)


def subscripts_of(scheduled: Scheduled) -> Subscripts:
    """The subscripts of an access that is known to have them."""
    assert scheduled.subscripts is not None
    return scheduled.subscripts
