"""Writing around the caches: stores of whole registers that no one reads soon.

A store to a line that is not in a cache first reads that line. For results that are larger than the caches this is a third of the
traffic of a stencil, and wasted. A non-temporal store of an aligned register does without. Whether everything that a main
loop stores is aligned depends on addresses, so it comes twice, and a test before it decides (`Variant.stream`). Rows begin
aligned after a head (`tensorrv.brush.alignment`), blocks of a layout after the head that puts brushes on their grid, when the
array itself is aligned; both must then move by whole registers from brush to brush. The processor may make such stores visible
late: a fence after the nest, in each thread that runs a part of it, puts them before any signal to other
threads. No brushed nest contains such a signal, and a fence after every row would wait for memory there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from rv.evolution.polynomial import Polynomial, counter, signed
from rv.ir.types import I64, size_of
from rv.vector.instructions import Fence
from rv.vector.values import TRUE, ZERO, Operand, i64
from rv.widen.loops.variant_tree import Variant
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import AccessGroup, LaneElements
from tensorrv.brush.memory.accesses import Streamed
from tensorrv.brush.memory.addresses import element_address
from tensorrv.brush.memory.placed import LaidOutGroup
from tensorrv.brush.nest import brushed_nest
from tensorrv.nest.legality.region import available_before

REGISTERS: Final = (16, 32, 64)
"""Bytes that one non-temporal store writes."""


def obstacle(variant: Variant, elements: LaneElements, length: int, *, always: bool) -> str:
    """Why `length` neighbouring elements are not stored around the caches; empty where they are.

    `always`: no predicate and no mask decides whether the store happens. `elements` are those of one of the stores whose lanes
    are put together; those of others of its access group are as far apart.
    """
    nontemporal = brushed_nest(variant).nontemporal
    if nontemporal and elements.group.array.name not in nontemporal:
        return "it is not named in the `nontemporal` clause"
    if length < 2 or size_of(elements.group.element) * length not in REGISTERS:
        return "it does not consist of whole registers of contiguous elements"
    if not always:
        return "it is masked"
    if _movement(variant, elements) % length:
        return "its address does not advance by whole registers from one brush to the next"
    if not _known_before(variant, elements):
        return "its first address is not known before the loop"
    if not variant.stream:
        return "its first address cannot be aligned: iterations must stay in order, or addresses are not in rows"
    return ""


def _movement(variant: Variant, elements: LaneElements) -> int:
    """A number of which addresses, in elements, move by multiples from one brush to the next; 1 when nothing is known."""
    steps = [row[variant.level] * variant.width for row in elements.strides]
    match elements.group:
        case LaidOutGroup():
            return elements.group.movement(steps)
        case AccessGroup():
            return 1 if any(steps[:-1]) else steps[-1]


def _known_before(variant: Variant, elements: LaneElements) -> bool:
    """Whether addresses can be computed before the loop of the variant."""
    nest = brushed_nest(variant)
    header = nest.headers[variant.level]
    address = (*elements.group.polynomials, Polynomial.symbol(signed(elements.group.array.name)))
    at_start = [polynomial.without([counter(header)]) for polynomial in address]
    return available_before(nest.facts, at_start, nest.facts.loops[header])


def emit_all_aligned(site: Site, streamed: Iterable[Streamed]) -> Operand:
    """Whether all that is streamed is aligned at the iteration of the site, as i1.

    Where a head has run out of iterations, brushes do not begin on the grid of blocks and addresses mean nothing: then any answer
    will do, since no brush is left.
    """
    block = site.block
    past: Operand | None = None
    for group, start, length in streamed:
        address = element_address(site, group, start)
        number = block.convert("ptrtoint", address, I64)
        low = block.binary("and", number, i64(size_of(group.element) * length - 1))
        past = low if past is None else block.binary("or", past, low)
    return TRUE if past is None else block.freeze(block.compare("eq", past, ZERO))


def emit_fence(site: Site) -> None:
    """What was streamed is visible before anything that follows. AArch64 orders such stores like others."""
    if site.context.target.architecture == "x86_64":
        site.block.effect(Fence())
