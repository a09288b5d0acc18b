"""Prefetching what a walk will visit when it notes down where (`rv.widen.memory.worklists`)."""

from __future__ import annotations

from rv.ir.instructions import Store
from rv.ir.types import I8
from rv.vector.instructions import Prefetch
from rv.widen.lanes import SCALAR
from rv.widen.site import Site


def prefetch_pending(site: Site, store: Store, position: int) -> None:
    """Prefetches the data of the worklist entry that a store to a local array, at `position` of its block, pushes."""
    if site.context.store_dimensions(site.variant, site.label, position, store):
        return  # every lane has a list of its own
    for ahead in site.context.pending.get((site.label, position), ()) if site.variant.nest else ():
        base, offset = site.operand(ahead.base, SCALAR), site.polynomial(ahead.offset)
        site.block.effect(Prefetch(site.block.address(base, offset, I8), writing=False))
