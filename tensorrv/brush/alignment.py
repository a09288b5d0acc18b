"""Aligning the stores of a brush to cache lines.

A vector store that crosses from one line to the next costs two. Where the iterations of a nest may run in any order, the
innermost brushed loop can begin with a partial brush, after which its stores are aligned. They may when every element that
the nest writes belongs to one iteration: its subscripts fix the counters of all brushed loops, and all accesses of a written
array have the same subscripts.

That is one brush more, against a cycle for each store of the others. So it pays when there are as many brushes as one takes
cycles for each of its stores, and never with a loop inside of unknown trip count, such as a tree traversal for one
result a lane. Nor does it where the loop starts at the start of an array that is aligned to a line by an `aligned` clause: if
the clause is wrong, stores cross lines. Non-temporal stores must be aligned in any case.
"""

from __future__ import annotations

from collections.abc import Mapping
from math import prod

from rv.cost.instructions import scalar_instructions
from rv.cost.stores import SHORT, brushes_for_alignment
from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol, counter, signed
from rv.ir.types import I64, size_of
from rv.target.description import machine_of
from rv.target.machine import Target
from rv.vector.values import ZERO, Operand, i64
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import AccessGroup, LaneElements, lane_elements
from tensorrv.brush.memory.addresses import element_address
from tensorrv.brush.nest import StoreAnchor
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.legality.region import available_before
from tensorrv.nest.model import Access, Nests


def find_anchor(
    facts: Nests, shapes: NestShapes, aligned: Mapping[str, int], target: Target, *, stream: bool
) -> StoreAnchor | None:
    """The first store that is contiguous along the innermost brushed loop, if iterations may run in any order and a head pays.

    `stream`: stores are non-temporal where they are aligned. `aligned`: alignments in bytes from clauses, by array.
    """
    rows = _rows_to_align(facts, shapes)
    innermost = facts.loops[shapes.headers[-1]]
    own = counter(innermost.header)
    for access in rows:
        elements = lane_elements(access, shapes)
        assert elements is not None
        # the head is measured before the loop, where its counter is 0
        address = (*elements.group.polynomials, Polynomial.symbol(signed(access.array.name)))
        if available_before(facts, [polynomial.without([own]) for polynomial in address], innermost):
            if not stream and _begins_on_a_line(access, elements, own, aligned, machine_of(target).memory.line):
                return None
            least = SHORT if stream else _least_brushes(facts, innermost, len(rows), target)
            return None if least is None else StoreAnchor(access.block, access.position, least)
    return None


def _begins_on_a_line(access: Access, elements: LaneElements, own: Symbol, aligned: Mapping[str, int], line: int) -> bool:
    """Whether the first iteration of the loop with this counter stores where a line begins, if clauses are right."""
    if aligned.get(access.array.name, 0) % line or access.array.name not in aligned or access.subscripts is None:
        return False
    first = [subscript.without([own]).as_constant for subscript in access.subscripts]
    return len(first) == 1 and first[0] is not None and first[0] * size_of(elements.group.element) % line == 0


def _rows_to_align(facts: Nests, shapes: NestShapes) -> list[Access]:
    """The stores that are contiguous along the innermost brushed loop; none where the order of iterations counts."""
    region = facts.loops[shapes.headers[0]].blocks
    accesses = [access for access in facts.accesses if access.block in region]
    written = {access.array.name for access in accesses if access.kind == "store"}
    found: dict[str, LaneElements] = {}
    rows: list[Access] = []
    for access in accesses:
        if access.array.name not in written:
            continue
        elements = lane_elements(access, shapes)
        if elements is None or not _tells_iterations(elements) or found.setdefault(access.array.name, elements) != elements:
            return []
        if (
            access.kind == "store"
            and isinstance(elements.group, AccessGroup)
            and elements.strides[-1][len(shapes.headers) - 1] == 1
        ):
            rows.append(access)
    return rows


def _least_brushes(facts: Nests, brushed: Loop, rows: int, target: Target) -> int | None:
    """With how many whole brushes a head pays that aligns so many stores of each; None when with no number."""
    inside = [loop for loop in facts.loops.values() if loop.blocks < brushed.blocks]
    turns = {loop.header: loop.trip.constant if loop.trip else None for loop in inside}
    operations = 0
    for label in brushed.blocks:
        times = [turns[loop.header] for loop in inside if label in loop.blocks]
        known = [many for many in times if many is not None]
        if len(known) < len(times):
            return None
        operations += prod(known) * sum(map(scalar_instructions, facts.function.block(label).body))
    return brushes_for_alignment(machine_of(target), operations, rows, target.register_bits)


def _tells_iterations(elements: LaneElements) -> bool:
    """Whether every dimension of the brush has a subscript in which no other one occurs."""
    alone = {d for row in elements.strides for d, stride in enumerate(row) if stride and sum(map(bool, row)) == 1}
    return len(alone) == len(elements.strides[0])


def emit_head_length(site: Site, elements: LaneElements, trips: Operand, least: int) -> Operand:
    """How many iterations to run until the address of `elements` starts a line: as i64, less than `trips`.

    `site` is before the loop, whose counter is known there; `trips` are the iterations that are left. Without `least` of them
    there is no head.
    """
    block = site.block
    size, line = size_of(elements.group.element), machine_of(site.context.target).memory.line
    address = element_address(site, elements.group, elements.origin)
    past = block.binary("sub", ZERO, block.convert("ptrtoint", address, I64))
    distance = block.binary("and", past, i64(line - 1))
    length = block.binary("udiv", distance, i64(size))
    if any(site.context.may_be_undefined(symbol) for p in elements.group.polynomials for symbol in p.symbols):
        length = block.freeze(length)  # where nothing is stored there
    long = block.compare("uge", trips, i64(max(least, SHORT * (line // size))))
    return block.select(long, length, ZERO)
