"""Arrays between inaccessible pages."""

from __future__ import annotations

import ctypes
import mmap
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from tests.fuzz.case import DTYPES, ArrayInfo, Call, Case, contents

PAGE: Final = mmap.PAGESIZE
FILLER: Final = 0xA5
_LIBC: Final = ctypes.CDLL(None, use_errno=True)
_NONE, _READ, _BOTH = 0, 1, 3


@dataclass(slots=True)
class Area:
    """Elements low..high of `array` (and of the arrays that lie inside it), in whole pages with a guard page on each side."""

    array: ArrayInfo
    low: int
    high: int
    pages: mmap.mmap
    start: int
    begin: int
    size: int

    @property
    def bytes(self) -> np.ndarray[Any, Any]:
        return np.frombuffer(self.pages, dtype=np.uint8)[PAGE : PAGE + self.size]

    @property
    def elements(self) -> np.ndarray[Any, Any]:
        """The touched elements."""
        dtype = np.dtype(DTYPES[self.array.element])
        count = self.high - self.low + 1
        return self.bytes[self.begin : self.begin + count * dtype.itemsize].view(dtype)

    @property
    def base(self) -> int:
        """The address of element 0."""
        return self.start + PAGE + self.begin - self.low * np.dtype(DTYPES[self.array.element]).itemsize

    def fill(self, seed: int) -> None:
        self.bytes[: self.begin] = FILLER
        self.bytes[self.begin + self.elements.nbytes :] = FILLER
        self.elements[:] = contents(self.array, self.low, self.high, seed)

    def protect(self, writable: bool) -> None:
        if self.size:
            _LIBC.mprotect(ctypes.c_void_p(self.start + PAGE), ctypes.c_size_t(self.size), _BOTH if writable else _READ)


def make_area(array: ArrayInfo, low: int, high: int, at_end: bool) -> Area:
    count = (high - low + 1) * np.dtype(DTYPES[array.element]).itemsize
    size = -(-count // PAGE) * PAGE
    pages = mmap.mmap(-1, size + 2 * PAGE)
    start = ctypes.addressof(ctypes.c_char.from_buffer(pages))
    for guard in (start, start + PAGE + size):
        _LIBC.mprotect(ctypes.c_void_p(guard), ctypes.c_size_t(PAGE), _NONE)
    return Area(array, low, high, pages, start, size - count if at_end else 0, size)


@dataclass(slots=True)
class Arguments:
    """The areas of one call, and the address that is passed for every array."""

    areas: list[Area]
    addresses: dict[str, int]

    def fill(self, seed: int) -> None:
        for area in self.areas:
            area.protect(True)
            area.fill(seed)
            if area.array.const:
                area.protect(False)

    def snapshot(self) -> list[np.ndarray[Any, Any]]:
        return [area.bytes.copy() for area in self.areas]


def make_arguments(case: Case, call: Call, window: range | None = None) -> Arguments:
    """Buffers for the elements that the call touches, or `window` elements of each."""
    areas: list[Area] = []
    addresses: dict[str, int] = {}
    by_name = {array.name: array for array in case.arrays}
    for name, array in by_name.items():
        if name in call.aliases:
            continue
        parts = [call.reach.get(name)]
        for other, (owner, offset) in call.aliases.items():
            reach = call.reach.get(other)
            if owner == name and reach is not None:
                parts.append((reach[0] + offset, reach[1] + offset))
        known = [part for part in parts if part is not None]
        low, high = min((p[0] for p in known), default=0), max((p[1] for p in known), default=-1)
        if window is not None:
            low, high = window.start, window.stop - 1
        shared = [by_name[other] for other, (owner, _) in call.aliases.items() if owner == name]
        const = array.const and all(other.const for other in shared)
        area = make_area(ArrayInfo(name, array.element, const, array.fill), low, high, call.at_end)
        areas.append(area)
        addresses[name] = area.base
    for name, (owner, offset) in call.aliases.items():
        addresses[name] = addresses[owner] + offset * np.dtype(DTYPES[by_name[name].element]).itemsize
    return Arguments(areas, addresses)
