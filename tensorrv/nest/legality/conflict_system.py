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
    """Constraints collected as rows of coefficients; isl gets them once, in `smallest_point`."""

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

    def smallest_point(self, context: isl.Context) -> Point | None:
        """The lexicographically smallest solution, small parameters first; None when there is none."""
        # stable: parameters, then the source's counters, the sink's, the tiles
        ranks = {"parameter": 0, "source": 1, "sink": 2, "tile": 3, "sink tile": 4}
        keys = sorted(self._index, key=lambda key: (ranks[key[0]], key[1]))
        names = {key: f"v{index}" for index, key in enumerate(keys)}
        space = isl.Space.create_from_names(context, set=list(names.values()))
        solutions = isl.BasicSet.universe(space)
        for equality, row in self._rows:
            solutions = solutions.add_constraint(_constraint(space, names, equality, row))
        if solutions.is_empty():
            return None
        bounded = solutions
        for key in keys:
            if key[0] == "parameter":
                bounded = bounded.add_constraint(_constraint(space, names, False, {key: 1}))
        if bounded.is_empty():
            point = solutions.sample_point()
        else:
            point = bounded.lexmin().sample_point()
        values = [int(point.get_coordinate_val(isl.dim_type.set, index).to_str()) for index in range(len(keys))]
        return _point(dict(zip(keys, values, strict=True)))


def _difference(source: Time, sink: Time) -> dict[_Key, int]:
    row: dict[_Key, int] = {("source", (symbol,)): factor for symbol, factor in source.items()}
    row |= {("sink", (symbol,)): -factor for symbol, factor in sink.items()}
    return row


def _constraint(space: isl.Space, names: Mapping[_Key, str], equality: bool, row: Mapping[_Key, int]) -> isl.Constraint:
    coefficients: dict[str | Literal[1], isl.Val | int] = {
        (names[key] if key[0] else 1): coefficient for key, coefficient in row.items()
    }
    make = isl.Constraint.eq_from_names if equality else isl.Constraint.ineq_from_names
    return make(space, coefficients)


def _point(values: Mapping[_Key, int]) -> Point:
    def of(kind: str) -> dict[Symbol, int]:
        single = {key[0]: value for (k, key), value in values.items() if k == kind and len(key) == 1}
        return {symbol: value for symbol, value in single.items() if isinstance(symbol, Symbol)}

    return Point(of("parameter"), of("source"), of("sink"))
