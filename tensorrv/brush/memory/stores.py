"""Stores of a brush: lanes are assembled into contiguous chunks, each stored once; the inverse of loads."""

from __future__ import annotations

from dataclasses import dataclass

from rv.ir import instructions as ir
from rv.ir.types import size_of
from rv.ir.values import TRUE
from rv.vector.instructions import Place, Store
from rv.vector.types import VectorType
from rv.vector.values import Operand, all_true
from rv.widen.across.emit_shuffles import emit_network, narrow, widened
from rv.widen.across.masks import activation, mask_of
from rv.widen.across.shuffle_network import Request
from rv.widen.lanes import Coordinate, Lanes
from rv.widen.memory.gathers import emit_scatter
from rv.widen.memory.masked_accesses import masked_store, single
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import Element, LaneElements
from tensorrv.brush.memory.accesses import accesses_at
from tensorrv.brush.memory.addresses import element_address, lane_addresses
from tensorrv.brush.memory.chunks import Chunk, cut_chunks, is_contiguous
from tensorrv.brush.memory.element_masks import Activity, element_masks
from tensorrv.brush.memory.interleaved import find_interleaved, store_run
from tensorrv.brush.memory.prefetch import prefetch_stores
from tensorrv.brush.memory.streaming import obstacle
from tensorrv.brush.memory.wide import find_cover, wide_registers


@dataclass(frozen=True, slots=True)
class StoreOf:
    """A store of the block being written, with the elements of its lanes and the registers in which it takes its values."""

    store: ir.Store
    elements: LaneElements
    lane_sets: tuple[Lanes, ...]


def emit_known_stores(site: Site, group: tuple[StoreOf, ...]) -> None:
    """Stores of one access group, in order, between which nothing else touches the array."""
    hard: list[tuple[StoreOf, Lanes]] = []
    chunks: list[Chunk] = []
    for member in group:
        elements = member.elements
        for coordinates in member.lane_sets:
            touched = [elements.at(c) for c in coordinates]
            if is_contiguous(touched) and (len(touched) > 1 or len(group) == 1):
                chunk = Chunk(touched[0], len(touched))
                chunks.append(chunk)
                value = site.operand(member.store.value, coordinates)
                _store_chunk(site, elements, chunk, value, activation(site, coordinates))
            else:
                hard.append((member, coordinates))
    runs, hard = _store_interleaved(site, hard)
    chunks += runs
    if hard:
        chunks += _disassemble(site, hard) if site.predicate == TRUE else _store_apart(site, hard)
    prefetch_stores(site, group[0].elements, chunks)


def _store_interleaved(
    site: Site, registers: list[tuple[StoreOf, Lanes]]
) -> tuple[list[Chunk], list[tuple[StoreOf, Lanes]]]:
    """Stores several registers at once where there are instructions for that: what is stored, and the registers that are left."""
    if site.variant.masked or site.variant.stream or site.predicate != TRUE or not registers:
        return [], registers
    elements = registers[0][0].elements
    touched = [tuple(member.elements.at(c) for c in coordinates) for member, coordinates in registers]
    runs = find_interleaved(site.context.target, elements.group.element, touched)
    for run in runs:
        values = [site.operand(registers[k][0].store.value, registers[k][1]) for k in run.registers if k is not None]
        place = Place(run.chunk.start, elements.group.array.name, run.chunk.length)
        access = site.access(elements.group.array.name, elements.group.element, place)
        store_run(site, values, element_address(site, elements.group, run.chunk.start), access, run)
    stored = {number for run in runs for number in run.registers}
    return [run.chunk for run in runs], [register for k, register in enumerate(registers) if k not in stored]


