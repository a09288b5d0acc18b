"""Shapes of integer arithmetic (thesis, section 10.4.2; sound for words, which the thesis's transformers are not).

Each function gives the shape of the result from the shapes of the operands, none of them BOTTOM. Constants are passed as
numbers where their value matters. `exact`: the signed result does not overflow.
"""

from __future__ import annotations

from math import gcd

from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_lattice import Shape, as_signed, as_unsigned, shape, uniform, varying


def generic(bits: int, *operands: Shape) -> Shape:
    """Uniform when all operands are, else varying: what holds for every function (figure 6.6)."""
    return uniform(bits) if all(operand.is_uniform for operand in operands) else varying(bits)


def add(left: Shape, right: Shape, lanes: int, *, exact: bool) -> Shape:
    """The sum. It follows its formula exactly where both operands do and it is known to fit."""
    return _sum(left, right, 1, lanes, exact)


def subtract(left: Shape, right: Shape, lanes: int, *, exact: bool) -> Shape:
    total = _sum(left, right, -1, lanes, exact)
    # what is subtracted may exceed what it is subtracted from
    return shape(total.bits, total.stride, total.alignment, total.facts & Facts.SIGNED)


def _sum(left: Shape, right: Shape, sign: int, lanes: int, exact: bool) -> Shape:
    if exact:
        lines = as_signed(left, lanes), as_signed(right, lanes)
        exact = any(of.stride is None for of in (left, right)) or all(of.stride is not None for of in lines)
        left, right = lines if exact else (left, right)
    facts = _of_exact(left, right, exact)
    if left.stride is None or right.stride is None:
        return shape(left.bits, None, gcd(left.thread_alignment, right.thread_alignment), facts)
    return shape(left.bits, left.stride + sign * right.stride, gcd(left.alignment, right.alignment), facts)


def multiply(left: Shape, right: Shape, lanes: int, *, exact: bool) -> Shape:
    """The product of two values that are not constants."""
    if exact:
        left, right = as_signed(left, lanes), as_signed(right, lanes)
    alignment = left.thread_alignment * right.thread_alignment
    together = left.is_uniform and right.is_uniform
    return shape(left.bits, 0 if together else None, alignment, _of_exact(left, right, exact))


def scale(of: Shape, factor: int, lanes: int, *, exact: bool) -> Shape:
    """The product with a constant, a signed number.

    Of unrelated values only powers of two are kept: an odd factor would be known of them and not of a strided shape below
    that may wrap, and transformers must be monotone.
    """
    if exact and of.stride is not None:
        line = as_signed(of, lanes)
        if line.stride is not None:
            facts = Facts.NATURAL if factor >= 0 and line.facts == Facts.NATURAL else Facts.SIGNED
            return shape(of.bits, line.stride * factor, line.alignment * factor, facts)
    return shape(of.bits, None if of.stride is None else of.stride * factor, of.alignment * factor)


def _of_exact(left: Shape, right: Shape, exact: bool) -> Facts:
    """The facts of a sum or product of numbers that fits."""
    if not exact:
        return Facts.NONE
    return Facts.NATURAL if left.facts & right.facts == Facts.NATURAL else Facts.SIGNED


def divide_signed(of: Shape, divisor: int, lanes: int) -> Shape:
    """The quotient by a constant other than 0, rounded toward zero. Threads at 0 or above round down together."""
    of = as_signed(of, lanes)
    sign = Facts.NATURAL if Facts.NONNEGATIVE in of.facts and divisor > 0 else Facts.SIGNED
    if of.alignment % divisor == 0 and (of.stride is None or of.stride % divisor == 0):
        return shape(of.bits, None if of.stride is None else of.stride // divisor, of.alignment // divisor, sign)
    if sign is Facts.NATURAL:
        return _round_down(of, divisor, lanes, sign)
    return generic(of.bits, of)


def divide_unsigned(of: Shape, divisor: int, lanes: int) -> Shape:
    """The quotient of natural numbers by a constant of 1 or more."""
    if divisor == 1:
        return of
    return _round_down(as_unsigned(of, lanes), divisor, lanes, Facts.NATURAL)


def shift_right_signed(of: Shape, amount: int, lanes: int) -> Shape:
    """The arithmetic shift by a constant: division that rounds down."""
    if amount == 0:
        return of
    of = as_signed(of, lanes)
    return _round_down(of, 1 << amount, lanes, of.facts if of.facts == Facts.NATURAL else Facts.SIGNED)


def _round_down(of: Shape, divisor: int, lanes: int, facts: Facts) -> Shape:
    """The quotient rounded down of numbers that follow their formula exactly.

    With s = q*d + r, and g the greatest common divisor of a and d: a*k is g*j beyond a multiple of d, so that while
    r*(W-1) < g the remainders g*j + r*t stay below d, and thread t has q*t more than the first.
    """
    aligned = of.alignment // divisor if of.alignment % divisor == 0 else 1
    if of.stride is None:
        return shape(of.bits, None, aligned, facts)
    quotient, rest = divmod(of.stride, divisor)
    if rest * (lanes - 1) < gcd(of.alignment, divisor):
        return shape(of.bits, quotient, aligned, facts)
    return shape(of.bits, None, 1, facts)


def remainder_signed(of: Shape, divisor: int, lanes: int) -> Shape:
    """The remainder of a division by a constant other than 0; it has the sign of the dividend."""
    of = as_signed(of, lanes)
    if Facts.NONNEGATIVE in of.facts:
        return _remainder(of, abs(divisor), lanes)
    return _multiples(of, abs(divisor), Facts.SIGNED)


def remainder_unsigned(of: Shape, divisor: int, lanes: int) -> Shape:
    """The remainder of natural numbers by a constant of 1 or more."""
    return _remainder(as_unsigned(of, lanes), divisor, lanes)


def _remainder(of: Shape, divisor: int, lanes: int) -> Shape:
    """Where no thread steps over a multiple of the divisor (see `_round_down`), threads have g*j + r*t."""
    facts = Facts.NATURAL if divisor <= 1 << (of.bits - 1) else Facts.UNSIGNED
    common = gcd(of.alignment, divisor)
    if of.stride is not None and of.stride % divisor * (lanes - 1) < common:
        return shape(of.bits, of.stride % divisor, common % divisor, facts)
    return _multiples(of, divisor, facts)


def _multiples(of: Shape, divisor: int, facts: Facts) -> Shape:
    """Numbers below the divisor that keep the common divisor of both."""
    alignment = gcd(of.thread_alignment, divisor)
    if alignment == divisor:
        return shape(of.bits, 0, 0, Facts.NATURAL)
    return shape(of.bits, 0 if of.is_uniform else None, alignment, facts)


def truncate(of: Shape, bits: int) -> Shape:
    """The lower bits."""
    if bits == 1:
        return generic(1, of)
    return shape(bits, of.stride, of.alignment)


def extend_signed(of: Shape, bits: int, lanes: int) -> Shape:
    """The same number in a wider word."""
    if of.bits == 1:
        return generic(bits, of)
    of = as_signed(of, lanes)
    return shape(bits, of.stride, of.alignment, Facts.NATURAL if Facts.NONNEGATIVE in of.facts else Facts.SIGNED)


def extend_unsigned(of: Shape, bits: int, lanes: int) -> Shape:
    """The same natural number in a wider word."""
    if of.bits == 1:
        known = generic(bits, of)
        return shape(bits, known.stride, 1, Facts.NATURAL)
    of = as_unsigned(of, lanes)
    return shape(bits, of.stride, of.alignment, Facts.NATURAL)
