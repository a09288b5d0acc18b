"""Arrays with random contents for running a kernel, with guard zones that show stray writes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, Literal

import numpy as np

from rv.ir.types import FloatType, IntType, Type
from tensorrv.check.given.values import NOTHING, Constraints, Given
from tensorrv.interface.reach import Reach, Reaches
from tensorrv.interface.signature import ArrayArgument, ScalarArgument, Signature, declared_count
from tensorrv.interface.storage.runs import Storage, store, take
from tensorrv.run.call import Array, array_dtype, dtype_of

LINE: Final = 64
PAGE: Final = 4096
STAGGER: Final = 17
HEADER: Final = 16
"""Bytes behind the start of a page at which the C library's allocator, and so NumPy, puts every large array."""

Placement = Literal["spread", "together"]
"""Where arrays begin: on different lines of a page, or all at the same offset in their pages, as NumPy's large arrays do."""
GUARD: Final = 4 * LINE
GUARD_BYTE: Final = 0xA5
SMALL: Final = (1, 3)
"""Integer parameters that are no sizes."""
A_ROW: Final = 8
"""Offsets go on by so many on average, where the lengths of the arrays into which they point are unknown."""


@dataclass(frozen=True, slots=True)
class Special:
    """Shares of numbers that are special: of floating-point numbers zeros of both signs, infinities, NaN and denormal numbers, of
    integers small ones and the ends of their ranges.
    """

    floats: float = 0.0
    integers: float = 0.0


ORDINARY: Final = Special()


@dataclass(frozen=True, slots=True)
class Buffer:
    """`elements` starts at byte `start` of `raw`, with guard bytes before and after; element `origin` is the array's first."""

    raw: Array
    start: int
    elements: Array
    origin: int

    @property
    def address(self) -> int:
        """Where the array's first element is."""
        return int(self.raw.ctypes.data) + self.start + self.origin * int(self.elements.dtype.itemsize)

    def guards_intact(self) -> bool:
        """Whether nothing was written beside the elements."""
        end = self.start + self.elements.nbytes
        return bool((self.raw[: self.start] == GUARD_BYTE).all() and (self.raw[end:] == GUARD_BYTE).all())


def offset(placement: Placement, number: int) -> int:
    """The offset in its page, in bytes, of the array with this number."""
    return HEADER if placement == "together" else STAGGER * number * LINE


def allocate(dtype: np.dtype[Any], extent: range, place: int = 0) -> Buffer:
    """Space for the elements in `extent`, placed so that element 0 is `place` bytes behind the start of a page."""
    size = len(extent) * dtype.itemsize
    raw = np.full(size + 2 * GUARD + PAGE, GUARD_BYTE, dtype=np.uint8)
    wanted = extent.start * dtype.itemsize + place
    start = GUARD + (wanted - (int(raw.ctypes.data) + GUARD)) % PAGE
    return Buffer(raw, start, raw[start : start + size].view(dtype), -extent.start)


def stored_buffer(storage: Storage, rows: Buffer, sizes: Mapping[str, int], place: int = 0) -> Buffer:
    """The elements of a row-major buffer in a layout; padding holds guard bytes."""
    elements = rows.elements[rows.origin :]
    shape = storage.shape(sizes, elements.size)
    stored = allocate(elements.dtype, range(storage.address.extent(shape)), place)
    store(storage, elements, shape, stored.elements)
    return stored


def take_back(storage: Storage, stored: Buffer, rows: Buffer, sizes: Mapping[str, int]) -> bool:
    """Moves the elements of a buffer in a layout to a row-major one. Whether nothing was written beside them or to padding."""
    elements = rows.elements[rows.origin :]
    shape = storage.shape(sizes, elements.size)
    untouched = stored_buffer(storage, rows, sizes)
    take(storage, stored.elements, shape, elements)
    store(storage, elements, shape, untouched.elements)
    same = untouched.elements.view(np.uint8) == stored.elements.view(np.uint8)
    return bool(same.all()) and stored.guards_intact()


