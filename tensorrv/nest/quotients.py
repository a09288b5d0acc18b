"""Quotients by positive constants, which are symbols of their own in closed forms, tied to what they divide.

C's division rounds towards zero: for q = x / c, either q >= 0 and 0 <= x - c*q < c, or q <= 0 and 0 <= c*q - x < c. A right
shift rounds down. With this a loop over the first half of an array (`i < n / 2`) is known to stay out of the second.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import product
from typing import Final

from rv.ir.instructions import Binary
from rv.ir.values import Const, Var
from tensorrv.nest.model import Loop, Nests
from tensorrv.nest.polynomial import Polynomial
from tensorrv.nest.region import known_before

Facts = tuple[Polynomial, ...]
"""Polynomials that are not negative."""

_MOST: Final = 3


def quotient_cases(nests: Nests, region: Loop, used: Iterable[Polynomial]) -> tuple[Facts, ...]:
    """Facts about the quotients in `used` that are fixed in the region, as cases of which one always holds."""
    symbols = frozenset[str]().union(*(p.symbols for p in used))
    chosen: list[tuple[Facts, ...]] = []
    # what a quotient divides may hold quotients from before
    for symbol, cases in reversed(tuple(_quotients(nests, region))):
        if symbol in symbols and len(chosen) < _MOST:
            chosen.append(cases)
            symbols = symbols.union(*(fact.symbols for case in cases for fact in case))
    return tuple(tuple(fact for case in combined for fact in case) for combined in product(*chosen))


def is_quotient(nests: Nests, symbol: str) -> bool:
    """Whether a symbol stands for a quotient that follows from other numbers."""
    return any(symbol == f"%{binary.result.name}" for binary, _ in _divisions(nests))


def _quotients(nests: Nests, region: Loop) -> Iterator[tuple[str, tuple[Facts, ...]]]:
    for binary, divisor in _divisions(nests):
        symbol = f"%{binary.result.name}"
        quotient, dividend = Polynomial.symbol(symbol), _dividend(nests, binary)
        if not (known_before(nests, quotient, region) and known_before(nests, dividend, region)):
            continue
        rest = dividend - quotient * divisor
        if binary.op == "ashr":
            yield symbol, ((rest, -rest + (divisor - 1)),)
        else:
            yield symbol, ((quotient, rest, -rest + (divisor - 1)), (-quotient, -rest, rest + (divisor - 1)))


def _dividend(nests: Nests, binary: Binary) -> Polynomial:
    assert isinstance(binary.left, Var)
    return nests.closed_forms.get(binary.left.name, Polynomial.symbol(f"%{binary.left.name}"))


def _divisions(nests: Nests) -> Iterator[tuple[Binary, int]]:
    """The signed divisions by positive constants, right shifts included, with their divisors."""
    for block in nests.function.blocks:
        for instruction in block.body:
            match instruction:
                case Binary(op="sdiv", left=Var(), right=Const() as right) if right.signed > 0:
                    yield instruction, right.signed
                case Binary(op="ashr", left=Var(), right=Const() as right) if right.signed < nests.bits[instruction.result.name]:
                    yield instruction, 1 << right.bits
                case _:
                    pass
