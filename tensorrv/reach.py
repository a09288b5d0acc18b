"""Which elements of its arrays a kernel touches for given values of its integer parameters.

Interval arithmetic over the closed forms of subscripts and trip counts, with numbers for the parameters: it covers every
access. The interval is exact when every trip count is the same in all iterations of the loops around it and nothing
but loops decides whether an access happens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tensorrv.nest.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Reach:
    """All accessed offsets, in elements, lie in `low .. high`; nothing is accessed when low > high."""

    low: int
    high: int
    exact: bool


NOTHING = Reach(0, -1, True)
Reaches = Callable[[Mapping[str, int]], Mapping[str, Reach | None]]
"""From the values of integer parameters to what each array parameter is accessed at; None where that is unknown."""

Interval = tuple[int, int]


@dataclass(frozen=True, slots=True)
class Around:
    """A loop around an access. `counter` runs through 0, 1, ... while |`step`| times it is below `distance`, which is None for a
    loop that cannot be counted. `tested`: the access also happens in the last test, after all iterations.
    """

    counter: str
    distance: Polynomial | None
    step: int
    tested: bool


@dataclass(frozen=True, slots=True)
class Touch:
    """An access to `width` bytes of the array `array`, `offset` times as many behind its start (None: nothing says where).

    `loops` are those around it, outermost first. `record` is the size in bytes of the structs that the array consists of, of
    which accesses touch parts.
    """

    array: str
    offset: Polynomial | None
    width: int
    record: int | None
    loops: tuple[Around, ...]


@dataclass(frozen=True, slots=True)
class KernelReaches:
    """The function `Reaches` of a kernel whose array parameters are `arrays`, as a value that can be stored.

    `plain`: nothing but loops decides whether an access happens.
    """

    arrays: tuple[str, ...]
    touches: tuple[Touch, ...]
    plain: bool

    def __call__(self, values: Mapping[str, int]) -> Mapping[str, Reach | None]:
        found: dict[str, Reach | None] = dict.fromkeys(self.arrays, NOTHING)
        for touch in self.touches:
            before = found.get(touch.array)
            if before is not None:
                found[touch.array] = _union(before, _in_records(_reach(touch, values, self.plain), touch))
            elif touch.array not in found:
                return {}  # an address that was loaded: nothing is known
        return found


def _union(left: Reach, right: Reach | None) -> Reach | None:
    if right is None or left.low > left.high:
        return right
    if right.low > right.high:
        return left
    return Reach(min(left.low, right.low), max(left.high, right.high), left.exact and right.exact)


def _in_records(reach: Reach | None, touch: Touch) -> Reach | None:
    """Elements of the access as the structs that contain them."""
    if reach is None or touch.record is None or reach.low > reach.high:
        return reach
    return Reach(
        reach.low * touch.width // touch.record, ((reach.high + 1) * touch.width - 1) // touch.record, reach.exact
    )


def _reach(touch: Touch, values: Mapping[str, int], plain: bool) -> Reach | None:
    if touch.offset is None:
        return None
    ranges: dict[str, Interval] = {}
    exact = plain
    for loop in touch.loops:
        if loop.distance is None:
            exact = False
            continue
        span = interval(loop.distance, ranges, values)
        if span is None:
            continue
        if span[1] <= 0 and not loop.tested:
            return NOTHING
        exact = exact and span[0] == span[1]
        ranges[loop.counter] = (0, -(-max(0, span[1]) // abs(loop.step)) - (not loop.tested))
    found = interval(touch.offset, ranges, values)
    return None if found is None else Reach(*found, exact and _separate(touch.offset))


def interval(polynomial: Polynomial, ranges: Mapping[str, Interval], values: Mapping[str, int]) -> Interval | None:
    """The least and greatest value of a sum of monomials, each taken by itself; None when a symbol has no value."""
    low = high = 0
    for monomial, coefficient in polynomial.terms:
        ends = (coefficient, coefficient)
        for symbol in monomial:
            factor = ranges.get(symbol) or _fixed(symbol, values)
            if factor is None:
                return None
            products = [a * b for a in ends for b in factor]
            ends = min(products), max(products)
        low, high = low + ends[0], high + ends[1]
    return low, high


def _fixed(symbol: str, values: Mapping[str, int]) -> Interval | None:
    value = values.get(symbol.removeprefix("u").removeprefix("%"))
    return None if value is None or symbol.startswith("@") else (value, value)


def _separate(polynomial: Polynomial) -> bool:
    """Whether every counter occurs in one factor only, to the first power: then the interval's ends are taken."""
    totals: dict[str, int] = {}
    for monomial, _ in polynomial.terms:
        for symbol in monomial:
            if symbol.startswith("@"):
                totals[symbol] = totals.get(symbol, 0) + 1
    return all(count == 1 for count in totals.values())
