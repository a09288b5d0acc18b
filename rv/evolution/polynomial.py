"""Integer polynomials over loop counters and parameters: the closed forms of subscripts, bounds and trip counts.

A polynomial stands for an exact (unbounded) integer: where one is built it has been shown that the machine's arithmetic does not
wrap, or that wrapping modulo 2**64 does not matter (addresses). Symbols are ordered by kind and name, and so are terms.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import IntEnum
from math import gcd
from typing import NamedTuple


class Kind(IntEnum):
    """What a symbol is: an SSA variable read as a number with or without sign, a loop's counter (0, 1, 2, ... in every execution
    of the loop), the quotient that belongs to a remainder of the program, or a parameter in a declaration.
    """

    QUOTIENT = 0
    SIGNED = 1
    COUNTER = 2
    UNSIGNED = 3
    DECLARED = 4
    __hash__ = int.__hash__  # Enum's is slower


class Symbol(NamedTuple):
    """An unknown integer. `name` is that of the variable, of the loop's header block, of the remainder or of the parameter."""

    kind: Kind
    name: str

    @property
    def is_counter(self) -> bool:
        return self.kind is _COUNTER

    @property
    def is_variable(self) -> bool:
        return self.kind is _SIGNED or self.kind is _UNSIGNED

    @property
    def source_name(self) -> str:
        """How the user calls it."""
        return self.name.partition(".")[0]

    def __str__(self) -> str:
        return f"{_SIGILS[self.kind]}{self.name}"


_SIGNED, _UNSIGNED, _COUNTER, _QUOTIENT, _DECLARED = Kind.SIGNED, Kind.UNSIGNED, Kind.COUNTER, Kind.QUOTIENT, Kind.DECLARED
_SIGILS = {_SIGNED: "%", _UNSIGNED: "u%", _COUNTER: "@", _QUOTIENT: "#", _DECLARED: ""}

Monomial = tuple[Symbol, ...]  # sorted symbols, repeated for powers; () is the constant


def signed(name: str) -> Symbol:
    """A variable, read as a signed number."""
    return Symbol(_SIGNED, name)


def unsigned(name: str) -> Symbol:
    """A variable, read as a number without sign."""
    return Symbol(_UNSIGNED, name)


def counter(header: str) -> Symbol:
    """The counter of the loop with this header block."""
    return Symbol(_COUNTER, header)


def quotient(remainder: str) -> Symbol:
    """What is divided out where the program computes this remainder."""
    return Symbol(_QUOTIENT, remainder)


def declared(parameter: str) -> Symbol:
    """A parameter, in the length of an array as it is declared."""
    return Symbol(_DECLARED, parameter)


