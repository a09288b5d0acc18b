"""Moving elements between two views of one shape as fast as NumPy's compiled loops can.

Those run along the axis with the smallest stride, which is fast when it is long. So short contiguous runs, such as rows of a
block, are moved as one larger element, what else is short is taken apart into separate moves along the long axes, and a
transposition goes in tiles.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import prod
from typing import Any, Final

import numpy as np

from rv.cost.copies import MOST_MOVES, PANEL, PANEL_ROWS, SHORT_LOOP

Array = np.ndarray[Any, Any]

WHOLE: Final = {2: "u2", 4: "u4", 8: "u8", 16: "c16"}
"""Types that move so many bytes at once."""


def move(target: Array, source: Array) -> None:
    """`target[...] = source`, for arrays of one shape and dtype that do not overlap."""
    if target.dtype.hasobject or target.dtype != source.dtype or target.size < SHORT_LOOP * SHORT_LOOP:
        target[...] = source
        return
    for to, from_ in _long_loops(*_in_runs(*_without_ones(target, source))):
        for panel, values in _panels(to, from_):
            panel[...] = values


def _without_ones(target: Array, source: Array) -> tuple[Array, Array]:
    kept = tuple(slice(None) if length > 1 else 0 for length in target.shape)
    return target[kept], source[kept]


def _in_runs(target: Array, source: Array) -> tuple[Array, Array]:
    """The views with a short run of neighbours, contiguous in both, as one element."""
    size = target.dtype.itemsize
    axis = next((k for k, s in enumerate(target.strides) if s == size == source.strides[k]), None)
    if axis is None or target.shape[axis] * size not in WHOLE:
        return target, source
    whole = WHOLE[target.shape[axis] * size]
    moved = (np.moveaxis(view, axis, -1).view(whole)[..., 0] for view in (target, source))
    return next(moved), next(moved)


def _long_loops(target: Array, source: Array) -> Iterator[tuple[Array, Array]]:
    """The views, cut along short axes where NumPy's innermost loop would be short."""
    inner = _nearest(target)
    short = [k for k, length in enumerate(target.shape) if length < SHORT_LOOP]
    few = inner in short and len(short) < target.ndim and prod(target.shape[k] for k in short) <= MOST_MOVES
    if not few or target.strides[inner] == source.strides[inner]:
        yield target, source
        return
    for place in product(*(range(target.shape[k]) for k in short)):
        chosen = dict(zip(short, place, strict=True))
        cut = tuple(chosen.get(k, slice(None)) for k in range(target.ndim))
        yield target[cut], source[cut]


def _panels(target: Array, source: Array) -> Iterator[tuple[Array, Array]]:
    """The views in tiles that caches hold, where neighbours in one are far apart in the other."""
    to, from_ = _nearest(target), _nearest(source)
    size = target.dtype.itemsize
    if not target.ndim or to == from_ or source.shape[from_] * size <= PANEL:
        yield target, source
        return
    width = max(1, PANEL // size)
    for start in range(0, source.shape[from_], width):
        for row in range(0, target.shape[to], PANEL_ROWS):
            cuts = {from_: slice(start, start + width), to: slice(row, row + PANEL_ROWS)}
            cut = tuple(cuts.get(k, slice(None)) for k in range(target.ndim))
            yield target[cut], source[cut]


def _nearest(view: Array) -> int:
    """The axis along which neighbours are nearest."""
    return min(range(view.ndim), key=lambda k: view.strides[k], default=0)
