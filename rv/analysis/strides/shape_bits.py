"""Shapes of bit operations and comparisons (thesis, sections 10.4.4 and 10.4.5).

As in `rv.analysis.strides.shape_arithmetic`, but for words as strings of bits: alignments count here as the number of low bits
that are 0, and an operation that no carry can reach is an addition.
"""

from __future__ import annotations

from math import gcd

from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_arithmetic import remainder_unsigned, subtract
from rv.analysis.strides.shape_lattice import Shape, as_signed, as_unsigned, join, shape, uniform, varying
from rv.ir.instructions import IntPredicate


def low_zeros(of: Shape) -> int:
    """The power of two, at most 2**bits, that divides the value of every thread."""
    return gcd(of.thread_alignment, 1 << of.bits)


def shift_left(of: Shape, amount: Shape) -> Shape:
    """A shift by what is no constant. It may be by 0, so it adds nothing to the alignment (figure 10.14 is wrong here)."""
    return shape(of.bits, 0 if of.is_uniform and amount.is_uniform else None, of.thread_alignment)


def and_constant(of: Shape, mask: int, lanes: int) -> Shape:
    """`mask` is the constant as a natural number."""
    full = (1 << of.bits) - 1
    if mask & (mask + 1) == 0 and mask != full:
        return remainder_unsigned(of, mask + 1, lanes)  # the low bits
    cleared = full - mask
    if cleared & (cleared + 1) == 0:
        return _without_low_bits(of, cleared + 1, lanes)
    sign = Facts.NONE if mask >> (of.bits - 1) else Facts.NATURAL
    zeros = max(low_zeros(of), mask & -mask)
    return shape(of.bits, 0 if of.is_uniform else None, zeros, sign)


def _without_low_bits(of: Shape, block: int, lanes: int) -> Shape:
    """The largest multiple of a power of two below the value: it is the same in every reading of the word."""
    if block == 1:
        return of
    rest = remainder_unsigned(of, block, lanes)
    facts = of.facts if Facts.NONNEGATIVE in of.facts else Facts.NONE
    if of.stride is not None and rest.stride is not None:
        return shape(of.bits, of.stride - rest.stride, of.alignment if of.alignment % block == 0 else block, of.facts)
    return shape(of.bits, 0 if of.is_uniform else None, max(block, low_zeros(of)), facts)


def and_bits(left: Shape, right: Shape) -> Shape:
    sign = (left.facts | right.facts) & Facts.NONNEGATIVE
    facts = Facts.NATURAL if sign else Facts.NONE
    zeros = max(low_zeros(left), low_zeros(right))
    return shape(left.bits, 0 if left.is_uniform and right.is_uniform else None, zeros, facts)


def or_bits(left: Shape, right: Shape) -> Shape:
    """Or and exclusive or of values that are no constants."""
    sign = left.facts & right.facts & Facts.NONNEGATIVE
    facts = Facts.NATURAL if sign else Facts.NONE
    zeros = gcd(low_zeros(left), low_zeros(right))
    return shape(left.bits, 0 if left.is_uniform and right.is_uniform else None, zeros, facts)


def or_constant(of: Shape, bits: int) -> Shape:
    """Or, or exclusive or, with a constant, given as a natural number. In bits that are 0 in all threads it is a sum."""
    if bits == 0:
        return of
    if low_zeros(of) > bits:
        facts = Facts.NONE if bits >> (of.bits - 1) else of.facts
        return shape(of.bits, of.stride, gcd(of.alignment, bits), facts)
    return or_bits(of, shape(of.bits, 0, bits, Facts.NONE if bits >> (of.bits - 1) else Facts.NATURAL))


def complement(of: Shape) -> Shape:
    """Exclusive or with all ones: -x - 1, which fits as x does."""
    return shape(of.bits, None if of.stride is None else -of.stride, 1, of.facts & Facts.SIGNED)


def select(condition: Shape, then: Shape, otherwise: Shape) -> Shape:
    """Two different values, one chosen for all threads or by every thread for itself."""
    both = join(then, otherwise)
    return both if condition.is_uniform else shape(both.bits, None, both.thread_alignment, both.facts)


def compare(predicate: IntPredicate, left: Shape, right: Shape, lanes: int) -> Shape:
    """The truth value of a comparison: uniform when the lines that both sides draw over the threads do not cross.

    The difference of both sides is g*k + d*t. It keeps its side of 0 in all threads when |d|*(W-1) < g and its sign is such that
    the thread that is at 0 counts with those above (for >= and <) or below (for > and <=). The thesis's figure 10.12 takes both
    signs for both, which is wrong: 8 >= 8 + t.
    """
    if left.is_uniform and right.is_uniform:
        return uniform(1)
    if predicate in ("eq", "ne"):
        difference = subtract(left, right, lanes, exact=False)
        return uniform(1) if difference.is_uniform else varying(1)
    signed = predicate.startswith("s")
    left, right = (as_signed(s, lanes) if signed else as_unsigned(s, lanes) for s in (left, right))
    if left.stride is None or right.stride is None:
        return varying(1)
    slope = left.stride - right.stride
    rising = slope if predicate[1:] in ("ge", "lt") else -slope
    apart = gcd(left.alignment, right.alignment)
    return uniform(1) if rising >= 0 and (apart == 0 or rising * (lanes - 1) < apart) else varying(1)
