"""Threads, coordinates and the lanes of vector registers (thesis, definition 24 and section 11.5).

A thread of a d-dimensional thread array is named by its coordinate, a d-tuple. A *pattern* lists the coordinates of the
lanes of one vector value; a pattern of length one is a scalar. A value that varies only in some dimensions is the same for
all coordinates that agree there, so every pattern is *restricted* to these dimensions before a value is looked up: equal
restricted patterns share one register, and a pattern that shrinks to a single coordinate is a scalar. One-dimensional
vectorization is the case d = 1.
"""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Final

Coordinate = tuple[int, ...]
Pattern = tuple[Coordinate, ...]

SCALAR: Final[Pattern] = ((),)
"""The pattern of every value that is the same for all threads."""


def restrict(pattern: Pattern, dimensions: frozenset[int]) -> Pattern:
    """The pattern with coordinates zeroed outside `dimensions`; of length one if all lanes then agree."""
    if not dimensions:
        return SCALAR
    lanes = tuple(tuple(x if d in dimensions else 0 for d, x in enumerate(c)) for c in pattern)
    return lanes[:1] if all(c == lanes[0] for c in lanes) else lanes


def is_scalar(pattern: Pattern) -> bool:
    return len(pattern) == 1


def enumerate_lanes(
    sizes: Sequence[int], projection: Sequence[int], blocks: Sequence[int] | None = None
) -> tuple[Coordinate, ...]:
    """All coordinates in lane order: lane(c) = c[p0] + m[p0]*(c[p1] + m[p1]*(...)) for projection (p0, p1, ...).

    With `blocks` the lanes of blocks of these sizes follow each other; blocks, and lanes inside them, are in that order.
    """
    slowest_first = list(reversed(projection))
    lanes: list[Coordinate] = []
    for digits in itertools.product(*(range(sizes[d]) for d in slowest_first)):
        by_dimension = dict(zip(slowest_first, digits, strict=True))
        lanes.append(tuple(by_dimension[d] for d in range(len(sizes))))
    if blocks is not None:
        lanes.sort(key=lambda c: tuple(c[d] // blocks[d] for d in slowest_first))  # a stable sort
    return tuple(lanes)


def cut_registers(lanes: Sequence[Coordinate], width: int) -> tuple[Pattern, ...]:
    """Consecutive groups of at most `width` lanes: one vector register each."""
    return tuple(tuple(lanes[k : k + width]) for k in range(0, len(lanes), width))
