"""Machine arithmetic on intervals of integers, with linear forms where nothing wraps.

An interval holds the values of a variable, read as signed, in a box of loop counters. `form` is exact: the value *is* this sum
of multiples of counters everywhere in the box. `data` marks values that depend on what is loaded: their interval is not used.
Operations on single numbers are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Final

CONSTANT: Final = -1
"""The key of a form's constant; the others are loops."""

Form = Mapping[int, int]
Ranges = Mapping[int, tuple[int, int]]


@dataclass(frozen=True, slots=True)
class Interval:
    """`low .. high`. Addresses count bytes from the start of an array, one of `bases`."""

    low: int
    high: int
    form: Form | None = None
    data: bool = False
    bases: frozenset[str] = frozenset()

    @property
    def single(self) -> bool:
        return self.low == self.high


def number(value: int) -> Interval:
    return Interval(value, value, {CONSTANT: value})


def anything(bits: int) -> Interval:
    half = 1 << (bits - 1)
    return Interval(0, 1) if bits == 1 else Interval(-half, half - 1)


def loaded(bits: int, bases: frozenset[str] = frozenset()) -> Interval:
    whole = anything(bits)
    return Interval(whole.low, whole.high, None, True, bases)


TRUE: Final = number(1)
FALSE: Final = number(0)
EITHER: Final = Interval(0, 1)


def hull(parts: tuple[Interval, ...]) -> Interval:
    """What contains all of `parts`, of which there is at least one."""
    first = parts[0]
    if all(part == first for part in parts):
        return first
    bases = frozenset().union(*(part.bases for part in parts))
    low, high = min(part.low for part in parts), max(part.high for part in parts)
    return Interval(low, high, None, any(part.data for part in parts), bases)


def span_of(form: Form, ranges: Ranges) -> tuple[int, int]:
    """The least and the greatest value of a form."""
    low = high = 0
    for symbol, coefficient in form.items():
        if symbol == CONSTANT:
            low += coefficient
            high += coefficient
        else:
            first, last = ranges[symbol]
            low += coefficient * (first if coefficient > 0 else last)
            high += coefficient * (last if coefficient > 0 else first)
    return low, high


def plus(left: Form, right: Form, factor: int = 1) -> Form:
    """left + factor * right."""
    total = dict(left)
    for symbol, coefficient in right.items():
        total[symbol] = total.get(symbol, 0) + factor * coefficient
    return {symbol: coefficient for symbol, coefficient in total.items() if coefficient}


def times(form: Form, factor: int) -> Form:
    return {symbol: coefficient * factor for symbol, coefficient in form.items()} if factor else {}


def wrapped(value: Interval, bits: int, ranges: Ranges, *, nsw: bool = False) -> Interval:
    """An exact result, modulo 2**bits. With `nsw` C leaves open whether one that does not fit stays as it is or wraps."""
    low, high, form = value.low, value.high, value.form
    if form is not None and low != high:
        # terms that cancel make the form's interval the smaller one
        least, greatest = span_of(form, ranges)
        low, high = max(low, least), min(high, greatest)
    half = 1 << (bits - 1)
    if -half <= low and high < half:
        return value if (low, high) == (value.low, value.high) else Interval(low, high, form, value.data, value.bases)
    turns = (low + half) >> bits
    if turns != (high + half) >> bits:
        return Interval(min(low, -half), max(high, half - 1)) if nsw else anything(bits)
    moved = turns << bits
    if nsw:
        return Interval(min(low, low - moved), max(high, high - moved))
    return Interval(low - moved, high - moved, None if form is None else plus(form, {CONSTANT: -moved}), bases=value.bases)


def unsigned(value: Interval, bits: int) -> Interval:
    """The same bits read as unsigned."""
    if value.low >= 0:
        return value
    if value.high < 0:
        form = None if value.form is None else plus(value.form, {CONSTANT: 1 << bits})
        return Interval(value.low + (1 << bits), value.high + (1 << bits), form)
    return Interval(0, (1 << bits) - 1)


def add(left: Interval, right: Interval) -> Interval:
    form = None if left.form is None or right.form is None else plus(left.form, right.form)
    return Interval(left.low + right.low, left.high + right.high, form, bases=left.bases | right.bases)


def subtract(left: Interval, right: Interval) -> Interval:
    form = None if left.form is None or right.form is None else plus(left.form, right.form, -1)
    return Interval(left.low - right.high, left.high - right.low, form)