@dataclass(frozen=True, slots=True)
class Polynomial:
    """A sum of `coefficient * product of symbols`, sorted by monomial, without zero coefficients."""

    terms: tuple[tuple[Monomial, int], ...] = ()

    @staticmethod
    def of(terms: Mapping[Monomial, int]) -> Polynomial:
        """The polynomial with these coefficients."""
        return Polynomial(tuple(sorted([(m, c) for m, c in terms.items() if c])))

    @staticmethod
    def constant(value: int) -> Polynomial:
        return Polynomial((((), value),)) if value else Polynomial()

    @staticmethod
    def symbol(symbol: Symbol) -> Polynomial:
        return Polynomial((((symbol,), 1),))

    def __add__(self, other: Polynomial | int) -> Polynomial:
        total = dict(self.terms)
        for monomial, coefficient in _as_polynomial(other).terms:
            total[monomial] = total.get(monomial, 0) + coefficient
        return Polynomial.of(total)

    def __neg__(self) -> Polynomial:
        return Polynomial(tuple([(monomial, -coefficient) for monomial, coefficient in self.terms]))

    def __sub__(self, other: Polynomial | int) -> Polynomial:
        return self + -_as_polynomial(other)

    def __mul__(self, other: Polynomial | int) -> Polynomial:
        total: dict[Monomial, int] = {}
        factors = _as_polynomial(other).terms
        for left, a in self.terms:
            for right, b in factors:
                monomial = tuple(sorted(left + right)) if left and right else left + right
                total[monomial] = total.get(monomial, 0) + a * b
        return Polynomial.of(total)

    @property
    def symbols(self) -> frozenset[Symbol]:
        return frozenset(symbol for monomial, _ in self.terms for symbol in monomial)

    @property
    def constant_term(self) -> int:
        return self._split()[0]

    @property
    def as_constant(self) -> int | None:
        """The value when no symbol occurs, else None."""
        low, others = self._split()
        return None if others else low

    @property
    def is_affine(self) -> bool:
        return all(len(monomial) <= 1 for monomial, _ in self.terms)

    def distance_from(self, other: Polynomial) -> int | None:
        """`self - other` when it is a constant, else None."""
        (low, own), (below, others) = self._split(), other._split()
        return low - below if own == others else None

    def _split(self) -> tuple[int, tuple[tuple[Monomial, int], ...]]:
        """The constant term, which is sorted first, and the others."""
        return (self.terms[0][1], self.terms[1:]) if self.terms and not self.terms[0][0] else (0, self.terms)

    def coefficient(self, symbol: Symbol) -> Polynomial:
        """What `symbol` is multiplied with where it occurs to the first power: d(self)/d(symbol) if it is linear."""
        total: dict[Monomial, int] = {}
        for monomial, value in self.terms:
            if symbol in monomial:
                rest = list(monomial)
                rest.remove(symbol)
                total[tuple(rest)] = total.get(tuple(rest), 0) + value
        return Polynomial.of(total)

    def without(self, symbols: Iterable[Symbol]) -> Polynomial:
        """The terms in which none of `symbols` occurs."""
        dropped = frozenset(symbols)
        return Polynomial(tuple((m, c) for m, c in self.terms if not dropped.intersection(m)))

    def substitute(self, bindings: Mapping[Symbol, Polynomial]) -> Polynomial:
        """The polynomial with symbols replaced."""
        total = Polynomial()
        for monomial, coefficient in self.terms:
            product = Polynomial.constant(coefficient)
            for symbol in monomial:
                product = product * bindings.get(symbol, Polynomial.symbol(symbol))
            total = total + product
        return total

    @property
    def degree(self) -> int:
        """The largest number of symbols in one product."""
        return max((len(monomial) for monomial, _ in self.terms), default=0)

    @property
    def content(self) -> int:
        """The greatest common divisor of the coefficients; 0 for the zero polynomial."""
        return gcd(*(coefficient for _, coefficient in self.terms))

    def scaled_down(self, divisor: int) -> Polynomial | None:
        """The polynomial divided by an integer, None when a coefficient is no multiple of it."""
        if any(coefficient % divisor for _, coefficient in self.terms):
            return None
        return Polynomial(tuple((m, c // divisor) for m, c in self.terms))

    def divided_by(self, divisor: Polynomial) -> tuple[Polynomial, Polynomial]:
        """Quotient and remainder with self = quotient * divisor + remainder.

        Multivariate division by the divisor's leading term in the graded order: no term of the remainder is a multiple of
        that term (Cox, Little, O'Shea: Ideals, Varieties, and Algorithms, section 2.3). The divisor is not zero.
        """
        lead, factor = max(divisor.terms, key=lambda term: (len(term[0]), term[0]))
        quotient, remainder, rest = Polynomial(), Polynomial(), self
        while rest.terms:
            monomial, coefficient = max(rest.terms, key=lambda term: (len(term[0]), term[0]))
            cofactor = _without_factor(monomial, lead)
            if cofactor is not None and coefficient % factor == 0:
                part = Polynomial.of({cofactor: coefficient // factor})
                quotient, rest = quotient + part, rest - part * divisor
            else:
                part = Polynomial.of({monomial: coefficient})
                remainder, rest = remainder + part, rest - part
        return quotient, remainder

    def evaluate(self, value_of: Callable[[Symbol], int]) -> int:
        """The value for given values of the symbols."""
        total = 0
        for monomial, coefficient in self.terms:
            for symbol in monomial:
                coefficient *= value_of(symbol)
            total += coefficient
        return total

    def valued(self, values: Mapping[str, int]) -> int:
        """The value for given values of its symbols' names."""
        return self.evaluate(lambda symbol: values[symbol.name])

    def readable(self, names: Mapping[Symbol, str] | None = None) -> str:
        """The polynomial as C would write it: "n*m + 2*i - 1" for reports. `names` are the user's names of counters."""
        text = ""
        for monomial, coefficient in sorted(self.terms, key=lambda term: (-len(term[0]), term[1] < 0)):
            factors = [(names or {}).get(s) or s.source_name for s in monomial]
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            sign = " - " if coefficient < 0 else " + "
            text += (sign if text else sign.strip(" +")) + "*".join(factors)
        return text or "0"

    def __str__(self) -> str:
        if not self.terms:
            return "0"
        return " + ".join("*".join([str(c)] * (c != 1 or not m) + [str(s) for s in m]) for m, c in self.terms)


def over_names(extent: Polynomial) -> Polynomial:
    """The polynomial over the names of parameters instead of P-LLVM's symbols for them."""
    return extent.substitute({symbol: Polynomial.symbol(declared(symbol.name)) for symbol in extent.symbols})


def _without_factor(monomial: Monomial, factor: Monomial) -> Monomial | None:
    """The monomial divided by another one; None when it is no multiple."""
    rest = list(monomial)
    for symbol in factor:
        if symbol not in rest:
            return None
        rest.remove(symbol)
    return tuple(rest)


def _as_polynomial(value: Polynomial | int) -> Polynomial:
    return Polynomial.constant(value) if isinstance(value, int) else value
