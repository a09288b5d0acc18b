"""From a function with chosen nests to the vector IR: shapes, register width, copies, demand, code."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from rv.analysis.cfg.flow import flow_graph, reverse_postorder
from rv.evolution.facts import Fold, Legal
from rv.ir.function import Function
from rv.ir.types import I1, PointerType, bits_of
from rv.ir.values import Var
from rv.target.description import machine_of
from rv.target.llvm_defects.known import fences
from rv.target.machine import Target
from rv.vector.function import Module
from rv.vector.order import ordered
from rv.vector.port_balance import balanced
from rv.vector.window import timing_of
from tensorrv.brush.alignment import find_anchor
from tensorrv.brush.body import emit_body
from tensorrv.brush.context import Context, Definition
from tensorrv.brush.copies import BrushedNest, Copy, copy_tree
from tensorrv.brush.demand import find_demand
from tensorrv.brush.elements import lane_elements
from tensorrv.brush.grids import find_grids, lane_blocks
from tensorrv.brush.pending import find_pending
from tensorrv.brush.relief import relieve_divider
from tensorrv.brush.shapes import Dimensions, NestShapes, analyze_shapes
from tensorrv.brush.site import Site, State
from tensorrv.nest.choice.promises import aligned_arrays, stored_around_caches
from tensorrv.nest.model import Access, Nests
from tensorrv.schedule.plan import Plan
from tensorrv.unit.linkage import EXTERNAL, Linkage, writer_for


@dataclass(frozen=True, slots=True)
class ChosenNest:
    """A chain of loops that is to be brushed, outermost first, with sizes and the proof that this is legal.

    `objects`: the shapes of stack objects before linearization.
    """

    headers: tuple[str, ...]
    sizes: tuple[int, ...]
    legal: Legal
    facts: Nests
    objects: Mapping[str, Dimensions]
    divided: bool = False
    """Whether threads share the iterations of the outermost loop."""
    distinct: bool = True
    """Whether arrays are known not to overlap; that iterations are independent does not say so."""


@dataclass(frozen=True, slots=True)
class Widened:
    """The module, its statements in their final order, and what it was made from, for reports."""

    module: Module
    context: Context


def widen(
    nests: Nests, chosen: Sequence[ChosenNest], plan: Plan, target: Target, linkage: Linkage = EXTERNAL
) -> Widened:
    """The vector IR of a function; nests that are not chosen stay scalar."""
    function = nests.function
    shapes = {nest.headers[0]: analyze_shapes(nest.facts, nest.headers, nest.sizes, nest.objects) for nest in chosen}
    brushed = tuple(_brushed_nest(nest, shapes[nest.headers[0]], plan) for nest in chosen)
    needed = _needed(nests, brushed, shapes, plan, target)
    lanes = {nest.headers[0]: _register_lanes(nest, needed[nest.headers[0]], plan, target) for nest in brushed}
    order = reverse_postorder(flow_graph(function))
    root = copy_tree(order, nests.loops, brushed, plan.tail, masks=target.cheap_masks, lanes=lanes)
    context = _context(function, nests, brushed, shapes, lanes, root, order, plan, target)
    find_demand(context)
    relieve_divider(context)
    find_demand(context)  # of the predicates of what is not left to the divider
    writer = writer_for(function, linkage)
    entry = writer.block("start", fixed=True)
    entry.jump(emit_body(Site(context, writer, State(root, None), entry), "", None))
    return Widened(_for_machine(Module(writer.finish(), context.arrays), target), context)


def _for_machine(module: Module, target: Target) -> Module:
    """The module as the target's core runs it best."""
    machine, bits = machine_of(target), target.register_bits
    if target.fma:
        module = balanced(module, machine, bits)
    return ordered(module, target.registers, bits, timing_of(machine, bits))


def _context(
    function: Function,
    nests: Nests,
    brushed: tuple[BrushedNest, ...],
    shapes: Mapping[str, NestShapes],
    lanes: Mapping[str, int],
    root: Copy,
    order: tuple[str, ...],
    plan: Plan,
    target: Target,
) -> Context:
    return Context(
        function=function,
        loops=nests.loops,
        brushed=brushed,
        shapes=shapes,
        lanes=lanes,
        root=root,
        order=order,
        plan=plan,
        target=target,
        definitions=find_definitions(function),
        accesses={(nest.headers[0], a.block, a.position): a for nest in brushed for a in _accesses(nest)},
        folds=find_folds(nests),
        pending={place: ahead for nest in brushed for place, ahead in find_pending(nests, nest.headers[-1]).items()},
        fences=fences(function, target.architecture),
    )


def _accesses(nest: BrushedNest) -> Iterator[Access]:
    """The accesses inside a nest."""
    region = nest.facts.loops[nest.headers[0]].blocks
    return (access for access in nest.facts.accesses if access.block in region)


