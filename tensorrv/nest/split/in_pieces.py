"""A loop as several, one for each piece of its iterations, one after the other.

    for (i = 0; i < n; ++i)                for (i = 0; i < min(n, 1); ++i)
      b[i] = i > 0 ? a[i - 1] : 0;   ->      b[i] = 0;
                                           for (i = 1; i < n; ++i)
                                             b[i] = a[i - 1];

What the loop carries from one iteration to the next goes from piece to piece; its counter begins anew at the number that the
piece begins with. Ends are compared in 64 bits, where nothing overflows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import inf

from rv.evolution.bounds import type_range
from rv.evolution.facts import Loop, Trip
from rv.evolution.polynomial import Polynomial
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction
from rv.ir.rewrite import FreshNames, substitute
from rv.ir.types import I1, I64, IntType
from rv.ir.values import Value, Var
from rv.transform.loops.evaluation import Evaluation
from rv.transform.prepare import canonicalize
from tensorrv.nest.model import Nests
from tensorrv.nest.split.in_a_row import Copy, Part, copies_of, in_a_row
from tensorrv.nest.split.pieces import Piece


def in_pieces(nests: Nests, loop: Loop, pieces: Sequence[Piece]) -> tuple[Function, tuple[Copy, ...]]:
    """The function with a loop that counts by one in pieces, and their places. Raises Obstacle where ends cannot be computed."""
    names = FreshNames.of(nests.function)
    copies = copies_of(nests.function, loop, names, len(pieces))
    made = _InPieces(nests, loop, names)
    function = in_a_row(nests.function, loop, copies, [made.part(piece) for piece in pieces])
    answers = {name: value for copy, piece in zip(copies, pieces, strict=True) for name, value in _constants(copy, piece)}
    return canonicalize(substitute(function, answers)), copies


@dataclass(frozen=True, slots=True)
class _InPieces:
    nests: Nests
    loop: Loop
    names: FreshNames

    def part(self, piece: Piece) -> Part:
        """What is different in the copy for a piece."""
        place = self.loop.preheader
        ends = Evaluation(self.nests.function, place, self.nests.loops, self.names, "end", "a piece of a loop", nsw=True)
        trip, variable = self.loop.trip, self.loop.variable
        assert trip is not None and variable is not None
        start = self._start(ends, trip, variable, piece)
        limit = ends.nearest("slt" if trip.step > 0 else "sgt", [self._number(trip, end) for end in piece.upper])
        blocks = (block for block in self.nests.function.blocks if block.label in self.loop.blocks)
        changed = {block.label: _answered(block, piece) for block in blocks}
        changed[self.loop.header] = self._tested(changed[self.loop.header], trip, variable, limit)
        return Part(tuple(ends.code), {variable: start}, changed)

    def _start(self, ends: Evaluation, trip: Trip, variable: Var, piece: Piece) -> Value:
        """The variable's value at the beginning of a piece; where that may not fit its type, the loop's end if it comes first."""
        if piece.lower == (Polynomial(),):
            return trip.start
        numbers = [self._number(trip, begin) for begin in piece.lower]
        start = ends.nearest("sgt" if trip.step > 0 else "slt", numbers)
        assert isinstance(variable.type, IntType)
        if variable.type == I64:
            return start
        lows, highs = zip(*(self._ends(number) for number in numbers), strict=True)
        low, high = (max(lows), max(highs)) if trip.step > 0 else (min(lows), min(highs))
        least = 0 if trip.unsigned else -(1 << (variable.type.bits - 1))
        if low < least or high >= least + (1 << variable.type.bits):
            last = self._number(trip, trip.distance)
            start = ends.nearer("slt" if trip.step > 0 else "sgt", start, ends.polynomial(last))
        return ends.convert("trunc", start, variable.type)

    def _ends(self, number: Polynomial) -> tuple[float, float]:
        """Two numbers between which a number certainly is."""
        low, high = 0.0, 0.0
        for monomial, factor in number.terms:
            if len(monomial) > 1 or any(symbol.is_counter for symbol in monomial):
                return -inf, inf
            ends = [end * factor for end in type_range(monomial[0], self.nests.bits)] if monomial else [factor]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def _number(self, trip: Trip, iteration: Polynomial) -> Polynomial:
        """The variable's value in an iteration."""
        assert self.loop.start is not None
        return self.loop.start + iteration * trip.step

    def _tested(self, header: Block, trip: Trip, variable: Var, limit: Value) -> Block:
        """The header that leaves the loop at the end of the piece."""
        more = self.names.variable("more", I1)
        code: list[Instruction] = []
        counted = variable
        if variable.type != I64:
            counted = self.names.variable(variable.name, I64)
            code.append(Convert(counted, "zext" if trip.unsigned else "sext", variable))
        code.append(CompareInt(more, "slt" if trip.step > 0 else "sgt", counted, limit, header.terminator.span))
        test = Branch(more, self.loop.body, self.loop.exit, header.terminator.span)
        return replace(header, body=(*header.body, *code), terminator=test)


def _constants(copy: Copy, piece: Piece) -> Iterator[tuple[str, Value]]:
    """What takes the places of the results whose answers are certain in a piece."""
    for name, case in piece.answers.items():
        if case.minus is None:
            yield copy.names.get(name, name), copy.value(case.value)


def _answered(block: Block, piece: Piece) -> Block:
    """A remainder whose number is known to be between the divisor and its double is their difference."""

    def changed(instruction: Instruction) -> Instruction:
        case = None if instruction.result is None else piece.answers.get(instruction.result.name)
        if case is None or case.minus is None:
            return instruction
        assert isinstance(instruction, Binary)
        return replace(instruction, op="sub", nsw=True)

    return replace(block, body=tuple(map(changed, block.body)))
