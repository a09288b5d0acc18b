"""How the accesses of lanes in a line are made: contiguous where addresses are an element apart, else gathered or scattered.

A stride comes from the closed form of the address or from its shape. Closed forms are exact in every lane that makes the access.
Shapes rest on arithmetic that does not wrap in lanes that execute it, so they are not used under a predicate, where the first
lane may be passive.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass

from rv.evolution.polynomial import Polynomial, counter
from rv.internal_error import InternalError
from rv.ir import instructions as ir
from rv.ir.function import Block
from rv.ir.types import I64
from rv.ir.values import Value, Var
from rv.vector.values import Operand
from rv.widen.line.shapes import LineShapes
from rv.widen.loops.variant_tree import Variant
from rv.widen.memory.gathers import emit_gather, emit_scatter
from rv.widen.memory.strided import Strided, emit_strided_load, emit_strided_store
from rv.widen.protocols import Dimensions
from rv.widen.site import Site


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
            names = (s.name for s in form.offset.symbols if not s.is_counter)
            stride = form.offset.coefficient(counter(header)).as_constant
            uniform = not any(shapes.of(Var(name, I64)) for name in names)
            if uniform and stride is not None:
                return Strided(form.base, form.offset, (stride,))
        found = shapes.stride(pointer)
        return None if found is None or shapes.in_block(label) else Strided(pointer, Polynomial.constant(0), (found,))

    def dimensions(self, variant: Variant, label: str, position: int, pointer: Value) -> Dimensions:
        assert variant.nest is not None
        return self.shapes[variant.nest.headers[0]].of(pointer)

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
            if strided is None:
                emit_gather(site, load, array, site.operand(load.pointer, coordinates), coordinates)
            else:
                emit_strided_load(site, load, array, strided, coordinates)

    def store(self, position: int, store: ir.Store) -> None:
        site = self.site
        array = site.context.array_of(site.variant, site.label, position)
        strided = self.accesses.strided(site.variant, site.label, store.pointer)
        for coordinates in site.context.stored_lanes(site.variant, site.label, position, store):
            if strided is None:
                emit_scatter(site, store, array, site.operand(store.pointer, coordinates), coordinates)
            else:
                emit_strided_store(site, store, array, strided, coordinates)

    def finish(self) -> None:
        """Nothing waits."""
