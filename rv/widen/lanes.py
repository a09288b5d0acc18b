"""Threads, coordinates and the lanes of vector registers (thesis, definition 24 and section 11.5).

A thread of a d-dimensional thread array is named by its coordinate, a d-tuple. A *set of lanes* lists the coordinates of the
lanes of one vector value; a set of lanes of length one is a scalar. A value that varies only in some dimensions is the same for
all coordinates that agree there, so every set of lanes is *restricted* to these dimensions before a value is looked up: equal
restricted sets of lanes share one register, and a set of lanes that shrinks to a single coordinate is a scalar. One-dimensional
vectorization is the case d = 1.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Sequence
from typing import Final

Coordinate = tuple[int, ...]
Lanes = tuple[Coordinate, ...]

SCALAR: Final[Lanes] = ((),)
"""The lanes of every value that is the same for all threads."""


@functools.lru_cache(maxsize=4096)
def restrict(coordinates: Lanes, dimensions: frozenset[int]) -> Lanes:
    """The set of lanes with coordinates zeroed outside `dimensions`; of length one if all lanes then agree."""
    if not dimensions:
        return SCALAR
    lanes = tuple(tuple(x if d in dimensions else 0 for d, x in enumerate(c)) for c in coordinates)
    return lanes[:1] if all(c == lanes[0] for c in lanes) else lanes


def is_scalar(coordinates: Lanes) -> bool:
    return len(coordinates) == 1


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


def cut_registers(lanes: Sequence[Coordinate], width: int) -> tuple[Lanes, ...]:
    """Consecutive groups of at most `width` lanes: one vector register each."""
    return tuple(tuple(lanes[k : k + width]) for k in range(0, len(lanes), width))
