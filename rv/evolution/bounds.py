"""Bounds of closed forms over loop domains, and the run-time conditions that stand in where a bound cannot be proved.

Counters are eliminated innermost first, each replaced by the end of its range that the sign of its coefficient selects (a
step of Fourier-Motzkin elimination per counter); what remains are invariants, which are bounded by the ranges of their types
and by the fact that loops around the place run at least once there. Everything is one-sided: a proof is right, a failure
says nothing.

64-bit invariants are assumed to lie within +-SIZE_LIMIT. Legality checks that at run time wherever it relies on such a
symbol.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import inf
from typing import Final

from rv.evolution.facts import Condition
from rv.evolution.polynomial import Kind, Polynomial, Symbol

SIZE_LIMIT: Final = 2**40

Interval = tuple[float | int, float | int]


@dataclass(frozen=True, slots=True)
class CounterRange:
    """The counter of a loop: 0 <= step * symbol <= distance - 1; without `distance` only the first."""

    symbol: Symbol
    step: int
    distance: Polynomial | None


@dataclass(frozen=True, slots=True)
class Bounds:
    """What is known at one place: the counters of the loops around it, innermost first, and ranges of invariants."""

    counters: tuple[CounterRange, ...]
    facts: tuple[Polynomial, ...]
    ranges: Mapping[Symbol, Interval]
    bits: Mapping[str, int]

    def upper(self, polynomial: Polynomial) -> Polynomial | None:
        """An upper bound over all counters, in invariants; None when a sign is unknown or a counter has no bound."""
        for counter in self.counters:
            slope = polynomial.coefficient(counter.symbol)
            if not slope.terms:
                continue
            if counter.symbol in slope.symbols:
                return None
            rest = polynomial.without([counter.symbol])
            low, high = self.interval(slope)
            if high <= 0:
                polynomial = rest
            elif low >= 0 and counter.distance is not None:
                last = counter.distance - 1
                scaled = slope.scaled_down(counter.step)
                polynomial = rest + (slope if scaled is None else scaled) * last
            else:
                return None
        return None if any(symbol.is_counter for symbol in polynomial.symbols) else polynomial

    def lower(self, polynomial: Polynomial) -> Polynomial | None:
        """A lower bound over all counters, in invariants."""
        negated = self.upper(-polynomial)
        return None if negated is None else -negated

    def interval(self, polynomial: Polynomial) -> Interval:
        """The numbers between which the value lies; counters are at least 0."""
        low: float | int = 0
        high: float | int = 0
        for monomial, coefficient in polynomial.terms:
            product: Interval = (coefficient, coefficient)
            for symbol in monomial:
                product = _times(product, self._range(symbol))
            low, high = low + product[0], high + product[1]
        return low, high

    def proves(self, polynomial: Polynomial) -> bool:
        """Whether `polynomial >= 0` is shown to hold at this place."""
        if self.interval(polynomial)[0] >= 0:
            return True
        low = self.lower(polynomial)
        return low is not None and self._holds(low)

    def obligation(self, polynomial: Polynomial, why: str) -> tuple[Condition, ...] | None:
        """The conditions under which `polynomial >= 0` holds: none when proved; None when no condition can be stated or it
        is never true.
        """
        if self.proves(polynomial):
            return ()
        low = self.lower(polynomial)
        if low is None or self._holds(-low - 1):
            return None
        return (Condition(low, why),)

    def _holds(self, polynomial: Polynomial) -> bool:
        return self.interval(polynomial)[0] >= 0 or any(self.interval(polynomial - fact)[0] >= 0 for fact in self.facts)

    def _range(self, symbol: Symbol) -> Interval:
        if symbol.is_counter:
            return 0, inf
        return self.ranges.get(symbol) or type_range(symbol, self.bits)


def bounds_of(counters: tuple[CounterRange, ...], bits: Mapping[str, int], known: tuple[Polynomial, ...] = ()) -> Bounds:
    """The bounds inside loops with these counters, innermost first: each runs at least once there. `known` are further facts
    >= 0.
    """
    plain = Bounds(counters, (), _refined(known, bits), bits)
    lasts = [plain.upper(c.distance - 1) for c in counters if c.distance is not None]
    facts = (*known, *(last for last in lasts if last is not None))
    return Bounds(counters, facts, _refined(facts, bits), bits)


def type_range(symbol: Symbol, bits: Mapping[str, int]) -> Interval:
    """The range of a symbol by its type."""
    width = bits[symbol.name]
    if symbol.kind is Kind.UNSIGNED:
        return 0, (1 << width) - 1
    return (-SIZE_LIMIT, SIZE_LIMIT) if width == 64 else (-(1 << (width - 1)), (1 << (width - 1)) - 1)


def _refined(facts: Iterable[Polynomial], bits: Mapping[str, int]) -> Mapping[Symbol, Interval]:
    """Ranges of the symbols that stand alone in a fact `a*symbol + b >= 0`."""
    found: dict[Symbol, Interval] = {}
    for fact in facts:
        if not fact.is_affine or len(fact.symbols) != 1:
            continue
        (symbol,) = fact.symbols
        slope = fact.coefficient(symbol).constant_term
        low, high = found.get(symbol) or type_range(symbol, bits)
        if slope > 0:
            low = max(low, -(fact.constant_term // slope))
        else:
            high = min(high, fact.constant_term // -slope)
        found[symbol] = (low, high)
    return found


def _times(left: Interval, right: Interval) -> Interval:
    products = [0 if a == 0 or b == 0 else a * b for a in left for b in right]
    return min(products), max(products)
