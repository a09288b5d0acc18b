"""Moving NumPy arrays into a layout and back, exactly: every element to its place and none twice.

Where a layout only permutes and pads, the stored elements are viewed as an array of the original shape without a copy
(`view`). Blocks need a copy. It goes box by box: along every blocked dimension the whole blocks are one box, the remaining
elements, less than a block, another one. Inside a box every digit runs over a range of its own, so that a box is one strided
assignment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

import numpy as np

from layouts.address import AddressMap, address_map
from layouts.layout import Layout
from layouts.moving import move

Array = np.ndarray[Any, Any]
LINE: Final = 64
"""Bytes."""


@dataclass(frozen=True, slots=True, eq=False)
class PackedArray:
    """An array of `shape` stored under `layout`: `data` holds `layout`'s extent of elements, in order."""

    layout: Layout
    shape: tuple[int, ...]
    data: Array

    def unpack(self) -> Array:
        """A new row-major array with the elements."""
        return unpack(self.layout, self.data, self.shape)

    def view(self) -> Array | None:
        """The elements as an array of `shape` that shares the memory; None where blocks make that impossible."""
        return view(self.layout, self.data, self.shape)


def pack(layout: Layout, array: Array) -> PackedArray:
    """The elements of `array` (any strides, any dtype) under a layout; padding is zero.

    Raises LayoutError when the layout does not fit the array's rank.
    """
    data = zeros(address_map(layout, array.ndim).extent(array.shape), array.dtype)
    fill(layout, array, data)
    return PackedArray(layout, array.shape, data)


def zeros(count: int, dtype: np.dtype[Any]) -> Array:
    """So many zeros, from the start of a cache line on: so do blocks then that are as large as vectors."""
    if dtype.hasobject or not dtype.itemsize:
        return np.zeros(count, dtype)
    raw = np.zeros(count * dtype.itemsize + LINE, np.uint8)
    start = -raw.ctypes.data % LINE
    return raw[start : start + count * dtype.itemsize].view(dtype)


def fill(layout: Layout, array: Array, data: Array) -> None:
    """Moves the elements of `array` to their places in `data`; padding keeps what it holds.

    Raises LayoutError when the layout does not fit the array's rank, ValueError when `data` is too short or not contiguous.
    """
    for places, elements in _boxes(address_map(layout, array.ndim), data, array):
        move(places, elements)


def unpack(layout: Layout, data: Array, shape: Sequence[int], out: Array | None = None) -> Array:
    """The array of `shape` whose elements are stored in `data`; written to `out` when that is given.

    Raises LayoutError when the layout does not fit the rank, ValueError when `data` is too short or not contiguous, or `out` has
    another shape.
    """
    stored = address_map(layout, len(shape))
    if out is None:
        out = np.empty(tuple(shape), data.dtype)
    elif out.shape != tuple(shape):
        raise ValueError(f"the array to write has shape {out.shape}, not {tuple(shape)}")
    for places, elements in _boxes(stored, data, out):
        move(elements, places)
    return out


def view(layout: Layout, data: Array, shape: Sequence[int]) -> Array | None:
    """The elements in `data` as an array of `shape` that shares its memory; None where blocks make that impossible."""
    stored = address_map(layout, len(shape))
    if len(stored.digits) > stored.rank:
        return None
    order = [next(p for p, digit in enumerate(stored.digits) if digit.dimension == k) for k in range(stored.rank)]
    return _places(stored, data, shape).transpose(order)[tuple(slice(n) for n in shape)]


def _places(stored: AddressMap, data: Array, shape: Sequence[int]) -> Array:
    """The stored elements with one dimension per digit, without a copy."""
    count = stored.extent(shape)
    flat = data.reshape(-1) if data.flags.c_contiguous else None
    if flat is None or flat.size < count:
        raise ValueError(f"the stored elements must be {count} contiguous ones, not {data.size}")
    return flat[:count].reshape(stored.lengths(shape))


def _boxes(stored: AddressMap, data: Array, array: Array) -> Iterator[tuple[Array, Array]]:
    """Views of equal shape on the stored elements and on the array, which together cover the array."""
    places = _places(stored, data, array.shape)
    radices = [_radix(stored, k) for k in range(stored.rank)]
    for box in product(*(_ranges(radix, n) for radix, n in zip(radices, array.shape, strict=True))):
        elements = array[tuple(slice(run.start, run.stop) for run in box)]
        elements = elements.reshape(tuple(n for run in box for n in run.counts))
        order = [position for radix in radices for position, _ in radix]
        ranges = {position: span for radix, run in zip(radices, box, strict=True)
                  for (position, _), span in zip(radix, run.digits, strict=True)}  # fmt: skip
        chosen = places[tuple(slice(ranges[p].start, ranges[p].stop) for p in range(places.ndim))]
        yield chosen.transpose(order), elements


def _radix(stored: AddressMap, dimension: int) -> list[tuple[int, int]]:
    """The digits of a dimension, most significant first: (position among all digits, divisor)."""
    found = [(p, digit) for p, digit in enumerate(stored.digits) if digit.dimension == dimension]
    # a digit that is always 0 has the divisor of the one above it
    found.sort(key=lambda pair: (-pair[1].divisor, pair[1].modulus is not None, -(pair[1].modulus or 0)))
    return [(position, digit.divisor) for position, digit in found]


@dataclass(frozen=True, slots=True)
class _Run:
    """Indices start..stop-1 along a dimension, whose digits, most significant first, run through all of `digits`."""

    start: int
    stop: int
    digits: tuple[range, ...]

    @property
    def counts(self) -> tuple[int, ...]:
        return tuple(map(len, self.digits))


def _ranges(radix: list[tuple[int, int]], length: int) -> list[_Run]:
    """The indices 0..length-1 in at most as many runs as there are digits, as a number is counted up to in a mixed radix."""
    runs: list[_Run] = []
    start = 0
    fixed: list[range] = []
    for level, (_, divisor) in enumerate(radix):
        count = (length - start) // divisor
        if count:
            inner = [range(radix[k - 1][1] // radix[k][1]) for k in range(level + 1, len(radix))]
            runs.append(_Run(start, start + count * divisor, (*fixed, range(count), *inner)))
        start += count * divisor
        fixed.append(range(count, count + 1))
    return runs
