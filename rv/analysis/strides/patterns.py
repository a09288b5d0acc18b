"""What the words of threads are apart where that is no constant stride: runs and periods.

    i / 8    in 16 threads from a multiple of 16 on: 2k, 8 times, then 2k + 1, 8 times
    i % 8    0, 1, ..., 7, 0, 1, ..., 7

A pattern is a*k + o[t] in thread t, for one unknown k: beside strides (thesis, chapter 10) all the numbers that threads may be
apart. With alignment 0 there is no k, and the word of every thread is known. Offsets are written with o[0] in 0..a-1.
`facts` are those readings of the word (see `shape_lattice`) in which the formula holds for one k without wrapping; otherwise
it holds modulo 2**bits, and the alignment is 0 or a power of two. One set of words may have several patterns, so transformers
are not monotone; the data flow joins what it finds with what it found before, and a pattern that is gone stays gone.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import gcd
from typing import Final

from rv.analysis.strides.readings import Facts

MOST_CASES: Final = 64
"""Residues of the unknown part that are tried one by one."""


@dataclass(frozen=True, slots=True)
class Pattern:
    """Words `alignment * k + offsets[t]`. Make it with `pattern`."""

    alignment: int
    offsets: tuple[int, ...]
    facts: Facts

    def from_first(self, thread: int) -> int:
        """How much more a thread has than the first one."""
        return self.offsets[thread] - self.offsets[0]

    @property
    def stride(self) -> int | None:
        """What neighbouring threads are apart, when that is one number."""
        step = self.from_first(1) if len(self.offsets) > 1 else 0
        return step if all(self.from_first(t) == step * t for t in range(len(self.offsets))) else None

    @property
    def base(self) -> int:
        """What the word of the first thread is a multiple of."""
        return gcd(self.alignment, self.offsets[0])


def pattern(bits: int, alignment: int, offsets: tuple[int, ...], facts: Facts = Facts.NONE) -> Pattern:
    """The pattern in the one form of those that mean the same."""
    readings = facts & (Facts.SIGNED | Facts.UNSIGNED)
    alignment = abs(alignment)
    if not readings:
        alignment = gcd(alignment, 1 << bits) % (1 << bits)
    move = offsets[0] - offsets[0] % alignment if alignment else 0
    offsets = tuple(offset - move for offset in offsets)
    for fact in (Facts.SIGNED, Facts.UNSIGNED):
        # in one block of a power of two no thread wraps
        room = alignment or 1 << (bits if fact is Facts.UNSIGNED else bits - 1)
        if (1 << bits) % room == 0 and all(0 <= offset < room for offset in offsets):
            readings |= fact
    return Pattern(alignment, offsets, readings)


def joined(bits: int, left: Pattern | None, right: Pattern | None) -> Pattern | None:
    """The least pattern above both, if there is one: with the same differences between threads."""
    if left is None or right is None:
        return None
    if any(left.from_first(t) != right.from_first(t) for t in range(len(left.offsets))):
        return None
    facts = left.facts & right.facts
    alignment = gcd(left.alignment, right.alignment, left.offsets[0] - right.offsets[0])
    return pattern(bits, alignment, left.offsets, facts)


def in_reading(of: Pattern, bits: int, fact: Facts) -> Pattern | None:
    """The pattern if it holds in a reading of words; it does where it does not reach the next multiple of a power of two."""
    if fact in of.facts:
        return of
    words = pattern(bits, of.alignment, of.offsets)
    return words if fact in words.facts else None


def added(bits: int, left: Pattern, right: Pattern, sign: int, facts: Facts) -> Pattern:
    """The sum or difference; `facts` are the readings in which it follows its formula."""
    offsets = tuple(a + sign * b for a, b in zip(left.offsets, right.offsets, strict=True))
    return pattern(bits, gcd(left.alignment, right.alignment), offsets, facts)


def scaled(bits: int, of: Pattern, factor: int, facts: Facts) -> Pattern:
    return pattern(bits, of.alignment * factor, tuple(offset * factor for offset in of.offsets), facts)


def quotient(bits: int, of: Pattern, divisor: int, facts: Facts) -> Pattern | None:
    """Rounded down, of numbers that follow their formula."""
    if of.alignment % divisor == 0:
        return pattern(bits, of.alignment // divisor, tuple(offset // divisor for offset in of.offsets), facts)
    rows = _rows(of, divisor, lambda value: value // divisor)
    return None if rows is None else pattern(bits, 1, rows[0], facts)


def remainder(bits: int, of: Pattern, divisor: int, facts: Facts) -> Pattern | None:
    """Of a division that rounds down, likewise."""
    if of.alignment % divisor == 0:
        return pattern(bits, 0, tuple(offset % divisor for offset in of.offsets), facts)
    rows = _rows(of, divisor, lambda value: value % divisor)
    if rows is None:
        return None
    return pattern(bits, gcd(*(row[0] - rows[0][0] for row in rows)), rows[0], facts)


def _rows(of: Pattern, divisor: int, function: Callable[[int], int]) -> list[tuple[int, ...]] | None:
    """A function for every residue that the unknown part may have, if threads are as far apart for all of them."""
    step = gcd(of.alignment, divisor)
    if divisor // step > MOST_CASES:
        return None
    rows = [tuple(function(j + offset) for offset in of.offsets) for j in range(0, divisor, step)]
    apart = {tuple(value - row[0] for value in row) for row in rows}
    return rows if len(apart) == 1 else None


def with_bits(bits: int, of: Pattern, value: int, function: Callable[[int, int], int]) -> Pattern | None:
    """A function of bits with a constant, given as a natural number: of known words, or of bits below the unknown part."""
    low = gcd(of.alignment, 1 << bits)
    offsets = tuple(function(offset % low, value % low) for offset in of.offsets)
    high, ones = value - value % low, (1 << bits) - low
    ends = function(0, high), function(ones, high)
    if of.alignment == 0 or ends == (0, 0):
        return pattern(bits, 0, offsets)
    if ends == (0, ones) and all(0 <= offset < low for offset in of.offsets):
        return pattern(bits, of.alignment, offsets)
    return None


def known_words(of: Pattern, bits: int) -> tuple[int, ...] | None:
    """The words of all threads as natural numbers, where they are known."""
    return None if of.alignment else tuple(offset % (1 << bits) for offset in of.offsets)
