"""Loads of a brush: one per chunk, shared by all accesses and lanes that touch it.

A register whose lanes touch neighbouring elements in order is one contiguous load. The other registers of a family are
assembled together, by a shuffle network, from the pieces of the family's footprint. Lanes whose elements have no neighbours
are loaded one by one, and addresses that are not known are gathered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from rv.ir import instructions as ir
from rv.ir.types import bits_of
from rv.ir.values import TRUE
from rv.vector.instructions import Load, Place
from rv.vector.types import vector_of
from rv.vector.values import Operand, all_true
from rv.vector.values import mask as constant_mask
from rv.widen.across.masks import activation_of, mask_of, mask_of_users
from rv.widen.across.networks import emit_network, narrow, widened
from rv.widen.lanes import Coordinate, Pattern, is_scalar
from rv.widen.memory.gathers import emit_gather, load_scalar
from rv.widen.memory.memory_lines import load_if, masked_load
from rv.widen.network import Request
from rv.widen.site import Site
from tensorrv.brush.addresses import element_address, lane_address, lane_addresses
from tensorrv.brush.chunks import Piece, cut_pieces, cut_windows, is_contiguous, with_gaps
from tensorrv.brush.element_masks import Activity, element_masks
from tensorrv.brush.elements import Element, Family, LaneElements
from tensorrv.brush.placed import PlacedFamily
from tensorrv.brush.prefetch import prefetch_loads
from tensorrv.brush.wide import find_cover, wide_registers

GAP = 3  # elements between needed ones that a load reads along: up to stride 4, four elements in a chunk cost one load


@dataclass(frozen=True, slots=True)
class LoadOf:
    """A load of the block being written, with the elements of its lanes and the patterns that are needed."""

    load: ir.Load
    elements: LaneElements
    patterns: tuple[Pattern, ...]


def emit_known_loads(site: Site, group: tuple[LoadOf, ...]) -> None:
    """All loads of one family that see the same memory."""
    hard: list[tuple[LoadOf, Pattern]] = []
    apart: list[tuple[LoadOf, Pattern]] = []
    loaded: dict[Piece, Operand] = {}
    for member in group:
        for pattern in member.patterns:
            touched = [member.elements.at(c) for c in pattern]
            if site.predicate != TRUE:
                if is_contiguous(touched):
                    _load_predicated(site, member, pattern, touched)
                else:
                    apart.append((member, pattern))
            elif is_scalar(pattern):
                site.define(member.load.result, pattern, _load_scalar(site, member, pattern[0]))
            elif is_contiguous(touched):
                piece = Piece(touched[0], len(touched))
                loaded[piece] = _load_piece(site, member.elements.family, piece, mask_of(site, pattern))
                site.define(member.load.result, pattern, loaded[piece])
            else:
                hard.append((member, pattern))
    pieces = [*loaded, *(_assemble(site, hard, loaded) if hard else ())]
    if apart:
        _load_apart(site, apart)
    prefetch_loads(site, group[0].elements, pieces)


def _load_predicated(site: Site, member: LoadOf, pattern: Pattern, touched: list[Element]) -> None:
    """A load in a block that some lanes may not execute: each register by itself, under its own mask."""
    mask = activation_of(site, site.context.varying(site.copy, member.load.result), pattern)
    found = _load_piece(site, member.elements.family, Piece(touched[0], len(touched)), mask)
    site.define(member.load.result, pattern, found)


def _load_apart(site: Site, registers: list[tuple[LoadOf, Pattern]]) -> None:
    """Registers without neighbouring elements in a block that some lanes may not execute: together in wide loads, or gathered."""
    family = registers[0][0].elements.family
    touched = [tuple(member.elements.at(c) for c in pattern) for member, pattern in registers]
    wide = wide_registers(site.context.target, family.element, touched, stored=False)
    for number, (member, pattern) in enumerate(registers):
        if number not in wide:
            emit_gather(site, member.load, family.array.name, lane_addresses(site, member.elements, pattern), pattern)
    if not wide:
        return
    cover = find_cover([touched[number] for number in sorted(wide)])
    active: list[Activity] = []
    for number in sorted(wide):
        member, pattern = registers[number]
        mask = activation_of(site, site.context.varying(site.copy, member.load.result), pattern)
        active.append(Activity(mask if mask is not None else all_true(len(pattern)), touched[number]))
    masks = element_masks(site, family.element, cover.pieces, active)
    sources = [_load_piece(site, family, piece, mask) for piece, mask in zip(cover.pieces, masks, strict=True)]
    requests = [cover.request(own.touched) for own in active]
    assembled = emit_network(site, sources, requests, cover.width, family.element)
    for number, register in zip(sorted(wide), assembled, strict=True):
        member, pattern = registers[number]
        site.define(member.load.result, pattern, narrow(site, register, len(pattern)))


def _load_scalar(site: Site, member: LoadOf, coordinate: Coordinate) -> Operand:
    family = member.elements.family
    address = lane_address(site, member.elements, coordinate)
    place = Place(member.elements.at(coordinate), family.array.name, 1)
    return load_scalar(site, family.element, address, family.array.name, place)


def _load_piece(site: Site, family: Family | PlacedFamily, piece: Piece, mask: Operand | None) -> Operand:
    address = element_address(site, family, piece.start)
    array = family.array.name
    place = Place(piece.start, array, piece.length)
    if mask is None:
        vector = vector_of(family.element, piece.length)
        return site.block.add(Load(address, vector, site.access(array, family.element, place)))
    if piece.length == 1:
        return load_if(site, mask, family.element, address, array, place)
    return masked_load(site, family.element, address, mask, array, place)


def _assemble(site: Site, hard: list[tuple[LoadOf, Pattern]], loaded: dict[Piece, Operand]) -> tuple[Piece, ...]:
    """Registers whose lanes are not contiguous, from pieces, which it returns; those in `loaded` are there already."""
    family = hard[0][0].elements.family
    users: dict[Element, list[Coordinate]] = {}
    for member, pattern in hard:
        for coordinate in pattern:
            users.setdefault(member.elements.at(coordinate), []).append(coordinate)
    width = max(len(pattern) for _, pattern in hard)
    # what an inactive lane did not load is not there
    usable = isinstance(family, PlacedFamily) and not site.copy.masked
    ready = {piece: register for piece, register in loaded.items() if usable and piece.length == width}
    pieces = (*ready, *_pieces(site, family, users, width, ready))
    place = {element: (index, lane) for index, piece in enumerate(pieces) for lane, element in enumerate(piece.elements())}
    networked: list[tuple[LoadOf, Pattern, tuple[tuple[int, int], ...]]] = []
    for member, pattern in hard:
        request = tuple(place[member.elements.at(c)] for c in pattern)
        single = [pieces[index].length == 1 for index, _ in request]
        if all(single) or (site.copy.masked and any(single)):
            scalars = [_load_scalar(site, member, c) for c in pattern]
            site.define(member.load.result, pattern, site.block.vector(scalars, family.element))
        else:
            networked.append((member, pattern, request))
    if not networked:
        return pieces
    used = sorted({index for _, _, request in networked for index, _ in request})
    sources = [ready.get(pieces[index]) or _load_source(site, family, pieces[index], users, width) for index in used]
    number = {index: k for k, index in enumerate(used)}
    requests: list[Request] = [tuple((number[index], lane) for index, lane in request) for _, _, request in networked]
    assembled = emit_network(site, sources, requests, width, family.element)
    for (member, pattern, _), register in zip(networked, assembled, strict=True):
        site.define(member.load.result, pattern, narrow(site, register, len(pattern)))
    return pieces


def _pieces(
    site: Site, family: Family | PlacedFamily, users: Iterable[Element], width: int, ready: Iterable[Piece]
) -> tuple[Piece, ...]:
    """The pieces in which all elements are that lanes use, but for those in the pieces that are ready."""
    covered = {element for piece in ready for element in piece.elements()}
    missing = [element for element in users if element not in covered]
    if not missing:
        return ()
    return cut_windows(missing, width) if _in_windows(site, family, width) else cut_pieces(missing, width, GAP)


def _in_windows(site: Site, family: Family | PlacedFamily, width: int) -> bool:
    """Whether pieces begin where registers begin, which takes loads under constant masks."""
    constant_masks = site.context.target.cheap_masks and bits_of(family.element) >= 32
    return isinstance(family, PlacedFamily) and not site.copy.masked and constant_masks and width > 1


def _load_source(
    site: Site, family: Family | PlacedFamily, piece: Piece, users: dict[Element, list[Coordinate]], width: int
) -> Operand:
    """A piece as a vector of `width` lanes; lanes beyond its length hold anything."""
    if piece.length == 1:
        address = element_address(site, family, piece.start)
        place = Place(piece.start, family.array.name, 1)
        return site.block.first_lane(load_scalar(site, family.element, address, family.array.name, place), width)
    mask: Operand | None = None
    if site.copy.masked:
        mask = mask_of_users(site, [users.get(element, []) for element in piece.elements()])
    elif _in_windows(site, family, width):
        readable = with_gaps(users, GAP)
        lanes = [element in readable for element in piece.elements()]
        mask = None if all(lanes) else constant_mask(lanes)
    return widened(site, _load_piece(site, family, piece, mask), width)
