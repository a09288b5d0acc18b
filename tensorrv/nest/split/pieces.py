"""The pieces of a loop's iterations in which the answers of its questions do not change.

    for i in 0 .. n:                       [0, min(n, 1))    i > 0 is false
      i > 0, i < n - 1             ->      [1, n - 1)        both are true
                                           [max(1, n - 1), n)  i < n - 1 is false

Where a loop may be divided is a list of numbers of iterations, the cuts, whose order is not always known. A piece begins behind
all cuts before it in the list, and ends at the next one: whatever the order is, each iteration is in one piece, and pieces run in
the order of the source. isl decides which answers are certain in a piece; others stay questions. Cuts a few iterations from an
end of the loop become one: the short piece between them keeps its questions.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cmp_to_key
from typing import Final, Literal

import islpy as isl

from rv.evolution.facts import Loop
from rv.evolution.polynomial import Kind, Monomial, Polynomial, counter
from rv.ir.types import IntType
from tensorrv.nest.model import Nests
from tensorrv.nest.split.questions import Case, Facts, Question

SHORT: Final = 8
"""Iterations up to which pieces at the ends of a loop are not divided further."""
MOST: Final = 5
"""Pieces of one loop; with more cuts it stays whole."""


@dataclass(frozen=True, slots=True)
class Piece:
    """The iterations from all of `lower` on, up to the first of `upper`, in terms of the loop's counter.

    `answers` are those that are certain, by the names of the results. `short`: at most SHORT iterations, whatever the sizes are.
    """

    lower: Facts
    upper: Facts
    answers: Mapping[str, Case]
    short: bool


def pieces_of(nests: Nests, loop: Loop, asked: Sequence[Question]) -> tuple[Piece, ...]:
    """The pieces of a loop that counts up or down by one, in their order; none where it stays whole."""
    if loop.trip is None or loop.trip.count is None or not asked:
        return ()
    system = _System(nests, loop)
    cuts = system.cuts(loop.trip.count, asked)
    if not cuts or len(cuts) >= MOST:
        return ()
    pieces = tuple(system.pieces(loop.trip.count, cuts, asked))
    return pieces if len(pieces) > 1 and any(piece.answers for piece in pieces) else ()


@dataclass(frozen=True, slots=True)
class _System:
    nests: Nests
    loop: Loop

    def cuts(self, trips: Polynomial, asked: Sequence[Question]) -> list[Polynomial]:
        """Where answers change, in the order of iterations as far as that is known."""
        found = dict.fromkeys(self._cut(edge) for question in asked for edge in question.edges)
        inside = [cut for cut in found if not self._never([cut - 1]) and not self._never([trips - 1 - cut])]
        first = [cut for cut in inside if _within(cut, 0)]
        last = [cut for cut in inside if _within(trips, cut) and cut not in first]
        between = [cut for cut in inside if cut not in (*first, *last)]
        low = first and [max(first, key=lambda cut: cut.constant_term)]
        high = last and [max(last, key=lambda cut: (trips - cut).constant_term)]
        return [*low, *sorted(between, key=cmp_to_key(self._order)), *high]

    def _cut(self, edge: Polynomial) -> Polynomial:
        """The first iteration for which `edge` has another sign than for those before."""
        symbol = counter(self.loop.header)
        rest = edge.without([symbol])
        return -rest if edge.coefficient(symbol).as_constant == 1 else rest + 1

    def _order(self, one: Polynomial, other: Polynomial) -> int:
        distance = one.distance_from(other)
        if distance is not None:
            return distance
        return -1 if self._never([one - other - 1]) else 1 if self._never([other - one - 1]) else 0

    def pieces(self, trips: Polynomial, cuts: Sequence[Polynomial], asked: Sequence[Question]) -> Iterator[Piece]:
        for number in range(len(cuts) + 1):
            begins = (Polynomial(), *cuts[:number])
            ends = (trips, *cuts[number : number + 1])
            t = Polynomial.symbol(counter(self.loop.header))
            here = [*(t - begin for begin in begins), *(end - 1 - t for end in ends)]
            if self._never(here):
                continue
            answers = {q.instruction.result.name: case for q in asked if q.instruction.result for case in self._certain(q, here)}
            lower = self._needed(begins, 1)
            short = any(_within(end, begin) for end in ends for begin in begins)
            yield Piece(lower, self._needed(ends, -1), answers, short)

    def _certain(self, question: Question, here: Sequence[Polynomial]) -> list[Case]:
        return [case for case in question.cases if all(self._never([*here, *other]) for other in case.elsewhere)][:1]

    def _needed(self, ends: Sequence[Polynomial], sign: int) -> Facts:
        """The ends without those that another one is always behind (sign 1) or before (-1)."""
        kept = list(dict.fromkeys(ends))
        for end in tuple(kept):
            others = [other for other in kept if other != end]
            if any(self._never([(end - other) * sign - 1]) for other in others):
                kept.remove(end)
        return tuple(kept)

    def _never(self, facts: Iterable[Polynomial]) -> bool:
        """Whether these are in no iteration of the loops around all true."""
        around = [loop for loop in self.nests.loops.values() if self.loop.header in loop.blocks and loop != self.loop]
        given = [*facts, *(p for loop in around for p in loop.domain)]
        symbols = {symbol for polynomial in given for symbol in polynomial.symbols}
        natural = [Polynomial.symbol(s) for s in symbols if s.kind is Kind.UNSIGNED]
        return _is_empty((*given, *natural))


def _within(end: Polynomial, begin: Polynomial | int) -> bool:
    """Whether one number is behind the other by a known distance that is short."""
    distance = (end - begin).as_constant
    return distance is not None and 0 < distance <= SHORT


def _is_empty(facts: Sequence[Polynomial]) -> bool:
    """Whether no integers make all of these at least 0; products are taken for numbers of their own."""
    monomials: dict[Monomial, str] = {}
    for fact in facts:
        for monomial, _ in fact.terms:
            if monomial:
                monomials.setdefault(monomial, f"v{len(monomials)}")
    space = isl.Space.create_from_names(isl.DEFAULT_CONTEXT, set=list(monomials.values()))
    solutions = isl.BasicSet.universe(space)
    for fact in facts:
        row: dict[str | Literal[1], isl.Val | int] = {monomials[m] if m else 1: coefficient for m, coefficient in fact.terms}
        solutions = solutions.add_constraint(isl.Constraint.ineq_from_names(space, row))
    return bool(solutions.is_empty())


def counts_by_one(loop: Loop) -> bool:
    """Whether a loop can be divided: it counts by one, in one variable that is known, and needs no conditions for it."""
    trip = loop.trip
    if trip is None or trip.count is None or loop.start is None or loop.variable is None or loop.conditions:
        return False
    return isinstance(loop.variable.type, IntType) and abs(trip.step) == 1
