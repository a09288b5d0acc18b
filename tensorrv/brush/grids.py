"""Grids: where the brushes of a loop begin, so that they begin where blocks of a layout begin.

An array in blocks of b elements is accessed in whole chunks of blocks only if it is known where in its block the first lane is.
So a loop that counts through a blocked dimension of an array starts with a *head* of fewer than gcd(b, m) iterations, after
which brushes of m iterations stand on the grid. Stores decide where the grid lies; where an array is only read, the middle one
of its subscripts.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import gcd, lcm
from typing import Final

from rv.evolution.polynomial import Polynomial, counter
from rv.ir.instructions import Horizontal
from tensorrv.brush.memory.placed import Anchor
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.legality.region import available_before
from tensorrv.nest.model import Access, Nests

WIDEST: Final = 64
"""Iterations: blocks whose sizes have a larger common multiple are not aligned to all at once."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Brushes begin where `index`, in which the loop's counter has coefficient 1, is a multiple of `step`."""

    header: str
    index: Polynomial
    step: int

    @property
    def start(self) -> Polynomial:
        """The index at the loop's first iteration."""
        return self.index.without([counter(self.header)])

    @property
    def first(self) -> int | None:
        """How many iterations come before the first brush on the grid; None where it depends on run-time values."""
        start = self.start
        varies = any(monomial and coefficient % self.step for monomial, coefficient in start.terms)
        return None if varies else -start.constant_term % self.step

    def anchor(self, moved: int, modulus: int) -> Anchor:
        """What is known of a brush `moved` iterations behind the grid, up to multiples of `modulus`."""
        return Anchor(self.header, self.index + moved, modulus)


def find_grids(facts: Nests, shapes: NestShapes, sizes: tuple[int, ...], *, stream: bool) -> tuple[Grid | None, ...]:
    """The grid of every brushed loop; None where no brush of this size stands on a grid.

    To `stream`, brushes of the innermost loop begin at multiples of their size: registers of several blocks are aligned then.
    """
    found = [_grid(facts, shapes, header, size) for header, size in zip(shapes.headers, sizes, strict=True)]
    inner = found[-1]
    if stream and inner is not None and sizes[-1] <= WIDEST:
        found[-1] = replace(inner, step=sizes[-1])
    return tuple(found)


def _grid(facts: Nests, shapes: NestShapes, header: str, size: int) -> Grid | None:
    found = list(_candidates(facts, shapes, header))
    block = lcm(*(b for _, _, b in found))
    step = gcd(size, block if block <= WIDEST else max((b for _, _, b in found), default=1))
    if step == 1:
        return None
    stored = [index for index, kind, _ in found if kind == "store"]
    return Grid(header, stored[0] if stored else _middle([index for index, _, _ in found]), step)


def lane_blocks(facts: Nests, shapes: NestShapes, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """The sizes of the blocks in which lanes are numbered, so that registers hold what is contiguous in most arrays.

    An array that is loaded and stored counts twice. All ones: lanes are numbered in rows. Code that uses its lane's number
    keeps to rows.
    """
    rows = (1,) * len(sizes)
    region = facts.loops[shapes.headers[0]].blocks
    if any(isinstance(i, Horizontal) and i.op != "any" for _, i in facts.function.instructions_in(region)):
        return rows
    found: dict[tuple[str, str], tuple[int, ...]] = {}
    for access in facts.accesses:
        if access.block in region:
            found.setdefault((access.array.name, access.kind), _blocks_of(access, shapes, sizes))
    counts = Counter(found.values())
    return max(counts, key=lambda blocks: (counts[blocks], blocks == rows), default=rows)


def _blocks_of(access: Access, shapes: NestShapes, sizes: tuple[int, ...]) -> tuple[int, ...]:
    """How far each dimension of the brush stays in one block of the accessed array; all ones when lanes along it are in rows."""
    if access.subscripts is None or access.placement is None:
        return (1,) * len(sizes)
    found = [1] * len(sizes)
    for dimension, subscript in enumerate(access.subscripts):
        for d, header in enumerate(shapes.headers):
            if subscript.coefficient(counter(header)).as_constant in (1, -1):
                found[d] = gcd(access.placement.address.block(dimension), sizes[d])
    return tuple(found)


def _middle(indices: list[Polynomial]) -> Polynomial:
    """The index in the middle among those that differ from the first one by a constant."""
    first = indices[0] - indices[0].constant_term
    constants = sorted({index.constant_term for index in indices if index - index.constant_term == first})
    return first + constants[len(constants) // 2]


def _candidates(facts: Nests, shapes: NestShapes, header: str) -> Iterator[tuple[Polynomial, str, int]]:
    """Subscripts of blocked dimensions that step through neighbours, as (index, load or store, size of a block).

    Where the subscript counts down, the index is one of which a multiple lies at the upper end of a block.
    """
    loop = facts.loops[header]
    others = {counter(h) for h in shapes.headers if h != header}
    for access in facts.accesses:
        if access.block in loop.blocks and access.subscripts is not None and access.placement is not None:
            for dimension, subscript in enumerate(access.subscripts):
                block = access.placement.address.block(dimension)
                slope = subscript.coefficient(counter(header)).as_constant
                if block > 1 and slope in (1, -1) and not others & subscript.symbols:
                    index = subscript if slope == 1 else -subscript - 1
                    if available_before(facts, [index.without([counter(header)])], loop):
                        yield index, access.kind, block
