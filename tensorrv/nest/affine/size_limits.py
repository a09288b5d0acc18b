"""Run-time limits on invariants within which closed forms, conditions and footprints are exact in 64 bits.

Code evaluates polynomials modulo 2**64. Within the limits no condition leaves the signed range, so that its sign is right;
outside of them one of the limits itself is false, as its own value cannot wrap around to the other side unnoticed: for s beyond
-2**63 + limit the difference `limit - s` is negative. The limits also bound 64-bit sizes as `bounds` takes them to be.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Final

from rv.evolution.bounds import SIZE_LIMIT, type_range
from rv.evolution.facts import Condition
from rv.evolution.polynomial import Polynomial, Symbol

# by degree: a product of that many sizes, times a small factor, stays below 2**63
_LIMITS: Final = (SIZE_LIMIT, SIZE_LIMIT, 2**30, 2**19, 2**14)
_MOST: Final = 2**63 - 1


def size_limits(conditions: Iterable[Condition], used: Iterable[Polynomial], bits: Mapping[str, int]) -> Iterator[Condition]:
    """Limits for the 64-bit invariants in `used`, and for all others whose products in a condition may overflow."""
    conditions = tuple(conditions)
    limits: dict[Symbol, int] = {}
    for polynomial in used:
        for symbol in _wide(polynomial, bits):
            _lower(limits, symbol, polynomial)
    for condition in conditions:
        if _magnitude(condition.polynomial, bits) > _MOST:
            for symbol in condition.polynomial.symbols:
                _lower(limits, symbol, condition.polynomial)
    for symbol, limit in sorted(limits.items()):
        yield from _limit(symbol, limit, conditions, bits)


def _limit(symbol: Symbol, limit: int, conditions: Iterable[Condition], bits: Mapping[str, int]) -> Iterator[Condition]:
    value = Polynomial.symbol(symbol)
    low, high = type_range(symbol, bits)
    why = f"`{value.readable()}` must be a plausible size"
    if high > limit or bits[symbol.name] == 64:
        yield Condition(-value + limit, why)
    if low < 0 and not any(_bounds_below(c.polynomial, symbol) for c in conditions):
        yield Condition(value + limit, why)


def _bounds_below(polynomial: Polynomial, symbol: Symbol) -> bool:
    """Whether `polynomial >= 0` implies that the symbol is at least some small constant."""
    return polynomial - polynomial.constant_term == Polynomial.symbol(symbol) and abs(polynomial.constant_term) < SIZE_LIMIT


def _wide(polynomial: Polynomial, bits: Mapping[str, int]) -> Iterator[Symbol]:
    return (s for s in polynomial.symbols if not s.is_counter and bits[s.name] == 64)


def _lower(limits: dict[Symbol, int], symbol: Symbol, polynomial: Polynomial) -> None:
    degree = max(sum(not s.is_counter for s in monomial) for monomial, _ in polynomial.terms)
    limit = _LIMITS[min(degree, len(_LIMITS) - 1)]
    limits[symbol] = min(limit, limits.get(symbol, limit))


def _magnitude(polynomial: Polynomial, bits: Mapping[str, int]) -> int:
    total = 0
    for monomial, coefficient in polynomial.terms:
        size = abs(coefficient)
        for symbol in monomial:
            size *= int(max(-type_range(symbol, bits)[0], type_range(symbol, bits)[1]))
        total += size
    return total
