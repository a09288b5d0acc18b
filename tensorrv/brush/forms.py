"""How accesses of a brush are written, and where they want brushes to begin: on cache lines, or on the grid of a layout."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from rv.ir.function import Block
from rv.vector.values import ZERO, Operand, i64, known_integer
from rv.widen.loops.copies import Copy
from rv.widen.protocols import BlockAccesses
from rv.widen.site import Site
from tensorrv.brush.accesses import BrushAccesses
from tensorrv.brush.alignment import emit_head_length
from tensorrv.brush.grids import Grid
from tensorrv.brush.groups import GroupedAccesses
from tensorrv.brush.nest import brushed_nest
from tensorrv.brush.streaming import emit_all_aligned, emit_fence


@dataclass(slots=True)
class BrushForms(BrushAccesses):
    """The accesses of brushed nests, written by groups."""

    def in_block(self, site: Site, block: Block) -> BlockAccesses:
        return GroupedAccesses(site, block)

    def head_end(self, site: Site, copy: Copy, counter: Operand, trips: Operand) -> Operand:
        """The iteration before which a head ends that begins at `counter`, a multiple of the brush's size."""
        nest = brushed_nest(copy)
        grid, header = nest.grids[copy.level], nest.headers[copy.level]
        left = site.block.integer("sub", trips, counter)
        if grid is not None:
            return site.block.integer("add", counter, emit_grid_head(site, grid, left))
        assert nest.anchor is not None
        elements = self.elements(copy, nest.anchor.block, nest.anchor.position)
        assert elements is not None
        site.state.loop_counters[header] = counter
        least = nest.anchor.least_brushes * nest.sizes[copy.level]
        return site.block.integer("add", counter, emit_head_length(site, elements, left, least))

    def stream_end(self, site: Site, copy: Copy, counter: Operand, limit: Operand) -> Operand:
        """The end of the brushes that stream: `limit`, or at once where not all that they store is aligned."""
        if self.is_idle(copy):
            return counter
        site.state.loop_counters[brushed_nest(copy).headers[copy.level]] = counter
        return site.block.select(emit_all_aligned(site, self.streamed[copy]), limit, counter)

    def after_nest(self, site: Site, copies: Collection[Copy]) -> None:
        if any(self.streamed.get(copy) for child in copies for copy in child.walk()):
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
