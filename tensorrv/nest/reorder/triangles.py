"""Bounds that depend on the variables of loops which are further in now: triangles and trapezoids in another order.

    for (j = 0; j < n; ++j)                  for (i = 0; i < n; ++i)
      for (i = 0; i <= j; ++i)        ->       for (j = i; j < n; ++j)
        body;                                    body;

The iterations of loops that count up by 1, between bounds that change by a constant with each iteration of the loops around them,
are the solutions of linear inequalities over their variables. What is left for a loop, inside of those that are open, are
the inequalities from which the variables further in are eliminated (Fourier and Motzkin; Ancourt and Irigoin, Scanning polyhedra
with DO loops, PPoPP 1991). Every inequality of the source holds inside the last loop that it is about, so that exactly the
iterations of the source run. Further out a loop may have iterations in which those inside are empty.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol, counter, signed
from rv.ir.values import Var
from tensorrv.nest.reorder.bands import Obstacle
from tensorrv.schedule.schedule import Dimension, Schedule

MOST: Final = 64
"""Inequalities that are kept in an elimination."""


@dataclass(slots=True)
class Domain:
    """The iterations of a band, as inequalities `polynomial >= 0` in which the counter of a loop stands for its variable.

    `variables` are those of the loops of the band, and of loops around it. `starts`: where the loops of the band begin, in
    terms of variables; `origins`: where they begin in the first iterations of each other. `holding` is what holds inside the
    loops that are open.
    """

    variables: Mapping[str, Loop]
    starts: Mapping[str, Polynomial]
    origins: Mapping[str, Polynomial]
    inequalities: list[Polynomial]
    holding: list[Polynomial] = field(default_factory=list)

    def is_start_known(self, header: str, opened: Collection[str]) -> bool:
        """Whether a loop begins at a number that only depends on open loops of the band."""
        return not any(factor_of(self.starts[header], other) for other in self.starts.keys() - set(opened))

    def put_in_tile(self, loop: Loop, first: Var, size: int) -> None:
        """The variable of a loop is in the tile that begins with `first`."""
        offset = Polynomial.symbol(counter(loop.header)) - Polynomial.symbol(signed(first.name))
        self.inequalities += [offset, -offset + (size - 1)]

    def bounds(self, loop: Loop, opened: Collection[str]) -> list[tuple[int, Polynomial]]:
        """What holds for the variable of a loop, v, inside of open ones: pairs of a number f and p with `f*v + p >= 0`."""
        symbol = counter(loop.header)
        projected = self.inequalities
        for header in self.starts.keys() - {loop.header, *opened}:
            projected = _without(projected, header)
            if len(projected) > MOST:
                raise Obstacle(f"too many bounds of the {loop.called} depend on each other", loop.span)
        own = [p for p in projected if symbol in p.symbols]
        for p in tuple(own):
            others = [other for other in own if other != p]
            if any(_is_at_least(p - other, known) for other in others for known in self.holding):
                own = others
        return [(factor_of(p, loop.header), p.without([symbol])) for p in own]

    def open(self, loop: Loop, bounds: Iterable[tuple[int, Polynomial]]) -> None:
        """The loop runs between these bounds around what is written next."""
        self.holding += [p + Polynomial.symbol(counter(loop.header)) * factor for factor, p in bounds]


def find_domain(around: Sequence[Loop], loops: Sequence[Loop]) -> Domain:
    """The iterations of a band, given the loops around it, outermost first. Raises Obstacle where bounds are not linear."""
    starts: dict[str, Polynomial] = {}
    counters: dict[Symbol, Polynomial] = {}
    inequalities: list[Polynomial] = []
    for loop in (*around, *loops):
        inside = loop in loops
        if loop.trip is None or loop.start is None or loop.trip.step != 1:
            if inside:
                raise Obstacle(f"bounds depend on other loops, and the {loop.called} does not count up by 1", loop.span)
            continue
        start, distance = loop.start.substitute(counters), loop.trip.distance.substitute(counters)
        own = Polynomial.symbol(counter(loop.header))
        starts[loop.header], counters[counter(loop.header)] = start, own - start
        if inside and not (start.is_affine and distance.is_affine):
            raise Obstacle(f"a bound of the {loop.called} is not a sum of multiples of sizes and variables", loop.span)
        if inside:
            inequalities += [own - start, start + distance - own - 1]
            # elimination treats variables as rational: a projected bound may be below 0, which an unsigned variable cannot hold
            inequalities += [own] if loop.trip.unsigned else []
    mine = {loop.header for loop in loops}
    first = {symbol: Polynomial() if symbol.name in mine else value for symbol, value in counters.items()}
    return Domain(
        {loop.header: loop for loop in (*around, *loops) if loop.header in starts},
        {header: start for header, start in starts.items() if header in mine},
        {loop.header: loop.start.substitute(first) for loop in loops if loop.start is not None},
        _strongest(inequalities),
    )  # fmt: skip


def moved_domain(schedule: Schedule, around: Sequence[Loop], loops: Sequence[Loop]) -> Domain | None:
    """The iterations of a band, if a schedule has a loop outside of one that its bounds depend on. Raises Obstacle."""
    headers = [loop.header for loop in loops]
    outside: set[str] = set()
    for dimension in schedule.dimensions:
        for loop in loops:
            inside = next((one for one in headers if one not in outside and _depends(loop, one)), None)
            if loop.header in dimension.loops and inside is not None:
                if any(d.skew for d in schedule.dimensions):
                    name = loops[headers.index(inside)].name
                    raise Obstacle(f"a bound depends on `{name}`, whose loop would be inside", loop.span)
                return find_domain(around, loops)
        outside |= set(dimension.loops) if dimension.kind == "sequential" else set()
    return None


def by_variables(schedule: Schedule, domain: Domain) -> Schedule:
    """The schedule of loops that run in the order of their variables, for proofs: times are those of counters.

    Where the start of a loop is not known outside of it, its variable is the sum of its counter and multiples of theirs.
    """
    changed: list[Dimension] = []
    outside: set[str] = set()
    for dimension in schedule.dimensions:
        header = dimension.loops[0]
        if header in domain.starts and not domain.is_start_known(header, outside):
            start = domain.variables[header].start or Polynomial()
            skew = tuple((other, factor) for other in domain.starts if (factor := factor_of(start, other)))
            dimension = Dimension(dimension.loops, "skewed", dimension.size, skew)
        changed.append(dimension)
        outside |= {header} if dimension.kind == "sequential" or (dimension.skew and dimension.size == 1) else set()
    return Schedule(tuple(changed))


def _depends(loop: Loop, header: str) -> bool:
    """Whether the bounds of a loop change with the iterations of another one."""
    assert loop.trip is not None
    return any(p is not None and counter(header) in p.symbols for p in (loop.start, loop.trip.distance))


def _is_at_least(one: Polynomial, other: Polynomial) -> bool:
    difference = one.distance_from(other)
    return difference is not None and difference >= 0


def factor_of(polynomial: Polynomial, header: str) -> int:
    """What a loop's counter is multiplied with in a sum."""
    return polynomial.coefficient(counter(header)).as_constant or 0


def _without(inequalities: Sequence[Polynomial], header: str) -> list[Polynomial]:
    """What the inequalities say about the other variables."""
    factors = [(factor_of(p, header), p) for p in inequalities]
    below = [(factor, p) for factor, p in factors if factor > 0]
    above = [(factor, p) for factor, p in factors if factor < 0]
    pairs = (p * -minus + q * plus for plus, p in below for minus, q in above)
    return _strongest([*(p for factor, p in factors if not factor), *pairs])


def _strongest(inequalities: Iterable[Polynomial]) -> list[Polynomial]:
    """Without those that follow from another one, and from none."""
    found: dict[Polynomial, int] = {}
    for p in inequalities:
        rest = p - p.constant_term
        if rest.content:
            # f*(sum) + c >= 0 for integers: sum + c/f rounded down
            scaled, low = rest.scaled_down(rest.content), p.constant_term // rest.content
            assert scaled is not None
            found[scaled] = min(found.get(scaled, low), low)
    return [rest + low for rest, low in found.items()]
