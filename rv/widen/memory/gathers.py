"""Accesses through any addresses: gathers, scatters, and scalar loads and stores."""

from __future__ import annotations

from rv.ir import instructions as ir
from rv.ir.types import Type
from rv.vector.instructions import Load, Place, Store
from rv.vector.values import Operand
from rv.widen.across.masks import activation, activation_of
from rv.widen.lanes import Lanes, is_scalar
from rv.widen.memory.masked_accesses import gather, load_if, scatter, single
from rv.widen.site import Site


class GatheredAccesses:
    """Every access of a block by itself, lane by lane: those outside of nests, where there is one lane."""

    def __init__(self, site: Site) -> None:
        self.site = site

    def load(self, position: int, load: ir.Load) -> None:
        variant, context = self.site.variant, self.site.context
        for coordinates in sorted(variant.demand.get(load.result.name, ())):
            array = context.array_of(variant, self.site.label, position)
            emit_gather(self.site, load, array, self.site.operand(load.pointer, coordinates), coordinates)

    def store(self, position: int, store: ir.Store) -> None:
        variant, context = self.site.variant, self.site.context
        for coordinates in context.stored_lanes(variant, self.site.label, position, store):
            array = context.array_of(variant, self.site.label, position)
            emit_scatter(self.site, store, array, self.site.operand(store.pointer, coordinates), coordinates)

    def finish(self) -> None:
        """Nothing waits."""


def load_scalar(site: Site, type_: Type, address: Operand, array: str, place: Place | None) -> Operand:
    """The number at an address."""
    return site.block.add(Load(address, type_, site.access(array, type_, place)))


def emit_gather(site: Site, load: ir.Load, array: str, pointer: Operand, coordinates: Lanes) -> None:
    """A load through the addresses in `pointer`: a gather, masked where lanes may be inactive."""
    type_ = load.result.type
    mask = activation_of(site, site.context.varying(site.variant, load.result), coordinates)
    if is_scalar(coordinates):
        if mask is None:
            site.define(load.result, coordinates, load_scalar(site, type_, pointer, array, None))
        else:
            site.define(load.result, coordinates, load_if(site, mask, type_, pointer, array, None))
        return
    site.define(load.result, coordinates, gather(site, type_, pointer, mask, array))


def emit_scatter(site: Site, store: ir.Store, array: str, pointer: Operand, coordinates: Lanes) -> None:
    """A store through the addresses in `pointer`: lane after lane, in order, where the mask allows it."""
    value, mask = site.operand(store.value, coordinates), activation(site, coordinates)
    if not is_scalar(coordinates):
        scatter(site, value, pointer, mask, array)
    elif mask is None:
        site.block.effect(Store(value, pointer, site.access(array, store.value.type)))
    else:
        pointer, value, mask = single(site, pointer), single(site, value), single(site, mask)
        scatter(site, value, pointer, mask, array)
