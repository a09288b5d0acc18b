"""Data layouts: how the elements of an array are ordered in memory, as frozen values with one text form.

A layout is a sequence of steps, applied from left to right to the index vector; what results is stored row by row. Text form:

    row         row-major, as C has it: no step at all
    col         column-major: all dimensions reversed
    2x2         blocks of 2 x 2: (j, i) becomes (j/2, i/2, j%2, i%2); fewer sizes than dimensions block the inner ones
    1,0         permuted: the new dimension k is the old dimension 1,0[k]
    pad:6       6 unused elements at the end of every row
    align:8     rows padded to a multiple of 8 elements
    8x8+2x2     one step after another: blocks of 2 x 2 inside blocks of 8 x 8

Blocks are the thesis's section 11.7; permuting what blocks leave gives Henretty's dimension-lifted arrays (`8+1,0` in one
dimension). `layouts.address` says where elements are, `layouts.packing` moves them there.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from operator import index
from typing import Final, assert_never


class LayoutError(ValueError):
    """A layout that is invalid, or invalid for an array of this rank; `hint` describes valid ones."""

    def __init__(self, message: str, hint: str = "") -> None:
        super().__init__(message)
        self.hint = hint
        if hint:
            self.add_note(f"hint: {hint}")


MAX_BLOCK: Final = 4096
MAX_PADDING: Final = 1 << 20


@dataclass(frozen=True, slots=True)
class RowMajor:
    """The layout of C arrays."""

    def __str__(self) -> str:
        return "row"


@dataclass(frozen=True, slots=True)
class ColumnMajor:
    """The layout of Fortran arrays: the first index is contiguous."""

    def __str__(self) -> str:
        return "col"


@dataclass(frozen=True, slots=True, init=False)
class Blocked:
    """Blocks of `sizes`, outermost dimension first, stored one after another; the last ones may be partly unused.

    Raises LayoutError when a size is not in 1..MAX_BLOCK.
    """

    sizes: tuple[int, ...]

    def __init__(self, *sizes: int) -> None:
        sizes = tuple(map(index, sizes))
        if not sizes or not all(1 <= size <= MAX_BLOCK for size in sizes):
            raise LayoutError(f"blocks of {'x'.join(map(str, sizes)) or 'no size'}", f"sizes are 1 to {MAX_BLOCK}, such as 2x2")
        object.__setattr__(self, "sizes", sizes)

    def __str__(self) -> str:
        return "x".join(map(str, self.sizes))

    def __repr__(self) -> str:
        return f"Blocked({', '.join(map(str, self.sizes))})"


@dataclass(frozen=True, slots=True, init=False)
class Permuted:
    """Dimension `axes[k]` becomes dimension k. Raises LayoutError when `axes` is no permutation of at least two dimensions."""

    axes: tuple[int, ...]

    def __init__(self, *axes: int) -> None:
        axes = tuple(map(index, axes))
        if len(axes) < 2 or sorted(axes) != list(range(len(axes))):
            text = ",".join(map(str, axes))
            raise LayoutError(f"'{text}' is no permutation of dimensions", "list every dimension once, such as 1,0")
        object.__setattr__(self, "axes", axes)

    def __str__(self) -> str:
        return ",".join(map(str, self.axes))

    def __repr__(self) -> str:
        return f"Permuted({', '.join(map(str, self.axes))})"


@dataclass(frozen=True, slots=True)
class Padded:
    """`extra` unused elements at the end of every row. Raises LayoutError when that is not in 0..MAX_PADDING."""

    extra: int

    def __post_init__(self) -> None:
        if not 0 <= self.extra <= MAX_PADDING:
            raise LayoutError(f"rows padded by {self.extra} elements", f"give 0 to {MAX_PADDING} elements, such as pad:8")

    def __str__(self) -> str:
        return f"pad:{self.extra}"


@dataclass(frozen=True, slots=True)
class Aligned:
    """Rows padded to a multiple of `multiple` elements. Raises LayoutError when that is not in 1..MAX_PADDING."""

    multiple: int

    def __post_init__(self) -> None:
        if not 1 <= self.multiple <= MAX_PADDING:
            raise LayoutError(f"rows of a multiple of {self.multiple} elements", f"give 1 to {MAX_PADDING}, such as align:8")

    def __str__(self) -> str:
        return f"align:{self.multiple}"


Step = ColumnMajor | Blocked | Permuted | Padded | Aligned


@dataclass(frozen=True, slots=True)
class Composed:
    """Two or more steps, one after another; made by `compose`."""

    steps: tuple[Step, ...]

    def __str__(self) -> str:
        return "+".join(map(str, self.steps))


Layout = RowMajor | Step | Composed


def compose(*layouts: Layout) -> Layout:
    """The layout that applies all steps of `layouts` from left to right."""
    steps = tuple(step for layout in layouts for step in steps_of(layout))
    return RowMajor() if not steps else steps[0] if len(steps) == 1 else Composed(steps)


def steps_of(layout: Layout) -> tuple[Step, ...]:
    """The steps from row-major to `layout`."""
    match layout:
        case RowMajor():
            return ()
        case Composed(steps):
            return steps
        case ColumnMajor() | Blocked() | Permuted() | Padded() | Aligned():
            return (layout,)
        case _:
            assert_never(layout)


_NUMBER: Final = r"[0-9]{1,7}"
_BLOCKED: Final = re.compile(rf"{_NUMBER}(x{_NUMBER})*\Z")
_PERMUTED: Final = re.compile(rf"{_NUMBER}(,{_NUMBER})+\Z")
_PADDED: Final = re.compile(rf"(pad|align):({_NUMBER})\Z")


def parse_layout(text: str) -> Layout:
    """The layout whose text form this is. Raises LayoutError."""
    return compose(*(_parse_step(part, text) for part in text.split("+")))


def _parse_step(part: str, whole: str) -> Layout:
    if part == "row":
        return RowMajor()
    if part == "col":
        return ColumnMajor()
    if _BLOCKED.match(part):
        return Blocked(*map(int, part.split("x")))
    if _PERMUTED.match(part):
        return Permuted(*map(int, part.split(",")))
    found = _PADDED.match(part)
    if found is None:
        where = "" if part == whole else f" in '{whole}'"
        raise LayoutError(f"'{part}'{where} is not a layout", "write row, col, 2x2, 1,0, pad:8, align:8, or several joined by +")
    return Padded(int(found[2])) if found[1] == "pad" else Aligned(int(found[2]))
