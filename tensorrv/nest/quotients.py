"""Quotients by positive constants, which are symbols of their own in closed forms, tied to what they divide.

C's division rounds towards zero: for q = x / c, either q >= 0 and 0 <= x - c*q < c, or q <= 0 and 0 <= c*q - x < c. A right
shift rounds down. What is divided as unsigned is not negative; an unsigned number of 64 bits whose closed form is negative is
a case of its own, in which nothing is known. With this a loop over the first half of an array (`i < n / 2`) is known to stay
out of the second.
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
    return any(symbol.partition("%")[2] == binary.result.name for binary, _ in _divisions(nests))


def _quotients(nests: Nests, region: Loop) -> Iterator[tuple[str, tuple[Facts, ...]]]:
    for binary, divisor in _divisions(nests):
        if binary.op in ("udiv", "lshr"):
            yield from _unsigned(nests, region, binary, divisor)
            continue
        symbol = f"%{binary.result.name}"
        quotient, dividend = Polynomial.symbol(symbol), _dividend(nests, binary)
        if not (known_before(nests, quotient, region) and known_before(nests, dividend, region)):
            continue
        rest = dividend - quotient * divisor
        if binary.op == "ashr":
            yield symbol, ((rest, -rest + (divisor - 1)),)
        else:
            yield symbol, ((quotient, rest, -rest + (divisor - 1)), (-quotient, -rest, rest + (divisor - 1)))


def _unsigned(nests: Nests, region: Loop, binary: Binary, divisor: int) -> Iterator[tuple[str, tuple[Facts, ...]]]:
    """The quotient has the same value read as signed and as unsigned."""
    assert isinstance(binary.left, Var)
    name, wide = binary.result.name, nests.bits[binary.result.name] == 64
    dividend = _dividend(nests, binary) if wide else Polynomial.symbol(f"u%{binary.left.name}")
    for symbol in (f"%{name}",) if wide else (f"%{name}", f"u%{name}"):
        quotient = Polynomial.symbol(symbol)
        if known_before(nests, quotient, region) and known_before(nests, dividend, region):
            rest = dividend - quotient * divisor
            facts = (quotient, rest, -rest + (divisor - 1))
            yield symbol, ((dividend, *facts), (-dividend - 1,)) if wide else (facts,)


def _dividend(nests: Nests, binary: Binary) -> Polynomial:
    assert isinstance(binary.left, Var)
    return nests.closed_forms.get(binary.left.name, Polynomial.symbol(f"%{binary.left.name}"))


def _divisions(nests: Nests) -> Iterator[tuple[Binary, int]]:
    """The divisions by positive constants, right shifts included, with their divisors; unsigned ones by 2 or more."""
    for block in nests.function.blocks:
        for instruction in block.body:
            width = nests.bits.get(instruction.result.name, 0) if instruction.result is not None else 0
            match instruction:
                case Binary(op="sdiv", left=Var(), right=Const() as right) if right.signed > 0:
                    yield instruction, right.signed
                case Binary(op="ashr", left=Var(), right=Const() as right) if right.bits < width:
                    yield instruction, 1 << right.bits
                case Binary(op="udiv", left=Var(), right=Const() as right) if right.bits > 1:
                    yield instruction, right.bits
                case Binary(op="lshr", left=Var(), right=Const() as right) if 0 < right.bits < width:
                    yield instruction, 1 << right.bits
                case _:
                    pass
