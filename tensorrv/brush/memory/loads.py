"""Loads of a brush: one per chunk, shared by all accesses and lanes that touch it.

A register whose lanes touch neighbouring elements in order is one contiguous load. The other registers of an access group are
assembled together, by a shuffle network, from the chunks of the access group's footprint. Lanes whose elements have no neighbours
are loaded one by one, and addresses that are not known are gathered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rv.cost.accesses import LONGEST_GAP
from rv.ir import instructions as ir
from rv.ir.types import bits_of
from rv.ir.values import TRUE
from rv.vector.instructions import Load, Place
from rv.vector.types import vector_of
from rv.vector.values import Operand, all_true
from rv.vector.values import mask as constant_mask
from rv.widen.across.emit_shuffles import emit_network, narrow, widened
from rv.widen.across.masks import activation_of, mask_of, mask_of_users
from rv.widen.across.shuffle_network import Request
from rv.widen.lanes import Coordinate, Lanes, is_scalar
from rv.widen.memory.gathers import emit_gather, load_scalar
from rv.widen.memory.masked_accesses import load_if, masked_load
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import AccessGroup, Element, LaneElements
from tensorrv.brush.memory.addresses import element_address, lane_address, lane_addresses
from tensorrv.brush.memory.chunks import Chunk, cut_chunks, cut_windows, is_contiguous, with_gaps
from tensorrv.brush.memory.element_masks import Activity, element_masks
from tensorrv.brush.memory.interleaved import find_interleaved, in_words, load_run
from tensorrv.brush.memory.open_ends import readable_behind
from tensorrv.brush.memory.placed import LaidOutGroup
from tensorrv.brush.memory.prefetch import prefetch_loads
from tensorrv.brush.memory.wide import find_cover, wide_registers


@dataclass(frozen=True, slots=True)
class LoadOf:
    """A load of the block being written, with the elements of its lanes and the sets of lanes that are needed."""

    load: ir.Load
    elements: LaneElements
    lane_sets: tuple[Lanes, ...]


def emit_known_loads(site: Site, group: tuple[LoadOf, ...]) -> None:
    """All loads of one access group that read the same memory contents."""
    hard: list[tuple[LoadOf, Lanes]] = []
    apart: list[tuple[LoadOf, Lanes]] = []
    loaded: dict[Chunk, Operand] = {}
    for member in group:
        for coordinates in member.lane_sets:
            touched = [member.elements.at(c) for c in coordinates]
            if site.predicate != TRUE:
                if is_contiguous(touched):
                    _load_predicated(site, member, coordinates, touched)
                else:
                    apart.append((member, coordinates))
            elif is_scalar(coordinates):
                site.define(member.load.result, coordinates, _load_scalar(site, member, coordinates[0]))
            elif is_contiguous(touched):
                chunk = Chunk(touched[0], len(touched))
                loaded[chunk] = _load_chunk(site, member.elements.group, chunk, mask_of(site, coordinates))
                site.define(member.load.result, coordinates, loaded[chunk])
            else:
                hard.append((member, coordinates))
    runs, hard = _load_interleaved(site, hard)
    chunks = [*loaded, *runs, *(_assemble(site, hard, loaded) if hard else ())]
    if apart:
        _load_apart(site, apart)
    prefetch_loads(site, group[0].elements, chunks)


def _load_interleaved(
    site: Site, registers: list[tuple[LoadOf, Lanes]]
) -> tuple[list[Chunk], list[tuple[LoadOf, Lanes]]]:
    """Loads several registers at once where there are instructions for that: what is loaded, and the registers that are left."""
    if site.variant.masked or not registers:
        return [], registers
    group = registers[0][0].elements.group
    touched = [tuple(member.elements.at(c) for c in coordinates) for member, coordinates in registers]
    known: dict[tuple[Element, ...], Operand] = {}
    members = [member.elements for member, _ in registers]
    readable = with_gaps([*(e for own in touched for e in own), *readable_behind(site, members)], LONGEST_GAP)
    runs = find_interleaved(site.context.target, group.element, touched, readable)
    if _is_copied(site, registers):
        runs = tuple(run for run in runs if not in_words(site.context.target, run.stride))
    for run in runs:
        place = Place(run.chunk.start, group.array.name, run.chunk.length)
        access = site.access(group.array.name, group.element, place)
        values = load_run(site, group.element, element_address(site, group, run.chunk.start), access, run)
        known.update({touched[k]: value for k, value in zip(run.registers, values, strict=True) if k is not None})
    for (member, coordinates), own in zip(registers, touched, strict=True):
        if own in known:
            site.define(member.load.result, coordinates, known[own])
    left = [register for register, own in zip(registers, touched, strict=True) if own not in known]
    return [run.chunk for run in runs], left


def _is_copied(site: Site, registers: list[tuple[LoadOf, Lanes]]) -> bool:
    """Whether something of this is stored as it is: then elements are better moved from where they are to where they go."""
    loaded = {member.load.result for member, _ in registers}
    body = site.context.function.block(site.label).body
    return any(isinstance(instruction, ir.Store) and instruction.value in loaded for instruction in body)


def _load_predicated(site: Site, member: LoadOf, coordinates: Lanes, touched: list[Element]) -> None:
    """A load in a block that some lanes may not execute: each register by itself, under its own mask."""
    mask = activation_of(site, site.context.varying(site.variant, member.load.result), coordinates)
    found = _load_chunk(site, member.elements.group, Chunk(touched[0], len(touched)), mask)
    site.define(member.load.result, coordinates, found)


def _load_apart(site: Site, registers: list[tuple[LoadOf, Lanes]]) -> None:
    """Registers without neighbouring elements in a block that some lanes may not execute: together in wide loads, or gathered."""
    group = registers[0][0].elements.group
    touched = [tuple(member.elements.at(c) for c in coordinates) for member, coordinates in registers]
    wide = wide_registers(site.context.target, group.element, touched, stored=False)
    for number, (member, coordinates) in enumerate(registers):
        if number not in wide:
            emit_gather(site, member.load, group.array.name, lane_addresses(site, member.elements, coordinates), coordinates)
    if not wide:
        return
    cover = find_cover([touched[number] for number in sorted(wide)])
    active: list[Activity] = []
    for number in sorted(wide):
        member, coordinates = registers[number]
        mask = activation_of(site, site.context.varying(site.variant, member.load.result), coordinates)
        active.append(Activity(mask if mask is not None else all_true(len(coordinates)), touched[number]))
    masks = element_masks(site, group.element, cover.chunks, active)
    sources = [_load_chunk(site, group, chunk, mask) for chunk, mask in zip(cover.chunks, masks, strict=True)]
    requests = [cover.request(own.touched) for own in active]
    assembled = emit_network(site, sources, requests, cover.width, group.element)
    for number, register in zip(sorted(wide), assembled, strict=True):
        member, coordinates = registers[number]
        site.define(member.load.result, coordinates, narrow(site, register, len(coordinates)))


def _load_scalar(site: Site, member: LoadOf, coordinate: Coordinate) -> Operand:
    group = member.elements.group
    address = lane_address(site, member.elements, coordinate)
    place = Place(member.elements.at(coordinate), group.array.name, 1)
    return load_scalar(site, group.element, address, group.array.name, place)


def _load_chunk(site: Site, group: AccessGroup | LaidOutGroup, chunk: Chunk, mask: Operand | None) -> Operand:
    address = element_address(site, group, chunk.start)
    array = group.array.name
    place = Place(chunk.start, array, chunk.length)
    if mask is None:
        vector = vector_of(group.element, chunk.length)
        return site.block.add(Load(address, vector, site.access(array, group.element, place)))
    if chunk.length == 1:
        return load_if(site, mask, group.element, address, array, place)
    return masked_load(site, group.element, address, mask, array, place)


def _assemble(site: Site, hard: list[tuple[LoadOf, Lanes]], loaded: dict[Chunk, Operand]) -> tuple[Chunk, ...]:
    """Registers whose lanes are not contiguous, from chunks, which it returns; those in `loaded` are there already."""
    group = hard[0][0].elements.group
    users: dict[Element, list[Coordinate]] = {}
    for member, coordinates in hard:
        for coordinate in coordinates:
            users.setdefault(member.elements.at(coordinate), []).append(coordinate)
    width = max(len(coordinates) for _, coordinates in hard)
    # what an inactive lane did not load is not there
    usable = isinstance(group, LaidOutGroup) and not site.variant.masked
    ready = {chunk: register for chunk, register in loaded.items() if usable and chunk.length == width}
    behind = readable_behind(site, [member.elements for member, _ in hard])
    chunks = (*ready, *_chunks(site, group, users, width, ready, behind))
    place = {element: (index, lane) for index, chunk in enumerate(chunks) for lane, element in enumerate(chunk.elements())}
    networked: list[tuple[LoadOf, Lanes, tuple[tuple[int, int], ...]]] = []
    for member, coordinates in hard:
        request = tuple(place[member.elements.at(c)] for c in coordinates)
        single = [chunks[index].length == 1 for index, _ in request]
        if all(single) or (site.variant.masked and any(single)):
            scalars = [_load_scalar(site, member, c) for c in coordinates]
            site.define(member.load.result, coordinates, site.block.vector(scalars, group.element))
        else:
            networked.append((member, coordinates, request))
    if not networked:
        return chunks
    used = sorted({index for _, _, request in networked for index, _ in request})
    sources = [ready.get(chunks[index]) or _load_source(site, group, chunks[index], users, width) for index in used]
    number = {index: k for k, index in enumerate(used)}
    requests: list[Request] = [tuple((number[index], lane) for index, lane in request) for _, _, request in networked]
    assembled = emit_network(site, sources, requests, width, group.element)
    for (member, coordinates, _), register in zip(networked, assembled, strict=True):
        site.define(member.load.result, coordinates, narrow(site, register, len(coordinates)))
    return chunks


def _chunks(
    site: Site,
    group: AccessGroup | LaidOutGroup,
    users: Iterable[Element],
    width: int,
    ready: Iterable[Chunk],
    behind: Iterable[Element],
) -> tuple[Chunk, ...]:
    """The chunks in which all elements are that lanes use, but for those in the chunks that are ready.

    Elements `behind` those may be read as well.
    """
    covered = {element for chunk in ready for element in chunk.elements()}
    missing = [element for element in users if element not in covered]
    if not missing:
        return ()
    if _in_windows(site, group, width):
        return cut_windows(missing, width)
    return cut_chunks([*missing, *behind], width, LONGEST_GAP)


def _in_windows(site: Site, group: AccessGroup | LaidOutGroup, width: int) -> bool:
    """Whether chunks begin where registers begin, which takes loads under constant masks."""
    constant_masks = site.context.target.cheap_masks and bits_of(group.element) >= 32
    return isinstance(group, LaidOutGroup) and not site.variant.masked and constant_masks and width > 1


def _load_source(
    site: Site, group: AccessGroup | LaidOutGroup, chunk: Chunk, users: dict[Element, list[Coordinate]], width: int
) -> Operand:
    """A chunk as a vector of `width` lanes; lanes beyond its length hold anything."""
    if chunk.length == 1:
        address = element_address(site, group, chunk.start)
        place = Place(chunk.start, group.array.name, 1)
        return site.block.first_lane(load_scalar(site, group.element, address, group.array.name, place), width)
    mask: Operand | None = None
    if site.variant.masked:
        mask = mask_of_users(site, [users.get(element, []) for element in chunk.elements()])
    elif _in_windows(site, group, width):
        readable = with_gaps(users, LONGEST_GAP)
        lanes = [element in readable for element in chunk.elements()]
        mask = None if all(lanes) else constant_mask(lanes)
    return widened(site, _load_chunk(site, group, chunk, mask), width)
