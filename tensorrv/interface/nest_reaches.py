"""Facts about the values of a function's parameters from its analysis: which are sizes, and which values cannot be run."""

from __future__ import annotations

from collections.abc import Mapping

from rv.evolution.facts import Condition
from rv.evolution.polynomial import Polynomial, Symbol, counter
from tensorrv.interface.array_uses import deciding_parameters
from tensorrv.nest.model import Nests


def violation(nests: Nests, values: Mapping[str, int]) -> Condition | None:
    """A condition of the analysis that does not hold for these parameters, such as that an unsigned bound does not wrap.

    The C source then runs through billions of iterations, or touches elements that no one can predict.
    """
    conditions = [c for loop in nests.loops.values() for c in loop.conditions] + [c for a in nests.accesses for c in a.conditions]
    for condition in conditions:
        value = _value(condition.polynomial, values)
        if value is not None and value < 0:
            return condition
    return None


def size_names(nests: Nests) -> frozenset[str]:
    """The variables on which subscripts of accesses, and the trip counts of the loops of their counters, depend."""
    pending = [p for access in nests.accesses for p in (*(access.subscripts or ()), *access.extents)]
    counters = {counter(header): loop for header, loop in nests.loops.items()}
    seen: set[Symbol] = set()
    while pending:
        for symbol in pending.pop().symbols - seen:
            seen.add(symbol)
            loop = counters.get(symbol)
            if loop is not None and loop.trip is not None:
                pending.append(loop.trip.distance)
    names = frozenset(symbol.name for symbol in seen if not symbol.is_counter)
    parameters = {p.var.name for p in nests.function.parameters}
    closed = all(a.subscripts is not None for a in nests.accesses) and all(loop.trip is not None for loop in nests.loops.values())
    return names if closed and names <= parameters else names | deciding_parameters(nests.function)


def _value(polynomial: Polynomial, values: Mapping[str, int]) -> int | None:
    """The value of a polynomial over parameters; None when a symbol is none of them."""
    if not all(symbol.is_variable and symbol.name in values for symbol in polynomial.symbols):
        return None
    return polynomial.valued(values)
