"""What becomes of a loop whose iterations are split, and how reports say it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol
from tensorrv.nest.split.pieces import Piece


@dataclass(frozen=True, slots=True)
class Divided:
    """A loop that is in pieces, and the pieces; `names` are those of the variables of loops, by the symbols of their counters."""

    loop: Loop
    pieces: tuple[Piece, ...]
    names: Mapping[Symbol, str]

    def __str__(self) -> str:
        """`i: 0 .. min(n, 1) | 1 .. n - 1 | max(1, n - 1) .. n`, in terms of the variable; ends are no part of pieces."""
        return f"{self.loop.name}: {' | '.join(map(self._piece, self.pieces))}"

    def _piece(self, piece: Piece) -> str:
        up = self.loop.trip is None or self.loop.trip.step > 0
        first, last = ("max", "min") if up else ("min", "max")
        return f"{self._end(first, piece.lower)} .. {self._end(last, piece.upper)}"

    def _end(self, nearest: str, iterations: tuple[Polynomial, ...]) -> str:
        assert self.loop.trip is not None and self.loop.start is not None
        numbers = [self.loop.start + iteration * self.loop.trip.step for iteration in iterations]
        told = [number.readable(self.names) for number in numbers]
        return told[0] if len(told) == 1 else f"{nearest}({', '.join(told)})"