def extents(
    signature: Signature, reaches: Reaches, sizes: Mapping[str, int], given: Given = NOTHING
) -> dict[str, range]:
    """The elements that each array must have: those that are given, otherwise those it declares and those the kernel may touch.

    UnknownLength when an array declares no length and it is not known which elements are touched.
    """
    for array in signature.arrays:
        if array.record is not None and array.record.has_pointers:
            raise PointersInside(array.name)
    found = reaches(sizes)
    return {
        array.name: range(given.arrays[array.name].size)
        if array.name in given.arrays
        else _extent(array, found.get(array.name), sizes)
        for array in signature.arrays
    }


def lengths(
    signature: Signature, reaches: Reaches, sizes: Mapping[str, int], given: Given = NOTHING
) -> dict[str, int]:
    """How many elements each array must have: see `extents`. Numbers of any size, beyond what `len` of a range can give."""
    return {name: extent.stop - extent.start for name, extent in extents(signature, reaches, sizes, given).items()}


def bytes_needed(signature: Signature, reaches: Reaches, sizes: Mapping[str, int], given: Given = NOTHING) -> int:
    """How much memory all arrays together take. Raises UnknownLength."""
    needed = lengths(signature, reaches, sizes, given)
    return sum(needed[array.name] * array.element_size for array in signature.arrays)


class UnknownLength(Exception):
    """The required length of the array `name` is unknown."""

    def __init__(self, name: str) -> None:
        super().__init__(f"the length of '{name}' is not known")
        self.name = name


class PointersInside(UnknownLength):
    """The array `name` holds structs with pointers: what these should point to is not known."""


def make_buffers(
    signature: Signature, reaches: Reaches, sizes: Mapping[str, int], random: np.random.Generator, special: Special = ORDINARY,
    placement: Placement = "spread", given: Given = NOTHING,
) -> dict[str, Buffer]:  # fmt: skip
    """One filled buffer per array, with the numbers that are given, or invented ones.

    Arrays that are spread start on cache lines, on different ones of a page: a load waits for an earlier store with the same
    offset in its page. Raises UnknownLength.
    """
    buffers: dict[str, Buffer] = {}
    for name, extent in extents(signature, reaches, sizes, given).items():
        array = next(a for a in signature.arrays if a.name == name)
        buffer = allocate(array_dtype(array), extent, offset(placement, len(buffers)))
        if name in given.arrays:
            buffer.elements[:] = given.arrays[name].reshape(-1).view(buffer.elements.dtype)
        else:
            contents = integer_contents(array, signature, sizes)
            buffer.elements[:] = _contents(array, len(extent), contents, _Invention(random, special, sizes, given.constraints))
        buffers[name] = buffer
    return buffers


def make_scalars(
    signature: Signature, sizes: Mapping[str, int], random: np.random.Generator, given: Given = NOTHING
) -> dict[str, int | float]:
    """The values of the scalar arguments: the sizes, what is given, and random numbers for what is no size."""
    known = {**sizes, **given.numbers}
    return {
        scalar.name: known[scalar.name]
        if scalar.name in known
        else _scalar(scalar, random, given.constraints.range_of(scalar.name, sizes))
        for scalar in signature.scalars
    }


def integer_contents(array: ArrayArgument, signature: Signature, sizes: Mapping[str, int]) -> tuple[int, int] | None:
    """The least and the greatest integer in an array of subscripts or limits of loops; None for others.

    Subscripts are below the least of all sizes, so that they are inside every array.
    """
    least = max(1, min((size for size in sizes.values() if size > 0), default=1))
    declared = any(other.extents and other.extents[0] is not None for other in signature.arrays)
    match array.limits:
        case "offsets":
            return 0, least if declared else A_ROW * least
        case "counts":
            return 0, min(least, A_ROW)
        case "none":
            return (0, least - 1) if array.subscript else None


def _extent(array: ArrayArgument, reach: Reach | None, sizes: Mapping[str, int]) -> range:
    declared = declared_count(array, sizes)
    if reach is None:
        if declared is None:
            raise UnknownLength(array.name)
        return range(declared)
    return range(min(0, reach.low), max(declared or 0, reach.high + 1))


