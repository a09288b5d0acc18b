"""How the accesses of lanes in a line are made: contiguous where addresses are an element apart, else gathered or scattered.

    a[i]        load <8 x double>, ptr %a + 8 * i                     an element apart
    a[n - i]    the same, from the last lane, and reversed            an element apart downwards
    a[3 * i]    gather at %a + 24 * i + <0, 24, 48, ...>              any stride
    a[x[i]]     gather                                                any addresses

A stride comes from the closed form of the address or from its shape. Closed forms are exact in every lane that makes the access.
Shapes rest on arithmetic that does not wrap in lanes that execute it, so they are not used under a predicate, where the first
lane may be passive.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from rv.evolution.facts import counter
from rv.evolution.polynomial import Polynomial
from rv.internal_error import InternalError
from rv.ir import instructions as ir
from rv.ir.function import Block
from rv.ir.types import I8, I64, Type, size_of
from rv.ir.values import Value, Var
from rv.vector.instructions import Load, Store
from rv.vector.types import lanes_of, vector_of
from rv.vector.values import Operand, i64, integers
from rv.widen.across.masks import activation, activation_of
from rv.widen.lanes import SCALAR, Lanes, is_scalar
from rv.widen.line.shapes import LineShapes
from rv.widen.loops.variant_tree import Variant
from rv.widen.memory.gathers import emit_gather, emit_scatter
from rv.widen.protocols import Dimensions, Reads
from rv.widen.site import Site


@dataclass(frozen=True, slots=True)
class Strided:
    """Addresses `offset` bytes behind `base` at the first lane, and `stride` bytes further from lane to lane."""

    base: Value
    offset: Polynomial
    stride: int


@dataclass(frozen=True, slots=True)
class LineAccesses:
    """The accesses of all nests of a function; `shapes` by header."""

    shapes: Mapping[str, LineShapes]

    def strided(self, variant: Variant, label: str, pointer: Value) -> Strided | None:
        """Where the lanes of a variant access memory through a pointer in a block, if that is a stride apart."""
        if variant.nest is None or not isinstance(pointer, Var):
            return None
        shapes, header = self.shapes[variant.nest.headers[0]], variant.nest.headers[0]
        form = variant.nest.facts.pointers.get(pointer.name)
        if form is not None and not shapes.of(form.base):
            names = (s.partition("%")[2] for s in form.offset.symbols if not s.startswith("@"))
            stride = form.offset.coefficient(counter(header)).as_constant
            uniform = not any(shapes.of(Var(name, I64)) for name in names)
            if uniform and stride is not None:
                return Strided(form.base, form.offset, stride)
        found = shapes.stride(pointer)
        return None if found is None or shapes.in_block(label) else Strided(pointer, Polynomial.constant(0), found)

    def dimensions(self, variant: Variant, label: str, position: int, pointer: Value) -> Dimensions:
        assert variant.nest is not None
        return self.shapes[variant.nest.headers[0]].of(pointer)

    def reads(self, variant: Variant, label: str, position: int, access: ir.Load | ir.Store, coordinates: Lanes) -> Reads:
        strided = self.strided(variant, label, access.pointer)
        if strided is None:
            return Reads(((access.pointer, coordinates),))
        return Reads(((strided.base, SCALAR),), (strided.offset,))

    def is_together(self, variant: Variant, label: str, position: int) -> bool:
        return False

    def in_block(self, site: Site, block: Block) -> LineBlock:
        return LineBlock(site, self)

    def head_end(self, site: Site, variant: Variant, counter: Operand, trips: Operand) -> Operand:
        raise InternalError("a line of lanes has no head", f"loop {variant.header}")

    def stream_end(self, site: Site, variant: Variant, counter: Operand, limit: Operand) -> Operand:
        raise InternalError("lanes in a line do not write around the caches", f"loop {variant.header}")

    def is_idle(self, variant: Variant) -> bool:
        return False

    def after_nest(self, site: Site, variants: Collection[Variant]) -> None:
        """Nothing has to follow."""


@dataclass(frozen=True, slots=True)
class LineBlock:
    """The accesses of a block that is being written at `site`, each by itself and at its place."""

    site: Site
    accesses: LineAccesses

    def load(self, position: int, load: ir.Load) -> None:
        site = self.site
        array = site.context.array_of(site.variant, site.label, position)
        strided = self.accesses.strided(site.variant, site.label, load.pointer)
        for coordinates in sorted(site.variant.demand.get(load.result.name, ())):
            place = None if strided is None else _neighbours(strided, load.result.type, coordinates)
            if strided is None or place is None:
                pointers = site.operand(load.pointer, coordinates) if strided is None else _addresses(site, strided, coordinates)
                emit_gather(site, load, array, pointers, coordinates)
                continue
            mask = activation_of(site, site.context.varying(site.variant, load.result), coordinates)
            address = _address(site, strided, place.first)
            access = site.access(array, load.result.type)
            vector = vector_of(load.result.type, len(coordinates))
            found = site.block.add(Load(address, vector, access, place.turned(site, mask)))
            site.define(load.result, coordinates, place.turned(site, found) or found)

    def store(self, position: int, store: ir.Store) -> None:
        site = self.site
        array = site.context.array_of(site.variant, site.label, position)
        strided = self.accesses.strided(site.variant, site.label, store.pointer)
        for coordinates in site.context.stored_lanes(site.variant, site.label, position, store):
            place = None if strided is None else _neighbours(strided, store.value.type, coordinates)
            if strided is None or place is None:
                pointers = site.operand(store.pointer, coordinates) if strided is None else _addresses(site, strided, coordinates)
                emit_scatter(site, store, array, pointers, coordinates)
                continue
            value, mask = site.operand(store.value, coordinates), activation(site, coordinates)
            address = _address(site, strided, place.first)
            access = site.access(array, store.value.type)
            site.block.effect(Store(place.turned(site, value) or value, address, access, place.turned(site, mask)))

    def finish(self) -> None:
        """Nothing waits."""


@dataclass(frozen=True, slots=True)
class _Neighbours:
    """Lanes that access neighbouring elements, from lane `first` on, which may be the last one: then they are in reverse."""

    first: int
    reverse: bool

    def turned(self, site: Site, vector: Operand | None) -> Operand | None:
        """A vector of lanes as it is in memory, or the other way round."""
        if vector is None or not self.reverse:
            return vector
        return site.block.shuffle(vector, None, range(lanes_of(vector.type) - 1, -1, -1))


def _neighbours(strided: Strided, type_: Type, coordinates: Lanes) -> _Neighbours | None:
    lanes = [lane for (lane,) in coordinates] if not is_scalar(coordinates) else []
    if not lanes or lanes != list(range(lanes[0], lanes[0] + len(lanes))):
        return None
    if strided.stride == size_of(type_):
        return _Neighbours(lanes[0], reverse=False)
    return _Neighbours(lanes[-1], reverse=True) if strided.stride == -size_of(type_) else None


def _address(site: Site, strided: Strided, lane: int) -> Operand:
    """The address that one lane accesses."""
    base = site.block.address(site.operand(strided.base, SCALAR), site.polynomial(strided.offset), I8)
    return site.block.address(base, i64(strided.stride * lane), I8)


def _addresses(site: Site, strided: Strided, coordinates: Lanes) -> Operand:
    """The addresses that the lanes of a set of lanes access."""
    lanes = [coordinate[0] if coordinate else 0 for coordinate in coordinates]
    first = _address(site, strided, lanes[0])
    if is_scalar(coordinates):
        return first
    return site.block.address(first, integers(I64, [strided.stride * (lane - lanes[0]) for lane in lanes]), I8)
