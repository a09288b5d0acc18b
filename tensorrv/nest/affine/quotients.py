"""Quotients by positive constants, which are symbols of their own in closed forms, tied to what they divide.

C's division rounds towards zero: for q = x / c, either q >= 0 and 0 <= x - c*q < c, or q <= 0 and 0 <= c*q - x < c. A right
shift rounds down. What is divided as unsigned is not negative; an unsigned number of 64 bits whose closed form is negative is
a case of its own, in which nothing is known. With this a loop over the first half of an array (`i < n / 2`) is known to stay
out of the second.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rv.evolution.polynomial import Polynomial, Symbol, signed, unsigned
from rv.ir.instructions import Binary
from rv.ir.values import Const, Var
from tensorrv.nest.model import Nests

Facts = tuple[Polynomial, ...]
"""Polynomials that are not negative."""


@dataclass(frozen=True, slots=True)
class Described:
    """Facts about the number that a symbol stands for, as cases of which one always holds."""

    symbol: Symbol
    cases: tuple[Facts, ...]


def exactly(polynomial: Polynomial) -> Facts:
    """The facts stating that a polynomial is zero."""
    return (polynomial, -polynomial)


def quotient(nests: Nests, binary: Binary) -> Iterator[Described]:
    """What is known about a quotient by a positive constant (by 2 or more if unsigned), right shifts included."""
    divisor = _divisor(nests, binary)
    if divisor is None:
        return
    if binary.op in ("udiv", "lshr"):
        yield from _unsigned(nests, binary, divisor)
        return
    symbol = signed(binary.result.name)
    value, dividend = Polynomial.symbol(symbol), _dividend(nests, binary)
    rest = dividend - value * divisor
    if binary.op == "ashr":
        yield Described(symbol, ((rest, -rest + (divisor - 1)),))
    else:
        yield Described(symbol, ((value, rest, -rest + (divisor - 1)), (-value, -rest, rest + (divisor - 1))))


def _unsigned(nests: Nests, binary: Binary, divisor: int) -> Iterator[Described]:
    """The quotient has the same value read as signed and as unsigned."""
    assert isinstance(binary.left, Var)
    name, wide = binary.result.name, nests.bits[binary.result.name] == 64
    dividend = _dividend(nests, binary) if wide else Polynomial.symbol(unsigned(binary.left.name))
    for symbol in (signed(name),) if wide else (signed(name), unsigned(name)):
        value = Polynomial.symbol(symbol)
        rest = dividend - value * divisor
        facts = (value, rest, -rest + (divisor - 1))
        yield Described(symbol, ((dividend, *facts), (-dividend - 1,)) if wide else (facts,))


def _dividend(nests: Nests, binary: Binary) -> Polynomial:
    assert isinstance(binary.left, Var)
    return nests.closed_forms.get(binary.left.name, Polynomial.symbol(signed(binary.left.name)))


def _divisor(nests: Nests, binary: Binary) -> int | None:
    width = nests.bits[binary.result.name]
    match binary:
        case Binary(op="sdiv", left=Var(), right=Const() as right) if right.signed > 0:
            return right.signed
        case Binary(op="ashr", left=Var(), right=Const() as right) if right.bits < width:
            return 1 << right.bits
        case Binary(op="udiv", left=Var(), right=Const() as right) if right.bits > 1:
            return right.bits
        case Binary(op="lshr", left=Var(), right=Const() as right) if 0 < right.bits < width:
            return 1 << right.bits
        case _:
            return None