def _disassemble(site: Site, registers: list[tuple[StoreOf, Lanes]]) -> tuple[Chunk, ...]:
    """Stores chunks that are assembled from the lanes of several registers."""
    elements = registers[0][0].elements
    group = elements.group
    width = max(len(coordinates) for _, coordinates in registers)
    lane_of: dict[Element, tuple[int, int, Coordinate]] = {}
    for register, (member, coordinates) in enumerate(registers):
        for lane, coordinate in enumerate(coordinates):
            lane_of[member.elements.at(coordinate)] = (register, lane, coordinate)
    chunks = cut_chunks(lane_of, width, 0)
    values = [site.operand(member.store.value, coordinates) for member, coordinates in registers]
    long = [chunk for chunk in chunks if chunk.length > 1]
    sources = [_source(site, value, width) for value in values] if long else []
    requests: list[Request] = [tuple(lane_of[e][:2] for e in chunk.elements()) for chunk in long]
    assembled = dict(zip(long, emit_network(site, sources, requests, width, group.element), strict=True)) if long else {}
    for chunk in chunks:
        mask = mask_of(site, [lane_of[e][2] for e in chunk.elements()])
        if chunk in assembled:
            _store_chunk(site, elements, chunk, narrow(site, assembled[chunk], chunk.length), mask)
            continue
        register, lane, _ = lane_of[chunk.start]
        count = len(registers[register][1])
        value = values[register] if count == 1 else site.block.extract(values[register], lane)
        _store_chunk(site, elements, chunk, value, mask)
    return chunks


def _store_apart(site: Site, registers: list[tuple[StoreOf, Lanes]]) -> tuple[Chunk, ...]:
    """Registers without neighbouring elements in a block that some lanes may not execute: in wide stores, or scattered."""
    group = registers[0][0].elements.group
    touched = [tuple(member.elements.at(c) for c in coordinates) for member, coordinates in registers]
    wide = wide_registers(site.context.target, group.element, touched, stored=True)
    for number, (member, coordinates) in enumerate(registers):
        if number not in wide:
            pointers = lane_addresses(site, member.elements, coordinates)
            emit_scatter(site, member.store, group.array.name, pointers, coordinates)
    if not wide:
        return ()
    cover = find_cover([touched[number] for number in sorted(wide)])
    lane_of = {e: (k, lane) for k, number in enumerate(sorted(wide)) for lane, e in enumerate(touched[number])}
    sources, active = [], []
    for number in sorted(wide):
        member, coordinates = registers[number]
        sources.append(_source(site, site.operand(member.store.value, coordinates), cover.width))
        active.append(Activity(activation(site, coordinates) or all_true(len(coordinates)), touched[number]))
    requests: list[Request] = [tuple(lane_of.get(e) for e in chunk.elements()) for chunk in cover.chunks]
    masks = element_masks(site, group.element, cover.chunks, active)
    values = emit_network(site, sources, requests, cover.width, group.element)
    for chunk, value, mask in zip(cover.chunks, values, masks, strict=True):
        _store_chunk(site, registers[0][0].elements, chunk, value, mask)
    return cover.chunks


def _source(site: Site, value: Operand, width: int) -> Operand:
    """A vector or a scalar as the first lanes of a vector of `width` lanes."""
    if isinstance(value.type, VectorType):
        return widened(site, value, width)
    return site.block.first_lane(value, width)


def _store_chunk(site: Site, elements: LaneElements, chunk: Chunk, value: Operand, mask: Operand | None) -> None:
    """A store of neighbours, which belong to the access group of `elements`."""
    group = elements.group
    address = element_address(site, group, chunk.start)
    array = group.array.name
    place = Place(chunk.start, array, chunk.length)
    if mask is None:
        stream = not obstacle(site.variant, elements, chunk.length, always=True)
        if stream:
            accesses_at(site).streamed.setdefault(site.variant, {})[group, chunk.start, chunk.length] = None
        align = size_of(group.element) * (chunk.length if stream else 1)
        access = site.access(array, group.element, place, align=align)
        site.block.effect(Store(value, address, access, streaming=stream))
        return
    if chunk.length == 1:
        value, mask = single(site, value), single(site, mask)
    masked_store(site, value, address, mask, array, place)
