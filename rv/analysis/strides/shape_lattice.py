"""The stride-alignment lattice for machine integers (thesis, chapter 10).

A shape says how the words that W threads hold of one integer or pointer hang together: *strided* ones are a*k + s*t in
thread t, for one unknown k; *varying* ones a*k_t, each thread for itself. Uniform is stride 0, and with alignment 0 there is
no k: (0, 0) is the constant zero, (1, 0) the thread number.

The thesis reads shapes over the integers, words are residues modulo 2**N. There 3k is any number, a stride may step
over the end, and neither division nor order can be judged. So a shape carries facts about its words:
 - SIGNED: the formula holds for the words read in two's complement, for one k and without wrapping;
 - UNSIGNED: the same for the words read as natural numbers;
 - NONNEGATIVE: the topmost bit is 0 in all threads. It comes with the others only: natural numbers below 2**(N-1).
A shape without SIGNED and UNSIGNED holds modulo 2**N only, and its alignment is a power of two (or 0). With stride 0, and for
unrelated multiples, such a formula holds in every reading, so both facts are there.

Beside it a shape may have a pattern (`rv.analysis.strides.patterns`): what threads are apart where that is no constant stride,
or more of what they have in common than the alignment tells.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import Final

from rv.analysis.strides.patterns import Pattern, joined, pattern
from rv.analysis.strides.readings import Facts


@dataclass(frozen=True, slots=True)
class Shape:
    """The shape of words of `bits` bits; `stride` is None for varying, `alignment` >= 0. Make it with `shape`.

    BOTTOM and TAINT have 0 bits.
    """

    bits: int
    stride: int | None
    alignment: int
    facts: Facts = Facts.NONE
    pattern: Pattern | None = None

    @property
    def is_uniform(self) -> bool:
        """Whether all threads have one value (or there is none)."""
        return self.stride == 0

    @property
    def thread_alignment(self) -> int:
        """What the value of every thread is a multiple of (thesis, figure 10.8)."""
        return self.alignment if self.stride is None else gcd(self.stride, self.alignment)

    def __str__(self) -> str:
        """As the thesis writes it, `(1, 8)` or `4`; `u` and `v` when nothing but that is known."""
        if self == BOTTOM:
            return "⊥"
        if self.alignment == 1 and self.stride in (0, None):
            return "u" if self.stride == 0 else "v"
        return str(self.alignment) if self.stride is None else f"({self.stride}, {self.alignment})"


BOTTOM: Final = Shape(0, 0, 0)
"""No value at all: what has not been reached."""
TAINT: Final = Shape(0, None, 0)
"""What control flow adds to a value that threads reach on different paths: joined to a shape it keeps the alignment."""


def shape(bits: int, stride: int | None, alignment: int, facts: Facts = Facts.NONE) -> Shape:
    """The shape in the one form of those that mean the same. Without exactness strides and alignments are residues."""
    alignment = abs(alignment)
    if not facts.exact:
        alignment = gcd(alignment, 1 << bits) % (1 << bits)
        stride = None if stride is None else signed_residue(stride, bits)
        facts = facts if not stride else Facts.NONE
    elif alignment >= 1 << bits:
        alignment = 0  # no other multiple is a word
    if not stride and alignment == 0:
        return Shape(bits, 0, 0, Facts.NATURAL)
    if not stride and (1 << bits) % alignment == 0:
        facts |= Facts.SIGNED | Facts.UNSIGNED
    if Facts.NONNEGATIVE in facts and facts.exact:
        facts = Facts.NATURAL
    return Shape(bits, stride, alignment, facts)


def pattern_of(of: Shape, lanes: int) -> Pattern | None:
    """What the threads of a shape are apart."""
    if of.pattern is not None or of.stride is None or of.bits == 0:
        return of.pattern
    return pattern(of.bits, of.alignment, tuple(of.stride * t for t in range(lanes)), of.facts)


def with_pattern(of: Shape, found: Pattern | None) -> Shape:
    """The shape and what is known besides. A pattern with one stride gives it to a shape that has none."""
    if found is None or of.bits == 0:
        return of
    stride = found.stride
    if stride is None:
        return replace(of, pattern=found)
    line = shape(of.bits, stride, found.base, found.facts | (of.facts & Facts.NONNEGATIVE))
    if (of.bits > 1 or line.is_uniform) and _joined_lines(line, of) == of:
        of = line
    return of if of.stride == stride and _says(of, found) else replace(of, pattern=found)


def _says(line: Shape, found: Pattern) -> bool:
    """Whether a pattern with the stride of a line says nothing more."""
    multiple = line.alignment % found.alignment == 0 if found.alignment else line.alignment == 0
    return line.bits == 1 or (multiple and found.base == found.alignment and found.facts in line.facts)


def uniform(bits: int) -> Shape:
    """One unknown value for all threads."""
    return shape(bits, 0, 1)


def varying(bits: int) -> Shape:
    """Any values."""
    return shape(bits, None, 1)


def constant(bits: int, value: int) -> Shape:
    """The shape of a constant, given as a signed number: what is kept is its alignment and its sign."""
    if bits == 1:
        return uniform(1)
    return shape(bits, 0, value, Facts.NATURAL if value >= 0 else Facts.SIGNED)


def signed_residue(value: int, bits: int) -> int:
    """The number from -2**(bits-1) to 2**(bits-1) - 1 that is congruent to `value`."""
    half = 1 << (bits - 1)
    return (value + half) % (1 << bits) - half


def modular(of: Shape) -> Shape:
    """The shape without what is known beyond residues, except for the sign."""
    return shape(of.bits, of.stride, of.alignment, of.facts & Facts.NONNEGATIVE)


def join(left: Shape, right: Shape) -> Shape:
    """The least shape above both (thesis, figure 10.6; with gcd(a, 0) = a as in section 2.6)."""
    if left == BOTTOM or right == BOTTOM:
        return right if left == BOTTOM else left
    if left == TAINT or right == TAINT:
        return scattered(right if left == TAINT else left)
    if left == right:
        return left
    return with_pattern(_joined_lines(left, right), _joined_patterns(left, right))


def _joined_patterns(left: Shape, right: Shape) -> Pattern | None:
    lanes = max(0 if of.pattern is None else len(of.pattern.offsets) for of in (left, right))
    return joined(left.bits, pattern_of(left, lanes), pattern_of(right, lanes)) if lanes else None


def _joined_lines(left: Shape, right: Shape) -> Shape:
    facts = left.facts & right.facts
    if not facts.exact:
        left, right = modular(left), modular(right)
    if left.stride is not None and left.stride == right.stride:
        return shape(left.bits, left.stride, gcd(left.alignment, right.alignment), facts)
    return shape(left.bits, None, gcd(left.thread_alignment, right.thread_alignment), facts)


def scattered(of: Shape) -> Shape:
    """The shape when threads hold values of it from different executions."""
    return of if of in (BOTTOM, TAINT) else shape(of.bits, None, of.thread_alignment, of.facts)


def below(left: Shape, right: Shape) -> bool:
    """The partial order: whether every vector of `left` is one of `right`, as far as shapes tell."""
    return join(left, right) == right


def as_signed(of: Shape, lanes: int) -> Shape:
    """The least shape above that has the fact SIGNED.

    A strided shape whose alignment is a power of two and that does not reach the next multiple cannot wrap.
    """
    return of if Facts.SIGNED in of.facts else _exact(modular(of), Facts.SIGNED, lanes)


def as_unsigned(of: Shape, lanes: int) -> Shape:
    """The least shape above that has the fact UNSIGNED; see `as_signed`."""
    return of if Facts.UNSIGNED in of.facts else _exact(modular(of), Facts.UNSIGNED, lanes)


def _exact(of: Shape, fact: Facts, lanes: int) -> Shape:
    if of.stride is None:
        return of
    # alignment 0: the first thread has the word 0
    room = of.alignment or 1 << (of.bits if fact is Facts.UNSIGNED else of.bits - 1)
    if 0 <= of.stride * (lanes - 1) < room:
        return shape(of.bits, of.stride, of.alignment, of.facts | fact)
    return scattered(of)
