"""Moving arrays into a layout and back with compiled copies: `trv.pack` and `trv.unpack`.

A copy is a kernel like any other, `B[j][i] = A[j][i]` with a layout for one of the arrays, made by
`tensorrv.api.compiled.compile` for every layout, rank and size of elements, and kept in the cache. Its brush takes whole blocks
of usual sizes, so that it moves registers at the speed at which memory is copied. `layouts.packing` moves what is small, what is
no number of 1, 2, 4 or 8 bytes, and what is not in blocks, where NumPy copies to a view.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from numpy.typing import ArrayLike

from layouts import packing
from layouts.address import address_map
from layouts.layout import Layout, parse_layout
from layouts.packing import LINE, Array, PackedArray
from rv.cost.copies import ROWS_OF_KERNEL, WORTH_A_KERNEL
from tensorrv.api.compiled import CompiledKernel, compile

NUMBERS: Final = {1: "char", 2: "short", 4: "int", 8: "long"}
"""Integers of so many bytes: copies of them are exact, whatever the bits stand for."""


@dataclass(frozen=True, slots=True, eq=False)
class CopiedArray(PackedArray):
    """A packed array that `unpack` moves back with compiled copies."""

    def unpack(self) -> Array:
        """A new row-major array with the elements."""
        return unpack(self.layout, self.data, self.shape)


def pack(layout: Layout | str, array: ArrayLike) -> PackedArray:
    """The elements of `array` (any strides, any dtype) under a layout; padding is zero.

    Raises LayoutError when the layout does not fit the array's rank, TypeError for masked arrays and what is no layout.
    """
    chosen = parse_layout(layout) if isinstance(layout, str) else layout
    if not isinstance(chosen, Layout):
        raise TypeError(f"a layout is a text such as '2x2' or a value such as Blocked(2, 2), not {layout!r}")
    if isinstance(array, np.ma.MaskedArray):
        raise TypeError("a layout has no place for masks; pack .data or .filled() of a masked array")
    array = np.asarray(array)
    if not _is_compiled(chosen, array.ndim, array.size, array.dtype):
        return CopiedArray(chosen, array.shape, packing.pack(chosen, array).data)
    data = packing.zeros(address_map(chosen, array.ndim).extent(array.shape), array.dtype)
    _copy(chosen, into=True, rows=np.require(array, requirements=["C", "A"]), stored=data)
    return CopiedArray(chosen, array.shape, data)


def unpack(layout: Layout | str, data: Array, shape: Sequence[int], out: Array | None = None) -> Array:
    """The array of `shape` whose elements are stored in `data`; written to `out` when that is given.

    Raises LayoutError when the layout does not fit the rank, ValueError when `data` is too short or not contiguous, or `out` has
    another shape.
    """
    chosen = parse_layout(layout) if isinstance(layout, str) else layout
    direct = out is None or (out.dtype == data.dtype and out.flags.carray and out.shape == tuple(shape))
    few = data.size < address_map(chosen, len(shape)).extent(shape)
    ready = direct and not few and data.flags.c_contiguous and data.flags.aligned
    if not ready or not _is_compiled(chosen, len(shape), data.size, data.dtype):
        return packing.unpack(chosen, data, shape, out)
    rows = np.empty(tuple(shape), data.dtype) if out is None else out
    _copy(chosen, into=False, rows=rows, stored=data.reshape(-1))
    return rows


def _is_compiled(layout: Layout, rank: int, size: int, dtype: np.dtype[Any]) -> bool:
    """Whether a kernel moves the elements: into blocks, for which there is no view that NumPy could copy to."""
    blocks = len(address_map(layout, rank).digits) > rank
    return blocks and size >= WORTH_A_KERNEL and dtype.itemsize in NUMBERS and not dtype.hasobject


def _copy(layout: Layout, *, into: bool, rows: Array, stored: Array) -> None:
    size = rows.dtype.itemsize
    number = np.dtype(f"i{size}")
    kernel = copying(layout, rows.ndim, size, into)
    arrays = [rows.view(number), stored.view(number)]
    kernel(*rows.shape, *(arrays if into else reversed(arrays)))


@lru_cache(maxsize=64)
def copying(layout: Layout, rank: int, size: int, into: bool) -> CompiledKernel:
    """The kernel that copies A to B: B is in the layout if the elements go `into` it, else A."""
    brush = (LINE // size,) if rank == 1 else (ROWS_OF_KERNEL, LINE // size)
    return compile(_c_text(rank, NUMBERS[size]), brush=brush, layouts={"B" if into else "A": layout})


def _c_text(rank: int, element: str) -> str:
    lengths = ", ".join(f"long n{k}" for k in range(rank))
    dimensions = "[restrict n0]" + "".join(f"[n{k}]" for k in range(1, rank))
    loops = "".join(f"for (long i{k} = 0; i{k} < n{k}; ++i{k}) " for k in range(rank))
    place = "".join(f"[i{k}]" for k in range(rank))
    return (
        f"void copy({lengths}, const {element} A{dimensions}, {element} B{dimensions})\n{{ {loops}B{place} = A{place}; }}\n"
    )