def find_folds(nests: Nests) -> dict[str, Fold]:
    """The folds by member; a minimum of floats whose order counts is a selection."""
    folds: dict[str, Fold] = {reduction.phi.name: reduction for reduction in nests.reductions}
    folds.update({m.name: s for s in nests.selections if s.order is not None for m in s.members})
    return folds


def find_definitions(function: Function) -> dict[str, Definition]:
    """Where every variable but the parameters is defined."""
    result: dict[str, Definition] = {}
    for block in function.blocks:
        for phi in block.phis:
            result[phi.result.name] = Definition(block.label, -1, phi)
        for position, instruction in enumerate(block.body):
            if instruction.result is not None:
                result[instruction.result.name] = Definition(block.label, position, instruction)
    return result


def _brushed_nest(nest: ChosenNest, shapes: NestShapes, plan: Plan) -> BrushedNest:
    region = nest.facts.loops[nest.headers[0]].blocks
    votes: Counter[int] = Counter()
    for access in nest.facts.accesses:
        elements = lane_elements(access, shapes) if access.block in region else None
        dimension = elements.contiguous_dimension if elements else None
        if dimension is not None:
            votes[dimension] += 1
    rank = len(nest.headers)
    projection = None if plan.projection is None else _outward(plan.projection, rank - len(plan.projection))
    if projection is None or sorted(projection) != list(range(rank)):
        projection = tuple(
            sorted(range(rank), key=lambda d: (-votes[d] if votes[d] == max(votes.values(), default=0) else 0, -d))
        )
    wished = stored_around_caches(nest.facts.loops[header] for header in nest.headers)
    stream = plan.stores == "stream" or bool(wished)
    grids = find_grids(nest.facts, shapes, nest.sizes, stream=stream)
    aligned = aligned_arrays(nest.facts.loops[header] for header in nest.headers)
    free = grids[-1] is None and not shapes.aligned
    anchor = find_anchor(nest.facts, shapes, aligned, stream=stream) if free else None
    blocks = lane_blocks(nest.facts, shapes, nest.sizes)
    return BrushedNest(
        nest.headers,
        nest.sizes,
        projection,
        frozenset(votes),
        anchor,
        grids,
        blocks,
        nest.legal,
        nest.facts,
        nest.divided,
        nest.distinct,
        stream and (anchor is not None or grids[-1] is not None),
        wished if plan.stores != "stream" else frozenset(),
        plan.prefetch,
    )


def _outward(projection: tuple[int, ...], more: int) -> tuple[int, ...]:
    """The projection of a brush that got `more` dimensions of size 1 on the outside."""
    return (*(dimension + more for dimension in projection), *range(max(0, more)))


def _register_lanes(nest: BrushedNest, needed: Sequence[Var], plan: Plan, target: Target) -> int:
    """Lanes of a register: as many as the widest data that varies inside the brush allows.

    A brush whose rows are shorter than a register could pack k rows into one. That costs k-1 shuffles for each access and
    saves k-1 of k arithmetic operations, of which processors start two while they start one shuffle of wide registers. So it is
    done when there is twice as much arithmetic as access, or when a row does not even fill 128 bits.
    """
    bits = [8, *(bits_of(variable.type) for variable in needed)]
    accesses = list(_accesses(nest))
    bits += [bits_of(access.element) for access in accesses if access.kind == "store"]
    width = (plan.register_bits or target.register_bits) // max(bits)
    row = nest.sizes[nest.projection[0]]
    if max(nest.blocks) > 1:
        return width  # registers hold blocks, not rows
    if row < width and len(needed) <= 3 * len(accesses):
        return max(row, min(width, 128 // max(bits)))
    return width


def _needed(
    nests: Nests, brushed: Sequence[BrushedNest], shapes: Mapping[str, NestShapes], plan: Plan, target: Target
) -> Mapping[str, Sequence[Var]]:
    """The data that varies inside the brush of each nest, by its outermost header: what brushes of a single lane need."""
    single = tuple(replace(n, sizes=(1,) * n.rank, grids=(None,) * n.rank, blocks=(1,) * n.rank) for n in brushed)
    lanes = {nest.headers[0]: 1 for nest in single}
    function = nests.function
    order = reverse_postorder(flow_graph(function))
    root = copy_tree(order, nests.loops, single, plan.tail, masks=False, lanes=lanes)
    context = _context(function, nests, single, shapes, lanes, root, order, plan, target)
    find_demand(context)
    names: dict[str, dict[str, None]] = {nest.headers[0]: {} for nest in single}
    for copy in root.walk():
        if copy.nest is not None:
            names[copy.nest.headers[0]].update(dict.fromkeys(copy.demand))
    return {header: _varying_data(map(context.variable, found), shapes[header]) for header, found in names.items()}


def _varying_data(variables: Iterable[Var], shapes: NestShapes) -> Sequence[Var]:
    return [v for v in variables if shapes.of(v) and v.type != I1 and not isinstance(v.type, PointerType)]
