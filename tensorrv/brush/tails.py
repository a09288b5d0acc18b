"""Which brushes a loop runs: whole ones first, then those that take the remaining iterations.

Policies (design: tails). `mask`: one masked brush takes the rest. `peel`: narrower brushes, halving down to one lane.
`scalar`: one iteration at a time. `auto`: along dimensions with contiguous accesses a mask if the target masks memory cheaply
and narrower brushes otherwise; along other dimensions the rest is done one row at a time, since a narrower brush still fills
its registers along the contiguous dimension.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import assert_never

from tensorrv.plan import TailPolicy


@dataclass(frozen=True, slots=True)
class Variant:
    """A brush of `width` lanes along a loop; a masked one runs with 1 to `width` active lanes.

    A `head` comes first and takes as many iterations as are left until stores are aligned to cache lines.
    """

    width: int
    masked: bool = False
    head: bool = False


def variants(
    size: int,
    contiguous: bool,
    tail: TailPolicy,
    *,
    masks: bool,
    lanes: int,
    inside_mask: bool,
    align: bool = False,
    trips: int | None = None,
) -> tuple[Variant, ...]:
    """The brushes for a loop with `size` lanes, in the order in which they run; with `align` a head comes first.

    `trips` is the trip count where it is a number: what whole brushes cover has no tail.

    `lanes` is the number of lanes of a register. Inside a masked copy of an outer loop (`inside_mask`) a single masked
    loop takes whole and partial brushes alike, so that code grows linearly and not exponentially with the rank.
    """
    if size == 1 or (trips is not None and trips % size == 0):
        return (Variant(size),)
    match tail:
        case "scalar":
            return (Variant(size), Variant(1))
        case "peel":
            return (Variant(size), *_halves(size, lanes))
        case "mask":
            pass
        case "auto":
            if not contiguous:
                return (Variant(size), Variant(1))
            if not masks:
                return (Variant(size), *_halves(size, lanes))
        case _:
            assert_never(tail)
    if inside_mask:
        return (Variant(size, masked=True),)
    rest = Variant(min(size, lanes), masked=True)
    head = (replace(rest, head=True),) if align and masks and size >= lanes else ()
    return (*head, Variant(size), rest)


def _halves(size: int, lanes: int) -> tuple[Variant, ...]:
    """Powers of two below `size`, from a whole register downwards."""
    width = 1
    while width * 2 < size and width * 2 <= lanes:
        width *= 2
    result = []
    while width:
        result.append(Variant(width))
        width //= 2
    return tuple(result)
