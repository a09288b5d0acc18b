"""Loads and stores of stack objects that every lane has for itself, or one for several lanes.

The objects of all lanes are one LLVM alloca, laid out [element][lane]: element i of the object in lane l is at i * lanes + l. So
pointers carry their offset times the number of lanes, and lanes that access the same element share a pointer, behind which the
lanes of a register are contiguous. Varying offsets are gathered and scattered. Where no lane differs in what the object holds,
there is a single one, accessed by scalar instructions. Every byte of an object is part of elements of one size (C's types, which
the front end does not let programs look behind), so that elements of different sizes, members of structs, do not meet either.

    q[d] = x;  (x varies)       store <8 x float> %x, ptr (%q + 8 * d)
    top = stack[--n];           %top = load i32, ptr (%stack + n)          (uniform)

Passive lanes may read their objects, and overwrite them with what they held. Hence small objects are accessed without masks, so
that LLVM can keep them in registers once their subscripts are constants.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from math import gcd
from typing import Final

from rv.cost.registers import ELEMENTS_OF_OBJECT
from rv.ir import instructions as ir
from rv.ir.instructions import Alloca, ElementPointer
from rv.ir.types import I8, I64, Type, size_of
from rv.ir.values import TRUE, Const, Value, Var
from rv.vector.instructions import Begin, Load, Store
from rv.vector.types import lanes_of, vector_of
from rv.vector.values import Operand, i64, integers, lane_type
from rv.widen.across.masks import activation_of
from rv.widen.context import LaneObjects
from rv.widen.lanes import Lanes, is_scalar, restrict
from rv.widen.memory.masked_accesses import gather, load_if, masked_load, masked_store, scatter, store_if
from rv.widen.site import Site

ALIGNMENT: Final = 64


def emit_object(site: Site, alloca: Alloca) -> Operand:
    """The objects of all lanes; their address. Where all come, their contents are undefined from here on."""
    objects = site.context.objects_at(site.variant, alloca.result)
    if objects is None:
        return site.writer.stack_object(alloca.element, alloca.count)
    address = site.writer.stack_object(alloca.element, alloca.count * objects.count, ALIGNMENT)
    if site.predicate == TRUE:  # else inactive lanes keep the contents of theirs
        site.block.effect(Begin(address, site.access(objects.group, alloca.element)))
    return address


@dataclass(frozen=True, slots=True)
class _Place:
    """An access in the lanes of `coordinates`: an address, or one for each lane; `mask` is None where all lanes may access."""

    address: Operand
    together: bool
    mask: Operand | None
    align: int


def emit_object_access(site: Site, access: ir.Load | ir.Store, objects: LaneObjects) -> None:
    """A load in all lanes where it is needed, or a store."""
    if isinstance(access, ir.Store):
        _store(site, access, objects)
        return
    for coordinates in sorted(site.variant.demand.get(access.result.name, ())):
        site.define(access.result, coordinates, _load(site, access, objects, coordinates))


def _load(site: Site, load: ir.Load, objects: LaneObjects, coordinates: Lanes) -> Operand:
    type_ = load.result.type
    place = _place(site, load.pointer, type_, objects, coordinates, site.context.varying(site.variant, load.result))
    mask = None if place.together and _is_good(site, load.pointer, type_) else place.mask
    if not place.together:
        return gather(site, type_, place.address, mask, objects.group)
    if mask is None:
        access = site.access(objects.group, type_, align=place.align)
        return site.block.add(Load(place.address, vector_of(type_, len(coordinates)), access))
    if is_scalar(coordinates):
        return load_if(site, mask, type_, place.address, objects.group, None)
    return masked_load(site, type_, place.address, mask, objects.group, None)


def _store(site: Site, store: ir.Store, objects: LaneObjects) -> None:
    type_ = store.value.type
    for coordinates in site.context.object_lanes(site.variant, objects):
        place = _place(site, store.pointer, type_, objects, coordinates, objects.dimensions)
        value = site.operand(store.value, coordinates)
        mask = None if site.predicate == TRUE and place.together else place.mask
        if not place.together:
            scatter(site, value, place.address, mask, objects.group)
        elif mask is not None and not _may_blend(site, store.pointer, type_):
            if is_scalar(coordinates):
                store_if(site, mask, value, place.address, objects.group)
            else:
                masked_store(site, value, place.address, mask, objects.group, None)
        else:
            _store_together(site, value, place, mask, objects.group)


def _store_together(site: Site, value: Operand, place: _Place, mask: Operand | None, group: str) -> None:
    type_ = lane_type(value)
    access = site.access(group, type_, align=place.align)
    if mask is not None:
        old = site.block.add(Load(place.address, vector_of(type_, lanes_of(value.type)), access))
        value = site.block.select(mask, value, old)
    site.block.effect(Store(value, place.address, access))


def _place(
    site: Site, pointer: Value, type_: Type, objects: LaneObjects, coordinates: Lanes, varies: frozenset[int]
) -> _Place:
    key = restrict(coordinates, site.context.varying(site.variant, pointer))
    numbers, size = objects.numbers(coordinates), size_of(type_)
    offsets = [number * size for number in numbers]
    mask = activation_of(site, varies, coordinates)
    if is_scalar(key) and all(b - a == size for a, b in pairwise(offsets)):
        address = site.block.address(site.operand(pointer, key), i64(offsets[0]), I8)
        align = gcd(ALIGNMENT, objects.count * size, offsets[0])
        return _Place(address, True, mask, align)
    addresses = site.operand(pointer, coordinates)
    if any(offsets):
        addresses = site.block.address(addresses, integers(I64, offsets), I8)
    return _Place(addresses, is_scalar(coordinates), mask, size)


def _may_blend(site: Site, pointer: Value, type_: Type) -> bool:
    """Whether a store may load and store in lanes that are passive: where the address is good, and registers may be the aim."""
    assert site.variant.nest is not None
    objects = site.variant.nest.facts.objects
    names = objects.of(pointer).objects
    small = all(objects.allocas[name].count <= ELEMENTS_OF_OBJECT for name in names)
    return small and _is_good(site, pointer, type_)


def _is_good(site: Site, pointer: Value, type_: Type) -> bool:
    """Whether an address leads into an object in passive lanes too: active ones have the same, or it is known."""
    shared = not site.context.varying(site.variant, pointer) and site.context.accompanied(site.label)
    return shared or _is_inside(site, pointer, type_)


def _is_inside(site: Site, pointer: Value, type_: Type) -> bool:
    """Whether a pointer is at a constant place inside an object."""
    offset = 0
    while isinstance(pointer, Var):
        match site.context.definitions[pointer.name].instruction:
            case Alloca(element=element, count=count):
                return 0 <= offset <= size_of(element) * count - size_of(type_)
            case ElementPointer(element=element, base=base, indices=(Const() as index,)):
                offset += index.signed * size_of(element)
                pointer = base
            case _:
                return False
    return False
