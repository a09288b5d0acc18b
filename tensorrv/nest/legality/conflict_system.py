"""One system of affine constraints over two iterations (source and sink) that touch the same element, and its smallest
solution.

Counters of the region are variables on each side. Everything else, counters of loops around the region included, is fixed
and becomes a parameter; a product of fixed symbols is a parameter of its own, which only loses what relates it to its
factors. A constraint that is not affine after that is left out. So the system holds at least the true solutions: no solution
proves that there is no conflict.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

import islpy as isl

from rv.evolution.polynomial import Monomial, Polynomial, Symbol

Side = Literal["source", "sink"]
_Key = tuple[str, Monomial | tuple[int]]
"""("parameter" | "source" | "sink", symbols) or ("tile" | "sink tile", dimension); ("", ()) is the constant."""


Time = Mapping[Symbol, int]
"""The time of an iteration in one dimension: counters, by symbol, with their factors."""


@dataclass(frozen=True, slots=True)
class Point:
    """A solution: parameters that are single symbols, and the counters of each side, by symbol."""

    parameters: Mapping[Symbol, int]
    source: Mapping[Symbol, int]
    sink: Mapping[Symbol, int]


class ConflictSystem:
    """Constraints collected as rows of coefficients; isl gets them once, when they are solved."""

    def __init__(self, source: frozenset[Symbol], sink: frozenset[Symbol]) -> None:
        self._counters: dict[Side, frozenset[Symbol]] = {"source": source, "sink": sink}
        self._rows: list[tuple[bool, dict[_Key, int]]] = []
        self._index: dict[_Key, None] = {}

    def equal(self, source: Polynomial, sink: Polynomial) -> None:
        """The value on the source side equals the value on the sink side."""
        left, right = self._linear("source", source), self._linear("sink", sink)
        if left is not None and right is not None:
            for key, coefficient in right.items():
                left[key] = left.get(key, 0) - coefficient
            self._add(True, left)

    def nonnegative(self, side: Side, polynomial: Polynomial) -> None:
        row = self._linear(side, polynomial)
        if row is not None:
            self._add(False, row)

    def same_counter(self, symbol: Symbol) -> None:
        self._add(True, {("source", (symbol,)): 1, ("sink", (symbol,)): -1})

    def before(self, symbol: Symbol) -> None:
        """The source's counter is smaller."""
        self._add(False, {("sink", (symbol,)): 1, ("source", (symbol,)): -1, ("", ()): -1})

    def same_time(self, dimension: int, source: Time, sink: Time, size: int) -> None:
        """Both have one value of `time // size`; `dimension` distinguishes such quotients."""
        if size == 1:
            self._add(True, _difference(source, sink))
            return
        self._quotient("source", source, ("tile", (dimension,)), size)
        self._quotient("sink", sink, ("tile", (dimension,)), size)

    def later(self, dimension: int, source: Time, sink: Time, size: int) -> None:
        """The source's `time // size` is larger than the sink's."""
        if size == 1:
            self._add(False, {**_difference(source, sink), ("", ()): -1})
            return
        self._quotient("source", source, ("tile", (dimension,)), size)
        self._quotient("sink", sink, ("sink tile", (dimension,)), size)
        self._add(False, {("tile", (dimension,)): 1, ("sink tile", (dimension,)): -1, ("", ()): -1})

    def earlier(self, source: Time, sink: Time) -> None:
        """The source's time is smaller than the sink's."""
        row = {key: -factor for key, factor in _difference(source, sink).items()}
        self._add(False, {**row, ("", ()): -1})

    def _quotient(self, side: Side, time: Time, quotient: _Key, size: int) -> None:
        rest: dict[_Key, int] = {(side, (symbol,)): factor for symbol, factor in time.items()}
        rest[quotient] = -size
        self._add(False, rest)
        self._add(False, {**{key: -factor for key, factor in rest.items()}, ("", ()): size - 1})
        if all(factor > 0 for factor in time.values()):
            self._add(False, {quotient: 1})

    def _linear(self, side: Side, polynomial: Polynomial) -> dict[_Key, int] | None:
        counters = self._counters[side]
        row: dict[_Key, int] = {}
        for monomial, coefficient in polynomial.terms:
            moving = counters.intersection(monomial)
            if moving and len(monomial) > 1:
                return None
            kind = side if moving else "parameter" if monomial else ""
            row[kind, monomial] = coefficient
        return row

    def _add(self, equality: bool, row: dict[_Key, int]) -> None:
        self._rows.append((equality, row))
        self._index.update(dict.fromkeys(key for key in row if key[0]))

    def has_solutions(self, context: isl.Context) -> bool:
        return not self._solutions(context, self._keys()).is_empty()

    def smallest_point(self, context: isl.Context) -> Point | None:
        """The lexicographically smallest solution, small parameters first; None when there is none."""
        keys = self._keys()
        solutions = self._solutions(context, keys)
        if solutions.is_empty():
            return None
        local, places = isl.LocalSpace.from_space(solutions.get_space()), {key: index for index, key in enumerate(keys)}
        bounded = solutions
        for key in keys:
            if key[0] == "parameter":
                bounded = bounded.add_constraint(_constraint(local, places, False, {key: 1}))
        if bounded.is_empty():
            point = solutions.sample_point()
        else:
            point = bounded.lexmin().sample_point()
        values = [int(point.get_coordinate_val(isl.dim_type.set, index).to_str()) for index in range(len(keys))]
        return _point(dict(zip(keys, values, strict=True)))

    def _keys(self) -> list[_Key]:
        """The unknowns: parameters, then the source's counters, the sink's, the tiles; the order is stable."""
        ranks = {"parameter": 0, "source": 1, "sink": 2, "tile": 3, "sink tile": 4}
        return sorted(self._index, key=lambda key: (ranks[key[0]], key[1]))

    def _solutions(self, context: isl.Context, keys: list[_Key]) -> isl.BasicSet:
        places = {key: index for index, key in enumerate(keys)}
        space = isl.Space.set_alloc(context, 0, len(keys))
        local, solutions = isl.LocalSpace.from_space(space), isl.BasicSet.universe(space)
        for equality, row in self._rows:
            solutions = solutions.add_constraint(_constraint(local, places, equality, row))
        return solutions


def _difference(source: Time, sink: Time) -> dict[_Key, int]:
    row: dict[_Key, int] = {("source", (symbol,)): factor for symbol, factor in source.items()}
    row |= {("sink", (symbol,)): -factor for symbol, factor in sink.items()}
    return row


def _constraint(local: isl.LocalSpace, places: Mapping[_Key, int], equality: bool, row: Mapping[_Key, int]) -> isl.Constraint:
    # out of a local space: one is made of a space only where operations are left, else the binding raises TypeError
    found = (isl.Constraint.equality_alloc if equality else isl.Constraint.inequality_alloc)(local)
    for key, coefficient in row.items():
        if key[0]:
            found = found.set_coefficient_val(isl.dim_type.set, places[key], coefficient)
        else:
            found = found.set_constant_val(coefficient)
    return found


def _point(values: Mapping[_Key, int]) -> Point:
    def of(kind: str) -> dict[Symbol, int]:
        single = {key[0]: value for (k, key), value in values.items() if k == kind and len(key) == 1}
        return {symbol: value for symbol, value in single.items() if isinstance(symbol, Symbol)}

    return Point(of("parameter"), of("source"), of("sink"))
