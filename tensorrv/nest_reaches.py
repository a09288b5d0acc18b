"""What the analysis of a function says about the elements it touches: see `tensorrv.reach`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from rv.ir.instructions import Branch
from rv.ir.types import size_of
from tensorrv.array_uses import deciding_parameters
from tensorrv.nest.model import Access, Condition, Loop, Nests, counter
from tensorrv.nest.polynomial import Polynomial
from tensorrv.reach import Around, KernelReaches, Touch, interval


def reaches(nests: Nests, records: Mapping[str, int]) -> KernelReaches:
    """The function from parameter values to accessed elements, by parameter name.

    `records` are the sizes in bytes of the elements of arrays of structs.
    """
    headers = nests.loops.keys()
    plain = all(not isinstance(b.terminator, Branch) or b.label in headers for b in nests.function.blocks)
    arrays = tuple(p.var.name for p in nests.function.parameters)
    return KernelReaches(arrays, tuple(_touch(nests, a, records.get(a.array.name)) for a in nests.accesses), plain)


def violation(nests: Nests, values: Mapping[str, int]) -> Condition | None:
    """A condition of the analysis that does not hold for these parameters, such as that an unsigned bound does not wrap.

    The C source then runs through billions of iterations, or touches elements that no one can predict.
    """
    conditions = [c for loop in nests.loops.values() for c in loop.conditions] + [c for a in nests.accesses for c in a.conditions]
    for condition in conditions:
        span = interval(condition.polynomial, {}, values)
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
    names = frozenset(symbol.removeprefix("u").removeprefix("%") for symbol in seen if not symbol.startswith("@"))
    parameters = {p.var.name for p in nests.function.parameters}
    closed = all(a.subscripts is not None for a in nests.accesses) and all(loop.trip is not None for loop in nests.loops.values())
    return names if closed and names <= parameters else names | deciding_parameters(nests.function)


def _touch(nests: Nests, access: Access, record: int | None) -> Touch:
    around = tuple(_around(loop, access.block) for loop in reversed(tuple(_outwards(nests, access.block))))
    return Touch(access.array.name, _offset(access), size_of(access.element), record, around)


def _offset(access: Access) -> Polynomial | None:
    if access.subscripts is None:
        return None
    offset = access.subscripts[0]
    for subscript, extent in zip(access.subscripts[1:], access.extents, strict=True):
        offset = offset * extent + subscript
    return offset


def _around(loop: Loop, block: str) -> Around:
    trip = loop.trip
    distance, step = (None, 1) if trip is None else (trip.distance, trip.step)
    return Around(counter(loop.header), distance, step, block == loop.header)


def _outwards(nests: Nests, block: str) -> Iterator[Loop]:
    """The loops around a block, innermost first."""
    header: str | None = nests.innermost.get(block)
    while header is not None:
        loop = nests.loops[header]
        yield loop
        header = loop.parent
