"""What the compiler found out about a kernel and why it did what it did, as plain data (`--json`) and as text (`--explain`).

Subscripts and loops are printed in the user's variables. The footprint of a brush is drawn as in the thesis's figures 11.1, 11.2,
11.6 and 11.8: a cell is an array element, its digit is the number of pairs of an access and a lane that share it.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypedDict

from rv.analysis.divergence.explanation import Explanation
from rv.evolution.facts import Legal, Loop
from rv.evolution.polynomial import Polynomial, Symbol, counter, signed
from rv.ir.instructions import Load, Store
from rv.ir.printer import print_statement
from rv.ir.values import TRUE
from rv.vector import instructions as vector
from rv.vector.counts import count_work
from rv.vector.dependences import kind_of
from rv.vector.divider.offload import Divisions
from rv.vector.instructions import Place
from rv.widen.loops.variant_tree import Variant
from rv.widen.protocols import UNIFORM
from tensorrv.brush.branching import Branching
from tensorrv.brush.context import BrushContext
from tensorrv.brush.memory.access_groups import AccessGroup, Element
from tensorrv.brush.memory.placed import LaidOutGroup
from tensorrv.brush.memory.streaming import obstacle
from tensorrv.brush.memory.wide import registers_apart, weigh_registers
from tensorrv.brush.nest import brushed_nest
from tensorrv.brush.tensorize import Tensorized
from tensorrv.nest.choice.choose import Choice
from tensorrv.nest.choice.estimates import Considered
from tensorrv.nest.model import Access
from tensorrv.nest.reorder.nest_schedule import schedule_of
from tensorrv.pipeline.explain.branches import NO_SOURCES, BranchReport, Sources, branch_reports, excerpt, scalar_reports
from tensorrv.pipeline.payoff import expected_speed, keeps_lanes_together, whole_register

if TYPE_CHECKING:
    from tensorrv.pipeline.drivers.vector_function import VectorVersion
    from tensorrv.pipeline.kernel import Kernel


@dataclass(frozen=True, slots=True)
class LoopReport:
    """A loop of a nest: what the user calls it, where it is, and what became of it."""

    name: str
    line: int | None
    depth: int
    reason: str


@dataclass(frozen=True, slots=True)
class ValueReport:
    """A value of the body with its tensor shape: per dimension of the brush a stride, or None for varying."""

    text: str
    source: str
    shape: tuple[int | None, ...]


@dataclass(frozen=True, slots=True)
class ObjectReport:
    """A local array in memory: the loops between whose iterations it may differ, and the chain of causes.

    All lanes that differ in no such loop share one.
    """

    name: str
    line: int | None
    differs_along: tuple[str, ...]
    causes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FootprintReport:
    """The elements of one array that one brush touches.

    `cells` has one (offsets from the element `origin`, sharing accesses and lanes) for each element; `chunks` the contiguous
    accesses as (offsets of the first element, length), in the order in which they are made. `apart`: why lanes under a
    condition access their elements one by one, where they do.
    """

    array: str
    kind: str
    accesses: tuple[str, ...]
    origin: str
    cells: tuple[tuple[Element, int], ...]
    chunks: tuple[tuple[Element, int], ...]
    apart: str = ""


@dataclass(frozen=True, slots=True)
class NestReport:
    """One nest; the fields after `refusal` are empty when it stays scalar.

    `expected_speed`: how many times as fast as scalar code it is expected to be; `together`: lanes execute the union of paths;
    `offloaded` of the `divisions` of a brush, which are registers of quotients and roots, are not left to the divider.
    `whole_register`: lanes that fill a register. `cached`: the stores that are not streamed although the plan requests
    that, and why. `version`: the vector version of the function (`declare simd`) whose lanes these are, or nothing; then only
    loops, branches and objects are reported.
    """

    loops: tuple[LoopReport, ...]
    refusal: str
    brush: str = ""
    projection: tuple[int, ...] = ()
    lanes: int = 0
    register_lanes: int = 0
    brushes: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    overlaps: tuple[str, ...] = ()
    branches: tuple[BranchReport, ...] = ()
    objects: tuple[ObjectReport, ...] = ()
    values: tuple[ValueReport, ...] = ()
    footprints: tuple[FootprintReport, ...] = ()
    counts: Mapping[str, int] | None = None
    expected_speed: float | None = None
    together: bool = False
    divisions: int = 0
    offloaded: int = 0
    whole_register: int = 0
    cached: tuple[tuple[str, str], ...] = ()
    version: str = ""
    considered: tuple[Considered, ...] = ()
    """The candidates among which `auto` chose, by their estimates."""
    schedule: str = ""
    """The order of iterations, in the user's variables (`tensorrv.schedule.schedule`)."""
    pieces: tuple[str, ...] = ()
    """The loops whose iterations were split; of the first nest all those of the function."""
    unrolled: tuple[str, ...] = ()
    """The loops that became straight code, in the same way."""
    moved: bool = False
    """Whether loops are in another order than in the source, or tiled."""


