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

from rv.ir.instructions import Alloca, ElementPointer, Load, Store
from rv.ir.types import I1, I64, PTR, Type, size_of
from rv.ir.values import TRUE, Const, Value, Var
from rv.widen.lanes import Pattern, is_scalar, restrict
from rv.widen.llvm_text import int_vector, type_text
from tensorrv.brush.context import LaneObjects
from tensorrv.brush.masks import activation_of
from tensorrv.brush.memory_lines import gather, load_if, masked_load, masked_store, scatter, store_if
from tensorrv.brush.site import Site

SMALL: Final = 16  # elements: such objects are mostly taken apart into registers
ALIGNMENT: Final = 64


def emit_object(site: Site, alloca: Alloca) -> str:
    """The objects of all lanes; their address. Where all come, their contents are undefined from here on."""
    objects = site.context.objects_at(site.copy, alloca.result)
    if objects is None:
        return site.llvm.stack_object(alloca.element, alloca.count)
    name = site.llvm.stack_object(alloca.element, alloca.count * objects.count, ALIGNMENT)
    if site.predicate != TRUE:
        return name  # lanes that do not come here keep what is in theirs
    site.llvm.declare("llvm.lifetime.start.p0", "declare void @llvm.lifetime.start.p0(ptr)")
    site.block.store(f"call void @llvm.lifetime.start.p0(ptr {name})", [name], objects.group, None)
    return name


@dataclass(frozen=True, slots=True)
class _Place:
    """An access in the lanes of `pattern`: an address, or one for each lane; `mask` is None where all lanes may access."""

    address: str
    together: bool
    mask: str | None
    align: int


def emit_object_access(site: Site, access: Load | Store, objects: LaneObjects) -> None:
    """A load in all lanes where it is needed, or a store."""
    if isinstance(access, Store):
        _store(site, access, objects)
        return
    for pattern in sorted(site.copy.demand.get(access.result.name, ())):
        site.define(access.result, pattern, _load(site, access, objects, pattern))


def _load(site: Site, load: Load, objects: LaneObjects, pattern: Pattern) -> str:
    type_, lanes = load.result.type, len(pattern)
    place = _place(site, load.pointer, type_, objects, pattern, site.context.varying(site.copy, load.result))
    mask = None if place.together and _is_good(site, load.pointer, type_) else place.mask
    if not place.together:
        return gather(site, type_, place.address, mask, objects.group, lanes)
    if mask is None:
        text = f"load {type_text(type_, lanes)}, ptr {place.address}, align {place.align}"
        return site.block.load(text, [place.address], objects.group, weight=site.weight(8 * size_of(type_), lanes), place=None)
    if is_scalar(pattern):
        return load_if(site, mask, type_, place.address, objects.group, None)
    return masked_load(site, type_, place.address, mask, objects.group, lanes, None)


def _store(site: Site, store: Store, objects: LaneObjects) -> None:
    type_ = store.value.type
    for pattern in site.context.object_patterns(site.copy, objects):
        place = _place(site, store.pointer, type_, objects, pattern, objects.dimensions)
        lanes, value = len(pattern), site.operand(store.value, pattern)
        mask = None if site.predicate == TRUE and place.together else place.mask
        if not place.together:
            scatter(site, type_, value, place.address, mask, objects.group, lanes)
        elif mask is not None and not _may_blend(site, store.pointer, type_):
            if is_scalar(pattern):
                store_if(site, mask, type_, value, place.address, objects.group)
            else:
                masked_store(site, type_, value, place.address, mask, objects.group, lanes, None)
        else:
            _store_together(site, type_, value, place, mask, objects.group, lanes)


def _store_together(site: Site, type_: Type, value: str, place: _Place, mask: str | None, group: str, lanes: int) -> None:
    vector = type_text(type_, lanes)
    if mask is not None:
        load = f"load {vector}, ptr {place.address}, align {place.align}"
        old = site.block.load(load, [place.address], group, weight=site.weight(8 * size_of(type_), lanes), place=None)
        select = f"select {type_text(I1, lanes)} {mask}, {vector} {value}, {vector} {old}"
        value = site.block.pure(select, [mask, value, old], weight=site.weight(8 * size_of(type_), lanes))
    text = f"store {vector} {value}, ptr {place.address}, align {place.align}"
    site.block.store(text, [value, place.address], group, None)


def _place(
    site: Site, pointer: Value, type_: Type, objects: LaneObjects, pattern: Pattern, varies: frozenset[int]
) -> _Place:
    key = restrict(pattern, site.context.varying(site.copy, pointer))
    numbers, size = objects.numbers(pattern), size_of(type_)
    offsets = [number * size for number in numbers]
    mask = activation_of(site, varies, pattern)
    if is_scalar(key) and all(b - a == size for a, b in pairwise(offsets)):
        address = _moved(site, site.operand(pointer, key), offsets[0])
        align = gcd(ALIGNMENT, objects.count * size, offsets[0])
        return _Place(address, True, mask, align)
    addresses = site.operand(pointer, pattern)
    if any(offsets):
        text = f"getelementptr i8, {type_text(PTR, len(pattern))} {addresses}, {type_text(I64, len(pattern))} "
        weight = site.weight(64, len(pattern))
        addresses = site.block.pure(text + int_vector(I64, offsets), [addresses], weight=weight)
    return _Place(addresses, is_scalar(pattern), mask, size)


def _moved(site: Site, address: str, offset: int) -> str:
    return site.block.pure(f"getelementptr i8, ptr {address}, i64 {offset}", [address]) if offset else address


def _may_blend(site: Site, pointer: Value, type_: Type) -> bool:
    """Whether a store may load and store in lanes that are passive: where the address is good, and registers may be the aim."""
    assert site.copy.nest is not None
    objects = site.copy.nest.facts.objects
    names = objects.of(pointer).objects
    small = all(objects.allocas[name].count <= SMALL for name in names)
    return small and _is_good(site, pointer, type_)


def _is_good(site: Site, pointer: Value, type_: Type) -> bool:
    """Whether an address leads into an object in passive lanes too: active ones have the same, or it is known."""
    shared = not site.context.varying(site.copy, pointer) and site.context.accompanied(site.label)
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
