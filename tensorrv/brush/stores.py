"""Stores of a brush: lanes are assembled into contiguous pieces, each stored once; the inverse of loads."""

from __future__ import annotations

from dataclasses import dataclass

from rv.ir import instructions as ir
from rv.ir.types import size_of
from rv.ir.values import TRUE
from rv.vector.instructions import Place, Store
from rv.vector.types import VectorType
from rv.vector.values import Operand, all_true
from rv.widen.across.masks import activation, mask_of
from rv.widen.across.networks import emit_network, narrow, widened
from rv.widen.lanes import Coordinate, Pattern
from rv.widen.memory.gathers import emit_scatter
from rv.widen.memory.memory_lines import masked_store, single
from rv.widen.network import Request
from rv.widen.site import Site
from tensorrv.brush.accesses import accesses_at
from tensorrv.brush.addresses import element_address, lane_addresses
from tensorrv.brush.chunks import Piece, cut_pieces, is_contiguous
from tensorrv.brush.element_masks import Activity, element_masks
from tensorrv.brush.elements import Element, LaneElements
from tensorrv.brush.prefetch import prefetch_stores
from tensorrv.brush.streaming import obstacle
from tensorrv.brush.wide import find_cover, wide_registers


@dataclass(frozen=True, slots=True)
class StoreOf:
    """A store of the block being written, with the elements of its lanes and the registers in which it takes its values."""

    store: ir.Store
    elements: LaneElements
    patterns: tuple[Pattern, ...]


def emit_known_stores(site: Site, group: tuple[StoreOf, ...]) -> None:
    """Stores of one family, in order, between which nothing else touches the array."""
    hard: list[tuple[StoreOf, Pattern]] = []
    pieces: list[Piece] = []
    for member in group:
        elements = member.elements
        for pattern in member.patterns:
            touched = [elements.at(c) for c in pattern]
            if is_contiguous(touched) and (len(touched) > 1 or len(group) == 1):
                piece = Piece(touched[0], len(touched))
                pieces.append(piece)
                value = site.operand(member.store.value, pattern)
                _store_piece(site, elements, piece, value, activation(site, pattern))
            else:
                hard.append((member, pattern))
    if hard:
        pieces += _disassemble(site, hard) if site.predicate == TRUE else _store_apart(site, hard)
    prefetch_stores(site, group[0].elements, pieces)


def _disassemble(site: Site, registers: list[tuple[StoreOf, Pattern]]) -> tuple[Piece, ...]:
    """Stores pieces that are assembled from the lanes of several registers."""
    elements = registers[0][0].elements
    family = elements.family
    width = max(len(pattern) for _, pattern in registers)
    lane_of: dict[Element, tuple[int, int, Coordinate]] = {}
    for register, (member, pattern) in enumerate(registers):
        for lane, coordinate in enumerate(pattern):
            lane_of[member.elements.at(coordinate)] = (register, lane, coordinate)
    pieces = cut_pieces(lane_of, width, 0)
    values = [site.operand(member.store.value, pattern) for member, pattern in registers]
    long = [piece for piece in pieces if piece.length > 1]
    sources = [_source(site, value, width) for value in values] if long else []
    requests: list[Request] = [tuple(lane_of[e][:2] for e in piece.elements()) for piece in long]
    assembled = dict(zip(long, emit_network(site, sources, requests, width, family.element), strict=True)) if long else {}
    for piece in pieces:
        mask = mask_of(site, [lane_of[e][2] for e in piece.elements()])
        if piece in assembled:
            _store_piece(site, elements, piece, narrow(site, assembled[piece], piece.length), mask)
            continue
        register, lane, _ = lane_of[piece.start]
        count = len(registers[register][1])
        value = values[register] if count == 1 else site.block.extract(values[register], lane)
        _store_piece(site, elements, piece, value, mask)
    return pieces


def _store_apart(site: Site, registers: list[tuple[StoreOf, Pattern]]) -> tuple[Piece, ...]:
    """Registers without neighbouring elements in a block that some lanes may not execute: in wide stores, or scattered."""
    family = registers[0][0].elements.family
    touched = [tuple(member.elements.at(c) for c in pattern) for member, pattern in registers]
    wide = wide_registers(site.context.target, family.element, touched, stored=True)
    for number, (member, pattern) in enumerate(registers):
        if number not in wide:
            pointers = lane_addresses(site, member.elements, pattern)
            emit_scatter(site, member.store, family.array.name, pointers, pattern)
    if not wide:
        return ()
    cover = find_cover([touched[number] for number in sorted(wide)])
    lane_of = {e: (k, lane) for k, number in enumerate(sorted(wide)) for lane, e in enumerate(touched[number])}
    sources, active = [], []
    for number in sorted(wide):
        member, pattern = registers[number]
        sources.append(_source(site, site.operand(member.store.value, pattern), cover.width))
        active.append(Activity(activation(site, pattern) or all_true(len(pattern)), touched[number]))
    requests: list[Request] = [tuple(lane_of.get(e) for e in piece.elements()) for piece in cover.pieces]
    masks = element_masks(site, family.element, cover.pieces, active)
    values = emit_network(site, sources, requests, cover.width, family.element)
    for piece, value, mask in zip(cover.pieces, values, masks, strict=True):
        _store_piece(site, registers[0][0].elements, piece, value, mask)
    return cover.pieces


def _source(site: Site, value: Operand, width: int) -> Operand:
    """A vector or a scalar as the first lanes of a vector of `width` lanes."""
    if isinstance(value.type, VectorType):
        return widened(site, value, width)
    return site.block.first_lane(value, width)


def _store_piece(site: Site, elements: LaneElements, piece: Piece, value: Operand, mask: Operand | None) -> None:
    """A store of neighbours, which belong to the family of `elements`."""
    family = elements.family
    address = element_address(site, family, piece.start)
    array = family.array.name
    place = Place(piece.start, array, piece.length)
    if mask is None:
        stream = not obstacle(site.copy, elements, piece.length, always=True)
        if stream:
            accesses_at(site).streamed.setdefault(site.copy, []).append((family, piece.start, piece.length))
        align = size_of(family.element) * (piece.length if stream else 1)
        access = site.access(array, family.element, place, align=align)
        site.block.effect(Store(value, address, access, streaming=stream))
        return
    if piece.length == 1:
        value, mask = single(site, value), single(site, mask)
    masked_store(site, value, address, mask, array, place)