class _Schedule(TypedDict):
    schedule: str
    moved: bool


def explain_kernel(kernel: Kernel) -> tuple[NestReport, ...]:
    """A report on every nest of a kernel, and on its vector versions: one of those that differ in their lanes only."""
    distinct = {re.sub(r"^_ZGV[a-z]([MN])\d+", r"\1", version.name): version for version in kernel.versions}
    versions = [_version(version, kernel.source.sources) for version in distinct.values()]
    return (*explain(kernel.tensorized, kernel.source.sources), *versions)


def _version(version: VectorVersion, sources: Sources) -> NestReport:
    """What became of control flow in the loop over lanes, without the arrays of lanes, which are not in memory."""
    (report,) = (report for report in explain(version.tensorized, sources) if report.brush)
    loops = tuple(loop for loop in report.loops if loop.name != version.loop.counter)
    inside = tuple(branch for branch in report.branches if branch.fate != "scalar" and branch.line is not None)
    lanes = report.lanes
    return NestReport(loops, "", report.brush, lanes=lanes, branches=inside, objects=report.objects, version=version.name)


def explain(tensorized: Tensorized, sources: Sources = NO_SOURCES) -> tuple[NestReport, ...]:
    """A report on every nest, in textual order. `sources`: the text of the files that spans point into, which is quoted.

    The first brushed nest also has the branches outside of all brushes.
    """
    reports = [_nest(tensorized, choice, sources) for choice in tensorized.choices]
    first = next((k for k, report in enumerate(reports) if report.brush), None)
    if first is not None:
        scalar = scalar_reports(tensorized.source, [headers[0] for headers in tensorized.branching], sources)
        reports[first] = replace(reports[first], branches=(*scalar, *reports[first].branches))
    if reports:
        order = tensorized.order
        reports[0] = replace(reports[0], pieces=tuple(dict.fromkeys(map(str, order.divided))), unrolled=order.unrolled)
    return tuple(reports)


def _nest(tensorized: Tensorized, choice: Choice, sources: Sources) -> NestReport:
    context = tensorized.widened.context
    loops = tuple(
        LoopReport(loop.name, loop.span.line if loop.span else None, depth, choice.reasons.get(loop.header, ""))
        for depth, loop in enumerate(choice.loops)
    )
    order = tensorized.order
    names = {tile.header: tile.name for tile in order.tiles.values()} | {loop.header: loop.name for loop in choice.loops}
    moved = any(header in order.tiles or header in order.changed for header in names)
    schedule = _Schedule(schedule=schedule_of(choice, order.tiles).spelled(names.__getitem__), moved=moved)
    if not isinstance(choice.outcome, Legal):
        return NestReport(loops, choice.outcome.message, considered=choice.considered, **schedule)
    headers = tuple(header for header, _ in choice.brush)
    nest = next(nest for nest in context.nests if nest.headers == headers)
    main = main_variant(context, headers)
    off_divider = context.divisions.get(main, Divisions())
    named = ", ".join(f"{context.loops[header].name}={size}" for header, size in choice.brush)
    return NestReport(
        loops,
        "",
        f"{'x'.join(str(size) for size in nest.sizes)} ({named})",
        nest.projection,
        len(main.lanes(frozenset(range(nest.rank)))),
        context.width(main),
        tuple(_brushes(context, main)),
        tuple(condition.why for condition in choice.outcome.conditions),
        tuple(f"{a.array.name} and {b.array.name}" for a, b in choice.outcome.overlaps),
        branch_reports(tensorized.source, tensorized.branching[headers], sources),
        tuple(_objects(context, tensorized.branching[headers], sources)),
        tuple(_values(context, main)),
        tuple(_footprints(tensorized, main)),
        {str(work): count for work, count in count_work(_instructions(tensorized, main)).items()},
        expected_speed(context, main, tensorized.branching[headers], tensorized.source),
        keeps_lanes_together(tensorized.branching[headers]),
        off_divider.all,
        off_divider.moved,
        whole_register(context, main),
        tuple(_cached(tensorized, main)) if context.plan.stores == "stream" or brushed_nest(main).nontemporal else (),
        considered=choice.considered,
        **schedule,
    )


def main_variant(context: BrushContext, headers: tuple[str, ...]) -> Variant:
    """The copy that runs whole brushes: the first one that is no head and not idle."""
    variant = context.root
    for header in headers:
        variant = next(child for child in variant.children[header] if not child.head and not context.forms.is_idle(child))
    return variant


