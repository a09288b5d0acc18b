"""Remainders by positive constants and numbers that go back and forth, tied to what they are computed from.

For r = x % c there is an integer q with x = c*q + r; C's remainder has the sign of x. `x & (c - 1)` for a power of two is the
remainder of the rounded-down quotient, whatever wraps in x. `x ^ 1` is x + 1 or x - 1, whichever has x's half. With this
the buffers `u[t % 3]` and `u[(t + 1) % 3]` are known to be different ones.

The quotient is no variable of the program; it has a symbol of a kind of its own.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.evolution.polynomial import Kind, Polynomial, quotient, signed, unsigned
from rv.ir.instructions import Binary
from rv.ir.types import IntType
from rv.ir.values import Const, Var
from tensorrv.nest.affine.quotients import Described, Facts, exactly
from tensorrv.nest.legality.region import bounds_at
from tensorrv.nest.model import Nests


def remainder(nests: Nests, binary: Binary) -> Iterator[Described]:
    """What is known about a remainder."""
    name, width = binary.result.name, nests.bits[binary.result.name]
    match binary:
        case Binary(op="srem", left=Var() as left, right=Const() as right) if right.signed not in (0, -(1 << (width - 1))):
            yield _signed(nests, name, left, abs(right.signed))
        case Binary(op="urem", left=Var() as left, right=Const(bits=divisor)) if divisor:
            dividend = _unsigned(nests, left)
            if dividend is not None:
                yield from _rounded_down(name, dividend, divisor, width)
        case Binary(op="and", left=Var() as left, right=Const() as right) if right.signed > 0 == right.bits & (right.bits + 1):
            yield from _rounded_down(name, _congruent(nests, left), right.bits + 1, width)
        case Binary(op="xor", left=Var() as left, right=Const(bits=1)):
            value, half, other = _exact(nests, left), _quotient(name), Polynomial.symbol(signed(name))
            odd = value - half * 2
            yield Described(signed(name), ((odd, -odd + 1, *exactly(other + value - half * 4 - 1)),))


def _rounded_down(name: str, dividend: Polynomial, divisor: int, width: int) -> Iterator[Described]:
    """The remainder has the same value read as signed and as unsigned, if it is a small one."""
    if divisor <= 1 << (width - 1):
        for symbol in (signed(name),) if width == 64 else (signed(name), unsigned(name)):
            rest = Polynomial.symbol(symbol)
            yield Described(symbol, ((rest, -rest + (divisor - 1), *_divided(name, dividend, rest, divisor)),))


def _divided(name: str, dividend: Polynomial, rest: Polynomial, divisor: int) -> Facts:
    return exactly(dividend - rest - _quotient(name) * divisor)


def _quotient(name: str) -> Polynomial:
    return Polynomial.symbol(quotient(name))


def _signed(nests: Nests, name: str, left: Var, divisor: int) -> Described:
    dividend, rest = _exact(nests, left), Polynomial.symbol(signed(name))
    divided = _divided(name, dividend, rest, divisor)
    positive = (dividend, rest, -rest + (divisor - 1), *divided)
    negative = (-dividend, -rest, rest + (divisor - 1), *divided)
    bounds = bounds_at(nests, nests.defined_in[name])
    if not _is_narrow(nests, dividend):
        return Described(signed(name), (positive, negative))
    if bounds.proves(dividend):
        return Described(signed(name), (positive,))
    return Described(signed(name), (negative,) if bounds.proves(-dividend) else (positive, negative))


def _is_narrow(nests: Nests, polynomial: Polynomial) -> bool:
    """Whether bounds of a polynomial hold for all values of its symbols: those of 64 bits are only taken to be sizes."""
    return all(s.is_counter or nests.bits[s.name] < 64 for s in polynomial.symbols)


def _exact(nests: Nests, variable: Var) -> Polynomial:
    return nests.closed_forms.get(variable.name, Polynomial.symbol(signed(variable.name)))


def _congruent(nests: Nests, variable: Var) -> Polynomial:
    return nests.congruences.get(variable.name, _exact(nests, variable))


def _unsigned(nests: Nests, variable: Var) -> Polynomial | None:
    """The exact value of a variable read as unsigned; None when it may wrap."""
    assert isinstance(variable.type, IntType)
    width, bounds = variable.type.bits, bounds_at(nests, nests.defined_in[variable.name])
    found = _congruent(nests, variable)
    if width < 64:
        own = {
            s: Polynomial.symbol(unsigned(s.name)) for s in found.symbols if s.kind is Kind.SIGNED and nests.bits[s.name] == width
        }
        found = found.substitute(own)
    fits = width == 64 or bounds.proves(-found + ((1 << width) - 1))
    return found if fits and _is_narrow(nests, found) and bounds.proves(found) else None
