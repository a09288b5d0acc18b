"""How an access walks through rows of its array: what the lines that it touches are counted from.

Rows shorter than a line count as parts of the longer ones around them: `4 * i + k` for [i][k] of rows of 4.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from operator import add

from rv.evolution.polynomial import Polynomial, Symbol
from rv.ir.types import size_of
from tensorrv.nest.model import Access


@dataclass(frozen=True, slots=True)
class Rows:
    """An access with `size` bytes an element.

    `family`: the subscripts before the last one without their constants, which are `start`; accesses of one family are in rows
    at fixed distances. `steps`: by symbol of the last subscript, how many elements it moves the access along its row, 0 where
    that is not known. `across`: the symbols that move it to other rows. `short`: rows were joined.
    """

    size: int
    family: tuple[Polynomial, ...]
    start: tuple[int, ...]
    steps: Mapping[Symbol, int]
    across: frozenset[Symbol]
    short: bool


def rows_of(access: Access, line: int) -> Rows:
    """The rows of an access that has subscripts, with lines of so many bytes."""
    assert access.subscripts is not None
    *outer, last = access.subscripts
    size = size_of(access.element)
    for length in reversed([extent.as_constant for extent in access.extents]):
        if length is None or length * size >= line:
            break
        last, size = outer.pop() * length + last, size * length
    start = tuple(subscript.constant_term for subscript in outer)
    return Rows(
        size_of(access.element),
        tuple(subscript - low for subscript, low in zip(outer, start, strict=True)),
        start,
        {symbol: abs(last.coefficient(symbol).as_constant or 0) for symbol in last.symbols},
        frozenset[Symbol]().union(*(subscript.symbols for subscript in outer)),
        len(outer) + 1 < len(access.subscripts),
    )


@lru_cache(maxsize=4096)
def touched_rows(
    start: tuple[int, ...], strides: tuple[tuple[int, ...], ...], sizes: tuple[int, ...]
) -> frozenset[tuple[int, ...]]:
    """The rows that lanes of a brush touch, the first one's being `start`; `strides` by subscript, for each dimension."""
    rows = {start}
    for dimension, size in enumerate(sizes):
        column = tuple(row[dimension] for row in strides)
        if any(column):
            steps = [tuple(stride * k for stride in column) for k in range(size)]
            rows = {tuple(map(add, row, step)) for row in rows for step in steps}
    return frozenset(rows)
