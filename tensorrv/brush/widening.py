"""From a function with chosen nests to the vector IR: shapes, register width, variants, code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.cost.accesses import parts_of_vector
from rv.ir.steps import Keep, forget
from rv.ir.types import IntType, bits_of
from rv.ir.values import Var
from rv.target.description import machine_of
from rv.target.llvm_defects.known import fences
from rv.target.machine import Target
from rv.vector.function import Module
from rv.widen.arithmetic.narrow_sums import narrow_sums
from rv.widen.context import find_definitions, find_folds
from rv.widen.linkage import Linkage
from rv.widen.loops.variant_tree import variant_tree
from rv.widen.memory.worklists import find_pending
from rv.widen.protocols import Dimensions
from rv.widen.widen import register_lanes, varying_data
from rv.widen.widen import widen as widen_nests
from tensorrv.brush.alignment import find_anchor
from tensorrv.brush.context import BrushContext
from tensorrv.brush.grids import find_grids, lane_blocks
from tensorrv.brush.memory.access_groups import lane_elements
from tensorrv.brush.memory.forms import BrushForms
from tensorrv.brush.memory.open_ends import has_open_ends
from tensorrv.brush.nest import BrushedNest
from tensorrv.brush.shapes import NestShapes, analyze_shapes
from tensorrv.nest.choice.hints import aligned_arrays, stored_around_caches
from tensorrv.nest.model import Access, Nests
from tensorrv.schedule.plan import Plan


@dataclass(frozen=True, slots=True)
class ChosenNest:
    """A chain of loops that is to be brushed, outermost first, with sizes.

    `objects`: the shapes of stack objects before linearization.
    """

    headers: tuple[str, ...]
    sizes: tuple[int, ...]
    facts: Nests
    objects: Mapping[str, Dimensions]
    divided: bool = False
    """Whether threads share the iterations of the outermost loop."""
    distinct: bool = True
    """Whether arrays are known not to overlap; that iterations are independent does not imply it."""


@dataclass(frozen=True, slots=True)
class Widened:
    """The module, its statements in their final order, and what it was made from, for reports."""

    module: Module
    context: BrushContext


def widen(
    nests: Nests, chosen: Sequence[ChosenNest], plan: Plan, target: Target, linkage: Linkage, keep: Keep = forget
) -> Widened:
    """The vector IR of a function; nests that are not chosen stay scalar."""
    shapes = {nest.headers[0]: analyze_shapes(nest.facts, nest.headers, nest.sizes, nest.objects) for nest in chosen}
    brushed = tuple(_brushed_nest(nest, shapes[nest.headers[0]], plan, target) for nest in chosen)
    needed = varying_data(_single_lanes(nests, brushed, shapes, plan, target))
    sums = {found.header for found in narrow_sums(nests, target).values()}
    lanes = {
        nest.headers[0]: _register_lanes(
            nest, needed[nest.headers[0]], shapes[nest.headers[0]], plan, target, sums=not sums.isdisjoint(nest.headers)
        )
        for nest in brushed
    }
    context = _context(nests, brushed, shapes, lanes, plan, target, masks=target.cheap_masks)
    return Widened(widen_nests(context, linkage, keep), context)


def _single_lanes(
    nests: Nests, brushed: Sequence[BrushedNest], shapes: Mapping[str, NestShapes], plan: Plan, target: Target
) -> BrushContext:
    """The function with brushes of a single lane."""
    single = tuple(
        replace(n, sizes=(1,) * n.rank, grids=(None,) * n.rank, heads=(0,) * n.rank, blocks=(1,) * n.rank) for n in brushed
    )
    return _context(nests, single, shapes, dict.fromkeys(shapes, 1), plan, target, masks=False)


def _context(
    nests: Nests,
    brushed: tuple[BrushedNest, ...],
    shapes: Mapping[str, NestShapes],
    lanes: Mapping[str, int],
    plan: Plan,
    target: Target,
    *,
    masks: bool,
) -> BrushContext:
    function = nests.function
    order, line = reverse_postorder(flow_graph(function)), machine_of(target).memory.line
    accesses = {(nest.headers[0], a.block, a.position): a for nest in brushed for a in _accesses(nest)}
    return BrushContext(
        function=function,
        loops=nests.loops,
        nests=brushed,
        shapes=shapes,
        lanes=lanes,
        root=variant_tree(order, nests.loops, brushed, plan.tail, masks=masks, lanes=lanes),
        order=order,
        plan=plan,
        fp=plan.fp,
        target=target,
        definitions=find_definitions(function),
        accesses=accesses,
        forms=BrushForms(accesses, shapes),
        folds=find_folds(nests),
        pending={place: ahead for nest in brushed for place, ahead in find_pending(nests, nest.headers[-1], line).items()},
        fences=fences(function, target.architecture),
        sums=narrow_sums(nests, target),
    )


def _accesses(nest: BrushedNest) -> Iterator[Access]:
    """The accesses inside a nest."""
    region = nest.facts.loops[nest.headers[0]].blocks
    return (access for access in nest.facts.accesses if access.block in region)


def _brushed_nest(nest: ChosenNest, shapes: NestShapes, plan: Plan, target: Target) -> BrushedNest:
    region = nest.facts.loops[nest.headers[0]].blocks
    votes: Counter[int] = Counter()
    aligned_loads = False
    for access in nest.facts.accesses:
        elements = lane_elements(access, shapes) if access.block in region else None
        aligned_loads |= elements is not None and access.subscripts is None
        dimension = elements.contiguous_dimension if elements else None
        if dimension is not None:
            votes[dimension] += 1
    rank = len(nest.headers)
    projection = None if plan.projection is None else _outward(plan.projection, rank - len(plan.projection))
    if projection is None or sorted(projection) != list(range(rank)):
        projection = tuple(
            sorted(range(rank), key=lambda d: (-votes[d] if votes[d] == max(votes.values(), default=0) else 0, -d))
        )
    nontemporal = stored_around_caches(nest.facts.loops[header] for header in nest.headers)
    stream = plan.stores == "stream" or bool(nontemporal)
    grids = find_grids(nest.facts, shapes, nest.sizes, stream=stream)
    aligned = aligned_arrays(nest.facts.loops[header] for header in nest.headers)
    free = grids[-1] is None and not shapes.aligned and not aligned_loads
    anchor = find_anchor(nest.facts, shapes, aligned, target, stream=stream) if free else None
    blocks = lane_blocks(nest.facts, shapes, nest.sizes)
    followed = projection[0] == rank - 1 and not any(grids) and has_open_ends(nest.facts, shapes, nest.sizes[-1])
    return BrushedNest(
        nest.headers,
        nest.sizes,
        projection,
        frozenset(votes),
        blocks,
        nest.facts,
        tuple(0 if grid is None else grid.step - 1 if grid.first is None else grid.first for grid in grids),
        align=anchor is not None,
        divided=nest.divided,
        distinct=nest.distinct,
        stream=stream and (anchor is not None or grids[-1] is not None),
        followed=followed,
        anchor=anchor,
        grids=grids,
        nontemporal=nontemporal if plan.stores != "stream" else frozenset(),
        prefetch=plan.prefetch,
    )


def _outward(projection: tuple[int, ...], more: int) -> tuple[int, ...]:
    """The projection of a brush that got `more` dimensions of size 1 on the outside."""
    return (*(dimension + more for dimension in projection), *range(max(0, more)))


def _register_lanes(
    nest: BrushedNest, needed: Sequence[Var], shapes: NestShapes, plan: Plan, target: Target, *, sums: bool
) -> int:
    """`sums`: of narrow numbers are among what is computed, whose partial results have lanes of their own."""
    accesses = list(_accesses(nest))
    stored = [bits_of(access.element) for access in accesses if access.kind == "store"]
    known = [(access, lane_elements(access, shapes)) for access in accesses]
    along = [bits_of(a.element) for a, own in known if own is not None and nest.projection[0] in own.varying]
    integers = all(isinstance(type_, IntType) for type_ in (*(v.type for v in needed), *(a.element for a in accesses)))
    narrow = min(along, default=0) if integers and not sums else 0

    def parts(widest: int) -> int:
        return parts_of_vector(target, widest, narrow or widest)

    return register_lanes(nest, needed, stored, len(accesses), plan.register_bits or target.register_bits, parts)