@dataclass(frozen=True, slots=True)
class _Invention:
    """How numbers are invented in one run."""

    random: np.random.Generator
    special: Special
    sizes: Mapping[str, int]
    constraints: Constraints


def _contents(array: ArrayArgument, count: int, contents: tuple[int, int] | None, how: _Invention) -> Array:
    if array.record is None:
        within = how.constraints.range_of(array.name, how.sizes) or contents
        numbers = Numbers(array.element, array.signed, array.c_type, within, array.limits == "offsets")
        return _numbers(numbers, count, how.random, how.special)
    whole = np.zeros(count, array_dtype(array))
    for field in array.record.fields:
        within = how.constraints.range_of(f"{array.name}.{field.name}", how.sizes)
        # the integers of a struct are taken for subscripts, its other numbers are not
        within = contents if within is None and isinstance(field.type, IntType) else within
        numbers = Numbers(field.type, field.signed, field.c_type, within)
        whole[field.name] = _numbers(numbers, count, how.random, how.special)
    return whole


@dataclass(frozen=True, slots=True)
class Numbers:
    """What numbers to generate: their type, the interval that they are in (None: any), and whether they ascend."""

    element: Type
    signed: bool
    c_type: str
    contents: tuple[int, int] | None
    ascending: bool = False


def _numbers(
    array: Numbers, count: int, random: np.random.Generator, special: Special
) -> Array:
    match array.element:
        case FloatType() if array.contents is not None:
            low, high = array.contents
            return random.uniform(low, high + 1, count).astype(dtype_of(array.element, array.signed))
        case FloatType():
            # different exponents, so that every change of order shows in the last bits
            values = random.uniform(-1, 1, count) * 2.0 ** random.integers(-3, 4, count)
            numbers = values.astype(dtype_of(array.element, array.signed))
            return _with_specials(numbers, random, special.floats)
        case IntType() if array.contents is not None:
            low, high = array.contents
            dtype = dtype_of(array.element, array.signed)
            chosen = random.integers(low, min(high, np.iinfo(dtype).max) + 1, count)
            return (np.sort(chosen) if array.ascending else chosen).astype(dtype)
        case _ if array.c_type.endswith("_Bool"):
            return random.integers(0, 2, count).astype(np.bool_)
        case _:
            dtype = dtype_of(array.element, array.signed)
            numbers = random.integers(0, 256, count * dtype.itemsize, dtype=np.uint8).view(dtype)
            return _with_extremes(numbers, random, special.integers)


def _with_extremes(numbers: Array, random: np.random.Generator, share: float) -> Array:
    kind = np.iinfo(numbers.dtype)
    extremes = np.array([0, 1, 2, kind.max, kind.max - 1, kind.min, kind.min + 1], dtype=numbers.dtype)
    return _replaced(numbers, np.concatenate([extremes, ~extremes]), random, share)


def _with_specials(numbers: Array, random: np.random.Generator, share: float) -> Array:
    kind = np.finfo(numbers.dtype)
    magnitudes = np.array([0.0, np.inf, np.nan, kind.smallest_subnormal, kind.max], dtype=numbers.dtype)
    specials = np.concatenate([magnitudes, -magnitudes])
    return _replaced(numbers, specials, random, share)


def _replaced(numbers: Array, others: Array, random: np.random.Generator, share: float) -> Array:
    """The numbers with this share of them replaced by some of the others."""
    chosen = random.random(len(numbers)) < share
    numbers[chosen] = random.choice(others, int(chosen.sum()))
    return numbers


def _scalar(scalar: ScalarArgument, random: np.random.Generator, within: tuple[int, int] | None) -> int | float:
    if within is not None:
        low, high = within
        return int(random.integers(low, high + 1)) if isinstance(scalar.type, IntType) else float(random.uniform(low, high + 1))
    return int(random.integers(SMALL[0], SMALL[1] + 1)) if isinstance(scalar.type, IntType) else float(random.uniform(-1, 1))
