"""How accesses of a brush are made, and to what they align brushes: to cache lines, or to the blocks of a layout."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rv.ir.function import Block
from rv.vector.values import ZERO, Operand, i64, known_integer
from rv.widen.loops.variant_tree import Variant
from rv.widen.protocols import BlockAccesses
from rv.widen.site import Site
from tensorrv.brush.alignment import emit_head_length
from tensorrv.brush.grids import Grid
from tensorrv.brush.memory.accesses import BrushAccesses
from tensorrv.brush.memory.grouped_accesses import GroupedAccesses
from tensorrv.brush.memory.streaming import emit_all_aligned, emit_fence
from tensorrv.brush.nest import brushed_nest


@dataclass(slots=True)
class BrushForms(BrushAccesses):
    """The accesses of brushed nests, written by groups."""

    def in_block(self, site: Site, block: Block) -> BlockAccesses:
        return GroupedAccesses(site, block)

    def head_end(self, site: Site, variant: Variant, counter: Operand, trips: Operand) -> Operand:
        """The iteration before which a head ends that begins at `counter`, a multiple of the brush's size."""
        nest = brushed_nest(variant)
        grid, header = nest.grids[variant.level], nest.headers[variant.level]
        left = site.block.integer("sub", trips, counter)
        if grid is not None:
            return site.block.integer("add", counter, emit_grid_head(site, grid, left))
        assert nest.anchor is not None
        elements = self.elements(variant, nest.anchor.block, nest.anchor.position)
        assert elements is not None
        site.state.loop_counters[header] = counter
        least = nest.anchor.least_brushes * nest.sizes[variant.level]
        return site.block.integer("add", counter, emit_head_length(site, elements, left, least))

    def stream_end(self, site: Site, variant: Variant, counter: Operand, limit: Operand) -> Operand:
        """The end of the brushes that stream: `limit`, or at once where not all that they store is aligned."""
        if self.is_idle(variant):
            return counter
        site.state.loop_counters[brushed_nest(variant).headers[variant.level]] = counter
        return site.block.select(emit_all_aligned(site, self.streamed[variant]), limit, counter)

    def after_nest(self, site: Site, variants: Collection[Variant]) -> None:
        if any(self.streamed.get(variant) for child in variants for variant in child.walk()):
            emit_fence(site)


def emit_grid_head(site: Site, grid: Grid, trips: Operand) -> Operand:
    """How many iterations to run until brushes stand on the grid: as i64, at most `trips`."""
    block = site.block
    if grid.first is not None:
        known = known_integer(trips)
        if known is not None:
            return i64(min(grid.first, known))
        count: Operand = i64(grid.first)
    else:
        start = site.polynomial(grid.start)
        rest = block.binary("srem", start, i64(grid.step))
        if any(map(site.context.may_be_undefined, grid.start.symbols)):
            rest = block.freeze(rest)
        next_ = block.select(block.compare("sgt", rest, ZERO), i64(grid.step), ZERO)
        count = block.integer("sub", next_, rest)
    return block.select(block.compare("ult", trips, count), trips, count)
