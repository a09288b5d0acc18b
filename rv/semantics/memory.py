"""Byte-addressed memory of named regions with bounds, into which buffers of the caller can be mapped.

Region number k (from 1) begins at address k * 2**40, so that an address names its region and no access strays from one region
into another; region 0 is empty and catches null pointers. Regions are little-endian and begin aligned for every type. A mapped
buffer is shared with its owner, not copied: what the program stores is in the caller's NumPy array or bytearray at once.

Stack objects are regions that record which of their bytes are undefined. Loading such a byte, and be it one of several, gives the
undefined value; storing the undefined value, an error elsewhere, makes bytes undefined.
"""

from __future__ import annotations

import struct
import sys
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, cast

from rv.ir.types import FloatType, IntType, Type
from rv.semantics.undefined import UNDEFINED

if TYPE_CHECKING:
    import numpy.typing as npt

    Buffer = bytes | bytearray | memoryview | npt.NDArray[Any]

REGION_BITS: Final = 40
OFFSET_MASK: Final = (1 << REGION_BITS) - 1

# memoryview's codes of the types in memory; a truth value takes a byte
ELEMENT_CODES: Final = {1: "B", 8: "B", 16: "H", 32: "I", 64: "Q"}


@dataclass(frozen=True, slots=True)
class Region:
    """`size` bytes at address `base`; `data` are the bytes themselves, `undefined` marks some in stack objects (else empty)."""

    name: str
    base: int
    size: int
    data: memoryview
    undefined: bytearray = field(default_factory=bytearray)

    def forget(self) -> None:
        """Makes the contents of a stack object undefined."""
        self.undefined[:] = b"\1" * self.size


class Fault(Exception):
    """An access outside every region, misaligned, or a store to a read-only region; `address` is where."""

    def __init__(self, message: str, address: int) -> None:
        super().__init__(message)
        self.address = address


def element_code(type_: Type) -> str:
    """The code by which memoryviews and `struct` name a type."""
    match type_:
        case FloatType(bits):
            return "f" if bits == 32 else "d"
        case IntType(bits):
            return ELEMENT_CODES[bits]
        case _:
            return "Q"


class Memory:
    """Regions that a program may access; nothing else exists."""

    def __init__(self) -> None:
        if sys.byteorder != "little":
            raise RuntimeError("the interpreter needs a little-endian machine")
        self.regions: list[Region] = [Region("null", 0, 0, memoryview(b""))]
        self._views: dict[str, list[Any]] = {}

    def allocate(self, name: str, size: int) -> Region:
        """A new region of `size` zero bytes."""
        return self._add(name, memoryview(bytearray(size)))

    def map(self, name: str, buffer: Buffer) -> Region:
        """A region that shares the bytes of a C-contiguous buffer; TypeError or BufferError when it is not contiguous."""
        view = memoryview(cast(bytearray, buffer))
        return self._add(name, view.cast("B") if view.nbytes else memoryview(b""))

    def stack_object(self, name: str, size: int) -> Region:
        """A new region of `size` undefined bytes."""
        return self._add(name, memoryview(bytearray(size)), bytearray(b"\1" * size))

    def release(self, count: int) -> None:
        """Ends all regions but the first `count` ones: accesses to them are out of bounds."""
        for elements in (self.regions, *self._views.values()):
            del elements[count:]

    def region_at(self, address: int) -> Region:
        """The region that an address names; Fault when there is none."""
        number = address >> REGION_BITS
        if not 0 < number < len(self.regions):
            raise Fault(f"{hex(address)} is in no region", address)
        return self.regions[number]

    def views(self, code: str) -> list[Any]:
        """For each region its content as elements of one type, by region number; grows as regions are added."""
        if code not in self._views:
            self._views[code] = [_elements(region, code) for region in self.regions]
        return self._views[code]

    def describe(self, address: int) -> str:
        """The address in words: region and offset."""
        number, offset = address >> REGION_BITS, address & OFFSET_MASK
        if not address:
            return "null"
        if number < len(self.regions) and offset < OFFSET_MASK // 2:
            region = self.regions[number]
            return f"byte {offset} of {region.name} ({region.size} bytes)"
        if number + 1 < len(self.regions):
            return f"byte {address - self.regions[number + 1].base} of {self.regions[number + 1].name}"
        return hex(address)

    def _add(self, name: str, data: memoryview, undefined: bytearray | None = None) -> Region:
        region = Region(name, len(self.regions) << REGION_BITS, data.nbytes, data, undefined or bytearray())
        self.regions.append(region)
        for code, views in self._views.items():
            views.append(_elements(region, code))
        return region


def _elements(region: Region, code: str) -> Any:
    size = struct.calcsize(code)
    view = region.data[: region.size - region.size % size].cast(code)  # type: ignore[call-overload]
    return _StackElements(view, region.undefined, size) if region.undefined else view


@dataclass(frozen=True, slots=True)
class _StackElements:
    """A stack object as elements of `size` bytes, each defined or not."""

    view: memoryview
    undefined: bytearray
    size: int

    def __getitem__(self, index: int) -> Any:
        value = self.view[index]
        return UNDEFINED if any(self.undefined[index * self.size : (index + 1) * self.size]) else value

    def __setitem__(self, index: int, value: Any) -> None:
        self.view[index] = 0 if value is UNDEFINED else value
        self.undefined[index * self.size : (index + 1) * self.size] = bytes([value is UNDEFINED]) * self.size