def _brushes(context: BrushContext, main: Variant) -> Iterator[str]:
    """For every brushed loop the brushes it runs, in order."""
    variant: Variant | None = main
    found: list[str] = []
    while variant is not None and variant.nest is not None and variant.parent is not None and variant.header is not None:
        siblings = variant.parent.children[variant.header]
        steps = [_brush_text(sibling) for sibling in siblings if not context.forms.is_idle(sibling)]
        found.append(f"{context.loops[variant.header].name}: {', then '.join(steps)}")
        variant = variant.parent
    yield from reversed(found)


def _brush_text(variant: Variant) -> str:
    if variant.head:
        grid = brushed_nest(variant).grids[variant.level]
        goal = "stores are aligned" if grid is None else "blocks begin"
        width = variant.width if grid is None else grid.step - 1 if grid.first is None else grid.first
        return f"up to {width} until {goal}{' (masked)' if variant.level in variant.masked else ''}"
    if variant.stream:
        return f"{variant.width} around the caches where that is aligned"
    return f"up to {variant.width} (masked)" if variant.level in variant.masked else str(variant.width)


def _copy_blocks(context: BrushContext, main: Variant) -> Iterator[str]:
    """Labels of the blocks of the innermost brushed body."""
    yield from (label for label in context.order if label in main.blocks)


def _objects(context: BrushContext, branching: Branching, sources: Sources) -> Iterator[ObjectReport]:
    shapes = branching.shapes
    why = Explanation(branching.function, shapes.found)
    for name in shapes.found.memory.groups:
        alloca = shapes.nests.objects.allocas[name]
        dimensions = sorted(shapes.found.objects.get(name, UNIFORM))
        names = tuple(context.loops[shapes.headers[d]].name for d in dimensions)
        causes = tuple(link.text(lambda span: excerpt(sources, span)) for link in why.object(name))
        yield ObjectReport(alloca.result.source_name, alloca.span.line if alloca.span else None, names, causes)


def _values(context: BrushContext, main: Variant) -> Iterator[ValueReport]:
    shapes = context.tensor_shapes(main)
    assert shapes is not None
    for label in _copy_blocks(context, main):
        block = context.block(label)
        for position, instruction in enumerate(block.body):
            access = context.accesses.get((shapes.headers[0], label, position))
            source = access_text(context, access) if access else ""
            if isinstance(instruction, Store):
                yield ValueReport(print_statement(instruction), source, shapes.strides_of_store(instruction))
            elif instruction.result is not None and instruction.result.name in main.demand:
                yield ValueReport(print_statement(instruction), source, shapes.strides(instruction.result))


def _cached(tensorized: Tensorized, main: Variant) -> Iterator[tuple[str, str]]:
    """Stores to arrays that a main loop does not write around the caches, and why."""
    context = tensorized.widened.context
    assert main.nest is not None
    for label in _copy_blocks(context, main):
        block = context.block(label)
        for position, store in enumerate(block.body):
            access = context.accesses.get((main.nest.headers[0], label, position))
            if not isinstance(store, Store) or access is None:
                continue
            elements = context.elements(main, label, position)
            if elements is None:
                yield access_text(context, access), "its elements are at unrelated addresses"
                continue
            always = block.predicate == TRUE
            lengths = _lengths_stored(tensorized, main, access.array.name)
            reason = next(filter(None, (obstacle(main, elements, length, always=always) for length in lengths)), "")
            if reason:
                yield access_text(context, access), reason


def _lengths_stored(tensorized: Tensorized, main: Variant, array: str) -> list[int]:
    """How many neighbours stores to an array write at once."""
    return sorted({place.length for place in _places(tensorized, main, "store") if place.array == array}) or [1]


def _places(tensorized: Tensorized, main: Variant, kind: str) -> Iterator[Place]:
    """The runs of elements that loads or stores of a copy access."""
    for instruction in _instructions(tensorized, main):
        access = vector.access_of(instruction)
        if access is not None and access.place is not None and kind_of(instruction) == kind:
            yield access.place


def _instructions(tensorized: Tensorized, main: Variant) -> Iterator[vector.Instruction]:
    """What was written for a copy."""
    for function in tensorized.widened.module.functions:
        for block in function.blocks:
            if block.origin is main:
                yield from (statement.instruction for statement in block.body)


