"""How a stencil's domain is cut, and what an index means that lies outside it.

The domain is [0, n0) x [0, n1) x ...; along each dimension the points in [low, high) are *interior*: every element that they
read exists. The points before and behind may read elements outside, whose indices are mapped back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

Boundary = Literal["leave", "constant", "periodic", "reflect", "nearest"]
BOUNDARIES: Final[tuple[Boundary, ...]] = get_args(Boundary)


@dataclass(frozen=True, slots=True)
class Reach:
    """How far a stencil reads below and above the point it computes, along one dimension."""

    below: int
    above: int


@dataclass(frozen=True, slots=True)
class Cut:
    """One dimension in C: its length, and the names of the ends of its interior."""

    length: str
    reach: Reach
    low: str
    high: str

    def definitions(self) -> Iterator[str]:
        """The values of the ends: 0 <= low <= high <= length, in domains without interior as well."""
        if self.reach.below:
            yield f"int {self.low} = {self.reach.below} < {self.length} ? {self.reach.below} : {self.length};"
        if self.reach.above:
            end = f"{self.length} - {self.reach.above}"
            yield f"int {self.high} = {end} > {self.first} ? {end} : {self.first};"

    @property
    def first(self) -> str:
        return self.low if self.reach.below else "0"

    @property
    def last(self) -> str:
        return self.high if self.reach.above else self.length


@dataclass(frozen=True, slots=True)
class Side:
    """A range of one dimension in C, and whether what is read there may lie outside the domain."""

    low: str
    high: str
    mapped: bool


Box = tuple[Side, ...]


def boxes(cuts: Sequence[Cut]) -> Iterator[Box]:
    """The interior, then boxes that hold all other points, each point once.

    For the first dimension the slabs before and behind the interior, over all of the other dimensions; then the same for
    the second dimension between them, and so on. The last dimension is always cut in three, so that long rows stay plain.
    """
    *outer, last = cuts
    inner = [_interior(cut) for cut in outer]
    yield (*inner, _interior(last))
    for d, cut in enumerate(outer):
        whole = [Side("0", other.length, True) for other in outer[d + 1 :]]
        for end in _ends(cut):
            for piece in (_interior(last), *_ends(last)):
                yield (*inner[:d], end, *whole, piece)
    for end in _ends(last):
        yield (*inner, end)


def _interior(cut: Cut) -> Side:
    return Side(cut.first, cut.last, False)


def _ends(cut: Cut) -> Iterator[Side]:
    if cut.reach.below:
        yield Side("0", cut.low, True)
    if cut.reach.above:
        yield Side(cut.high, cut.length, True)


def mapped_index(index: str, length: str, boundary: Boundary) -> str:
    """The index inside 0..length-1 that stands for `index`, in C; `index` itself for modes that do not map."""
    match boundary:
        case "periodic":
            return f"(({index}) % {length} + {length}) % {length}"
        case "reflect":
            # the period is 2n, and its second half runs backwards
            wrapped = f"((({index}) % (2 * {length}) + 2 * {length}) % (2 * {length}))"
            return f"({wrapped} < {length} ? {wrapped} : 2 * {length} - 1 - {wrapped})"
        case "nearest":
            return f"(({index}) < 0 ? 0 : ({index}) >= {length} ? {length} - 1 : ({index}))"
        case "constant" | "leave":
            return index


def is_inside(index: str, length: str) -> str:
    """Whether an index is one of the domain's, in C."""
    return f"({index}) >= 0 && ({index}) < {length}"