def multiply(left: Interval, right: Interval) -> Interval:
    if left.single:
        left, right = right, left
    form = times(left.form, right.low) if right.single and left.form is not None else None
    return _corners(left, right, int.__mul__, form)


def _corners(left: Interval, right: Interval, operation: Callable[[int, int], int], form: Form | None = None) -> Interval:
    """An operation that is monotonic in each operand."""
    ends = [operation(a, b) for a in {left.low, left.high} for b in {right.low, right.high}]
    return Interval(min(ends), max(ends), form)


def toward_zero(a: int, b: int) -> int:
    """C's quotient."""
    return a // b if (a < 0) == (b < 0) else -(-a // b)


def quotient(left: Interval, right: Interval) -> Interval | None:
    """C's quotient of signed numbers; None where zero may be the divisor."""
    if right.low <= 0 <= right.high:
        return None
    form = None
    if right.single and left.form is not None and not any(c % right.low for c in left.form.values()):
        form = {symbol: c // right.low for symbol, c in left.form.items()}
    return _corners(left, right, toward_zero, form)


def remainder(left: Interval, right: Interval) -> Interval | None:
    """C's remainder, whose sign is the dividend's."""
    divided = quotient(left, right)
    if divided is None:
        return None
    if divided.single and right.single:
        # between two multiples of the divisor
        return subtract(left, number(divided.low * right.low))
    most = max(abs(right.low), abs(right.high)) - 1
    return Interval(max(left.low, -most) if left.low < 0 else 0, min(left.high, most) if left.high > 0 else 0)


def shift_left(left: Interval, amount: Interval, bits: int) -> Interval | None:
    if not 0 <= amount.low <= amount.high < bits:
        return None
    return multiply(left, Interval(1 << amount.low, 1 << amount.high))


def shift_right(left: Interval, amount: Interval, bits: int) -> Interval | None:
    if not 0 <= amount.low <= amount.high < bits:
        return None
    return _corners(left, amount, int.__rshift__)


def bits_and(left: Interval, right: Interval) -> Interval:
    if left.single:
        left, right = right, left
    if right.single:
        if left.single:
            return number(left.low & right.low)
        mask = right.low
        if mask >= 0 and not mask & (mask + 1) and left.low >> mask.bit_length() == left.high >> mask.bit_length():
            return subtract(left, number(left.low & ~mask))  # a remainder between two multiples
        if mask < 0 and not -mask & (-mask - 1):
            return Interval(left.low & mask, left.high & mask)  # the multiple below
    if left.low < 0 and right.low < 0:
        return Interval(-1 << max(left.low.bit_length(), right.low.bit_length()), max(left.high, right.high))
    return Interval(0, min(end.high for end in (left, right) if end.low >= 0))


def bits_or(left: Interval, right: Interval, operation: Callable[[int, int], int]) -> Interval:
    """The union of bits, or their difference."""
    if left.single and right.single:
        return number(operation(left.low, right.low))
    length = max(end.bit_length() for end in (left.low, left.high, right.low, right.high))
    return Interval(0 if left.low >= 0 and right.low >= 0 else -1 << length, (1 << length) - 1)


def compare(predicate: str, left: Interval, right: Interval, ranges: Ranges) -> Interval:
    """A comparison of exact numbers: FALSE, TRUE or EITHER. `predicate` is eq, ne, lt, le, gt or ge."""
    apart = subtract(left, right)
    low, high = apart.low, apart.high
    if apart.form is not None and low != high:
        low, high = span_of(apart.form, ranges)
    match predicate:
        case "eq" | "ne":
            equal = TRUE if low == high == 0 else FALSE if low > 0 or high < 0 else EITHER
            return equal if predicate == "eq" else negated(equal)
        case "lt":
            return TRUE if high < 0 else FALSE if low >= 0 else EITHER
        case "le":
            return TRUE if high <= 0 else FALSE if low > 0 else EITHER
        case "gt":
            return TRUE if low > 0 else FALSE if high <= 0 else EITHER
        case _:
            return TRUE if low >= 0 else FALSE if high < 0 else EITHER


def negated(truth: Interval) -> Interval:
    return Interval(1 - truth.high, 1 - truth.low, None if truth.form is None else {CONSTANT: 1 - truth.low}, truth.data)