def _footprints(tensorized: Tensorized, main: Variant) -> Iterator[FootprintReport]:
    context = tensorized.widened.context
    assert main.nest is not None
    everything = frozenset(range(main.nest.rank))
    cells: dict[tuple[AccessGroup | LaidOutGroup, str], Counter[Element]] = {}
    texts: dict[tuple[AccessGroup | LaidOutGroup, str], list[str]] = {}
    for label in _copy_blocks(context, main):
        for position, instruction in enumerate(context.block(label).body):
            elements = context.elements(main, label, position)
            if elements is None or not isinstance(instruction, Load | Store):
                continue
            kind = "load" if isinstance(instruction, Load) else "store"
            key = (elements.group, kind)
            touched = cells.setdefault(key, Counter())
            touched.update(elements.at(c) for c in main.lanes(everything))
            access = context.accesses[(main.nest.headers[0], label, position)]
            texts.setdefault(key, []).append(access_text(context, access))
    for (group, kind), touched in cells.items():
        places = [p for p in _places(tensorized, main, kind) if p.array == group.array.name and p.start in touched]
        origin, shift = _origin(context, group, len(next(iter(touched))))
        yield FootprintReport(
            group.array.name,
            kind,
            tuple(dict.fromkeys(texts[(group, kind)])),
            origin,
            tuple(sorted((_moved(element, shift), count) for element, count in touched.items())),
            tuple((_moved(place.start, shift), place.length) for place in places),
            _why_apart(context, main, group, kind),
        )


def _why_apart(context: BrushContext, main: Variant, group: AccessGroup | LaidOutGroup, kind: str) -> str:
    """Why registers under predicates are gathered or scattered although their elements are known."""
    found: list[str] = []
    for label in _copy_blocks(context, main):
        registers = registers_apart(context, main, label, group, stored=kind == "store")
        if not registers:
            continue
        groups = weigh_registers(context.target, group.element, registers, stored=kind == "store")
        if not groups:
            found.append("the target has no masked contiguous accesses")
        sums = [f"{round(g.apart)} instructions, wide accesses would take {round(g.wide)}" for g in groups if not g.pays]
        found += sums
    return "; ".join(dict.fromkeys(found))


def _origin(context: BrushContext, group: AccessGroup | LaidOutGroup, length: int) -> tuple[str, Element]:
    """The element that offsets are counted from, and what is added to them."""
    if isinstance(group, LaidOutGroup):
        return f"the block of {group.array.name} that the brush begins in, as stored", (0,) * length
    named = tuple(in_variables(context.loops, subscript) for subscript in group.subscripts)
    shift = tuple(subscript.constant_term for subscript in named)
    return group.array.name + "".join(f"[{polynomial_text(n - c)}]" for n, c in zip(named, shift, strict=True)), shift


def _moved(element: Element, by: Element) -> Element:
    return tuple(a + b for a, b in zip(element, by, strict=True))


# -- in the user's variables ------------------------------------------------------------------------------------------------


def access_text(context: BrushContext, access: Access) -> str:
    """`A[j - 1][i]`, or `A[?]` when the subscripts are not affine."""
    if access.subscripts is None:
        return f"{access.array.name}[?]"
    return subscript_text(context, access.array.name, access.subscripts)


def subscript_text(context: BrushContext, array: str, subscripts: Sequence[Polynomial]) -> str:
    return array + "".join(f"[{polynomial_text(in_variables(context.loops, s))}]" for s in subscripts)


def in_variables(loops: Mapping[str, Loop], polynomial: Polynomial) -> Polynomial:
    """Counters replaced by the users' variables, where the step is 1 or -1: t = (i - start) * step."""
    bindings: dict[Symbol, Polynomial] = {}
    for loop in loops.values():
        symbol = counter(loop.header)
        if loop.steps is not None and symbol in polynomial.symbols:
            name, form = loop.steps
            start = form.without([symbol])
            if name not in map(_source_name, start.symbols):
                bindings[symbol] = (Polynomial.symbol(signed(name)) - start) * form.coefficient(symbol)
    found = polynomial.substitute(bindings)
    return in_variables(loops, found) if bindings and any(counter(h) in found.symbols for h in loops) else found


def _source_name(symbol: Symbol) -> str:
    if symbol.is_counter:  # the counter of a loop whose variable does not count
        name = symbol.name.partition(".")[2].partition(".")[0]
        return f"count({name})" if name.isidentifier() and name != "live" else "count"
    return symbol.source_name


def polynomial_text(polynomial: Polynomial) -> str:
    """`2*i + n - 1`: symbols by their source names, the constant last."""
    parts: list[str] = []
    for monomial, coefficient in sorted(polynomial.terms, key=lambda term: (not term[0], term[0])):
        names = "*".join(_source_name(symbol) for symbol in monomial)
        size = abs(coefficient)
        text = names if names and size == 1 else f"{size}*{names}" if names else str(size)
        sign = "-" if coefficient < 0 else "+"
        parts.append(f"{sign} {text}" if parts else f"-{text}" if coefficient < 0 else text)
    return " ".join(parts) or "0"
