"""Arrays of runs in their layouts: from row-major elements to what a kernel with layouts takes, and back."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import prod
from typing import Final

import numpy as np

from layouts.address import AddressMap
from layouts.layout import Layout
from layouts.packing import Array, fill, unpack
from rv.evolution.polynomial import Polynomial


@dataclass(frozen=True, slots=True)
class Storage:
    """How one array argument is stored; the lengths of its dimensions are over the names of scalar arguments."""

    layout: Layout
    address: AddressMap
    lengths: tuple[Polynomial | None, ...]
    flattened: bool

    def shape(self, sizes: Mapping[str, int], count: int) -> tuple[int, ...]:
        """The shape for these sizes; as many rows as `count` elements need where the outermost length is not known."""
        least = int(self.flattened)
        inner = tuple(least if n is None else max(least, n.valued(sizes)) for n in self.lengths[1:])
        outermost = self.lengths[0]
        if outermost is not None:
            return (max(0, outermost.valued(sizes)), *inner)
        return (-(-count // max(1, prod(inner))), *inner)


Storages = Mapping[str, Storage]
ROWS: Final[Storages] = {}
"""No array has a layout."""


def store(storage: Storage, rows: Array, shape: tuple[int, ...], stored: Array) -> None:
    """Moves the elements in `rows`, row-major, to their places in `stored`; padding keeps what it holds."""
    count = prod(shape)
    whole = rows[:count]
    if whole.size < count:  # the last row is not whole
        whole = np.concatenate([whole, np.zeros(count - whole.size, rows.dtype)])
    fill(storage.layout, whole.reshape(shape), stored)


def take(storage: Storage, stored: Array, shape: tuple[int, ...], rows: Array) -> None:
    """Moves the elements in `stored` to `rows`, row-major."""
    count = min(prod(shape), rows.size)
    rows[:count] = unpack(storage.layout, stored, shape).reshape(-1)[:count]
