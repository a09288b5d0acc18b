"""Which elements of its arrays a kernel touches for given values of its integer parameters.

Interval arithmetic over the closed forms of subscripts and trip counts, with numbers for the parameters: it covers every
access. The interval is exact when every trip count is the same in all iterations of the loops around it and nothing
but loops decides whether an access happens.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from rv.ir.instructions import Branch
from rv.ir.types import size_of
from tensorrv.nest.model import Access, Condition, Loop, Nests, counter
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
class KernelReaches:
    """The function `Reaches` of a kernel, as a value that can be stored.

    `plain`: nothing but loops decides whether an access happens. `records` are the sizes in bytes of the elements of arrays of
    structs, of which accesses touch parts.
    """

    arrays: tuple[str, ...]
    accesses: tuple[Access, ...]
    loops: Mapping[str, Loop]
    innermost: Mapping[str, str]
    plain: bool
    records: Mapping[str, int]

    def __call__(self, values: Mapping[str, int]) -> Mapping[str, Reach | None]:
        found: dict[str, Reach | None] = dict.fromkeys(self.arrays, NOTHING)
        for access in self.accesses:
            name = access.array.name
            before = found.get(name)
            if before is not None:
                found[name] = _union(before, _in_records(_reach(self, access, values), access, self.records.get(name)))
            elif name not in found:
                return {}  # an address that was loaded: nothing is known
        return found


def reaches(nests: Nests, records: Mapping[str, int] | None = None) -> KernelReaches:
    """The function from parameter values to accessed elements, by parameter name; see `KernelReaches`."""
    headers = nests.loops.keys()
    plain = all(not isinstance(b.terminator, Branch) or b.label in headers for b in nests.function.blocks)
    arrays = tuple(p.var.name for p in nests.function.parameters)
    return KernelReaches(arrays, tuple(nests.accesses), dict(nests.loops), dict(nests.innermost), plain, records or {})


def violation(nests: Nests, values: Mapping[str, int]) -> Condition | None:
    """A condition of the analysis that does not hold for these parameters, such as that an unsigned bound does not wrap.

    The C source then runs through billions of iterations, or touches elements that no one can predict.
    """
    conditions = [c for loop in nests.loops.values() for c in loop.conditions] + [c for a in nests.accesses for c in a.conditions]
    for condition in conditions:
        span = _interval(condition.polynomial, {}, values)
        if span is not None and span[0] < 0:
            return condition
    return None


def size_names(nests: Nests) -> frozenset[str]:
    """The variables on which subscripts of accesses, and the trip counts of the loops of their counters, depend."""
    pending = [p for access in nests.accesses for p in (*(access.subscripts or ()), *access.extents)]
    counters = {counter(header): loop for header, loop in nests.loops.items()}
    seen: set[str] = set()
    while pending:
        for symbol in pending.pop().symbols - seen:
            seen.add(symbol)
            loop = counters.get(symbol)
            if loop is not None and loop.trip is not None:
                pending.append(loop.trip.distance)
    return frozenset(symbol.removeprefix("u").removeprefix("%") for symbol in seen if not symbol.startswith("@"))


def _union(left: Reach, right: Reach | None) -> Reach | None:
    if right is None or left.low > left.high:
        return right
    if right.low > right.high:
        return left
    return Reach(min(left.low, right.low), max(left.high, right.high), left.exact and right.exact)


def _in_records(reach: Reach | None, access: Access, size: int | None) -> Reach | None:
    """Elements of the access as the structs that contain them."""
    if reach is None or size is None or reach.low > reach.high:
        return reach
    width = size_of(access.element)
    return Reach(reach.low * width // size, ((reach.high + 1) * width - 1) // size, reach.exact)


def _reach(kernel: KernelReaches, access: Access, values: Mapping[str, int]) -> Reach | None:
    if access.subscripts is None:
        return None
    offset = access.subscripts[0]
    for subscript, extent in zip(access.subscripts[1:], access.extents, strict=True):
        offset = offset * extent + subscript
    ranges: dict[str, Interval] = {}
    exact = kernel.plain
    for loop in _around(kernel, access.block):
        if loop.trip is None:
            exact = False
            continue
        span = _interval(loop.trip.distance, ranges, values)
        if span is None:
            continue
        if span[1] <= 0 and access.block != loop.header:
            return NOTHING
        exact = exact and span[0] == span[1]
        # the header's own accesses also happen in the last test, after all iterations
        last = -(-max(0, span[1]) // abs(loop.trip.step)) - (access.block != loop.header)
        ranges[counter(loop.header)] = (0, last)
    found = _interval(offset, ranges, values)
    return None if found is None else Reach(*found, exact and _separate(offset))


def _around(kernel: KernelReaches, block: str) -> list[Loop]:
    """The loops around a block, outermost first."""
    chain: list[Loop] = []
    header: str | None = kernel.innermost.get(block)
    while header is not None:
        loop = kernel.loops[header]
        chain.insert(0, loop)
        header = loop.parent
    return chain


def _interval(polynomial: Polynomial, ranges: Mapping[str, Interval], values: Mapping[str, int]) -> Interval | None:
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
