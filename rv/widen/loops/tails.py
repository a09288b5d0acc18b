"""Which brushes a loop runs: whole ones first, then those that take the remaining iterations.

Policies (design: tails). `mask`: one masked brush takes the rest. `peel`: narrower brushes, halving down to one lane.
`scalar`: one iteration at a time. `auto`: along dimensions with contiguous accesses a mask if the target masks memory cheaply
and narrower brushes otherwise; along other dimensions the rest is done one row at a time, since a narrower brush still fills
its registers along the contiguous dimension.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from rv.widen.policies import TailPolicy


@dataclass(frozen=True, slots=True)
class BrushPass:
    """A brush of `width` lanes along a loop; a masked one runs with 1 to `width` active lanes.

    A `head` comes first and takes as many iterations as are left until stores are aligned to cache lines, or until brushes stand
    on the grid of a layout's blocks. One that `stream`s writes around the caches, where everything it writes is aligned. One that
    is `followed` runs only where another iteration comes after it.
    """

    width: int
    masked: bool = False
    head: bool = False
    stream: bool = False
    followed: bool = False


@dataclass(frozen=True, slots=True)
class LoopToCut:
    """A loop with `size` lanes, `contiguous` when some access is contiguous along it.

    With `align` stores are aligned to cache lines; otherwise a head of at most `head` iterations comes before the first
    brush. `inside_mask`: the variant around it is masked. `trips` is the trip count where it is a number: what whole brushes
    cover has no tail. With `stream` whole brushes come twice: once for where all they write is aligned. With `followed` whole
    brushes leave an iteration over, so that they may read up to what it reads.
    """

    size: int
    contiguous: bool
    inside_mask: bool
    align: bool = False
    head: int = 0
    trips: int | None = None
    stream: bool = False
    followed: bool = False


def brush_passes(loop: LoopToCut, tail: TailPolicy, *, masks: bool, lanes: int) -> tuple[BrushPass, ...]:
    """The brushes for a loop, in the order in which they run.

    `lanes` is the number of lanes of a register. Inside a masked variant of an outer loop a single masked loop takes whole and
    partial brushes alike, so that code grows linearly and not exponentially with the rank.
    """
    covered = not loop.head and not loop.followed and loop.trips is not None and loop.trips % loop.size == 0
    if loop.size == 1 or covered:
        return _with_streams(loop, (BrushPass(loop.size),))
    found = _with_streams(loop, _brush_passes(loop, tail, masks=masks, lanes=lanes))
    if not loop.head:
        return found
    if loop.head == 1 or not any(brush_pass.masked for brush_pass in found):
        return (BrushPass(1, head=True), *found)
    return (BrushPass(1 << (loop.head - 1).bit_length(), masked=True, head=True), *found)


def _with_streams(loop: LoopToCut, found: tuple[BrushPass, ...]) -> tuple[BrushPass, ...]:
    """The brush passes with whole brushes that write around the caches before those that do not."""
    whole = BrushPass(loop.size, followed=loop.followed)
    if not loop.stream or whole not in found:
        return found
    main = found.index(whole)
    return (*found[:main], replace(whole, stream=True), *found[main:])


def _brush_passes(loop: LoopToCut, tail: TailPolicy, *, masks: bool, lanes: int) -> tuple[BrushPass, ...]:
    size = loop.size
    whole = BrushPass(size, followed=loop.followed)
    match tail:
        case "scalar":
            return (whole, BrushPass(1))
        case "peel":
            return (whole, *_halves(size, lanes))
        case "mask":
            pass
        case "auto":
            if not loop.contiguous:
                return (whole, BrushPass(1))
            if not masks:
                return (whole, *_halves(size, lanes))
        case _:
            assert_never(tail)
    if loop.inside_mask:
        return (BrushPass(size, masked=True),)
    rest = BrushPass(min(size, lanes), masked=True)
    head = (replace(rest, head=True),) if loop.align and masks and size >= lanes else ()
    return (*head, whole, rest)


def _halves(size: int, lanes: int) -> tuple[BrushPass, ...]:
    """Powers of two below `size`, from a whole register downwards."""
    width = 1
    while width * 2 < size and width * 2 <= lanes:
        width *= 2
    result = []
    while width:
        result.append(BrushPass(width))
        width //= 2
    return tuple(result)
