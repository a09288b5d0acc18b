"""Stores of a brush: lanes are assembled into contiguous pieces, each stored once; the inverse of loads."""

from __future__ import annotations

from dataclasses import dataclass

from rv.ir.instructions import Store
from rv.ir.types import I1, PTR, Type, bits_of
from rv.ir.values import TRUE
from rv.widen.lanes import Coordinate, Pattern, is_scalar
from rv.widen.llvm_text import type_text
from rv.widen.network import Request
from tensorrv.brush.addresses import element_address, lane_addresses
from tensorrv.brush.chunks import Piece, cut_pieces, is_contiguous
from tensorrv.brush.element_masks import Activity, element_masks
from tensorrv.brush.elements import Element, LaneElements
from tensorrv.brush.masks import activation, mask_of
from tensorrv.brush.memory_lines import all_true, masked_store, scatter, single
from tensorrv.brush.networks import emit_network, narrow, widened
from tensorrv.brush.prefetch import prefetch_stores
from tensorrv.brush.site import Site
from tensorrv.brush.streaming import obstacle
from tensorrv.brush.wide import find_cover, wide_registers


@dataclass(frozen=True, slots=True)
class StoreOf:
    """A store of the block being written, with the elements of its lanes and the registers in which it takes its values."""

    store: Store
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
    names = [site.operand(member.store.value, pattern) for member, pattern in registers]
    long = [piece for piece in pieces if piece.length > 1]
    sources = (
        [_source(site, name, family.element, len(p), width) for name, (_, p) in zip(names, registers, strict=True)]
        if long
        else []
    )
    requests: list[Request] = [tuple(lane_of[e][:2] for e in piece.elements()) for piece in long]
    assembled = dict(zip(long, emit_network(site, sources, requests, width, family.element), strict=True)) if long else {}
    for piece in pieces:
        mask = mask_of(site, [lane_of[e][2] for e in piece.elements()])
        if piece in assembled:
            _store_piece(site, elements, piece, narrow(site, assembled[piece], family.element, width, piece.length), mask)
            continue
        register, lane, _ = lane_of[piece.start]
        count = len(registers[register][1])
        value = names[register] if count == 1 else site.block.extract(names[register], family.element, count, lane)
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
        sources.append(_source(site, site.operand(member.store.value, pattern), family.element, len(pattern), cover.width))
        active.append(Activity(activation(site, pattern) or all_true(len(pattern)), touched[number]))
    requests: list[Request] = [tuple(lane_of.get(e) for e in piece.elements()) for piece in cover.pieces]
    masks = element_masks(site, family.element, cover.pieces, active)
    values = emit_network(site, sources, requests, cover.width, family.element)
    for piece, value, mask in zip(cover.pieces, values, masks, strict=True):
        _store_piece(site, registers[0][0].elements, piece, value, mask)
    return cover.pieces


def _source(site: Site, name: str, type_: Type, length: int, width: int) -> str:
    """A register of `length` lanes, or a scalar, as the first lanes of one of `width` lanes."""
    if length > 1:
        return widened(site, name, type_, length, width)
    return site.block.pure(f"insertelement {type_text(type_, width)} poison, {type_} {name}, i64 0", [name], weight=1)


def _store_piece(site: Site, elements: LaneElements, piece: Piece, value: str, mask: str | None) -> None:
    """A store of neighbours, which belong to the family of `elements`."""
    family = elements.family
    address = element_address(site, family, piece.start)
    array = family.array.name
    align = bits_of(family.element) // 8
    tag = site.context.alias_tag(site.copy, array)
    place = (piece.start, array, piece.length)
    if mask is None:
        stream = not obstacle(site.copy, elements, piece.length, always=True)
        if stream:
            site.copy.streamed.append((family, piece.start, piece.length))
        hint = f", !nontemporal !{site.context.nontemporal}" if stream else ""
        align *= piece.length if stream else 1
        text = f"store {type_text(family.element, piece.length)} {value}, {PTR} {address}, align {align}{tag}{hint}"
        site.block.store(text, [address, value], site.memory(array), place)
        return
    if piece.length == 1:
        value, mask = single(site, family.element, value), single(site, I1, mask)
    masked_store(site, family.element, value, address, mask, array, piece.length, place)


def emit_scatter(site: Site, store: Store, array: str, pointer: str, pattern: Pattern) -> None:
    """A store through the addresses in `pointer`: lane after lane, in order, where the mask allows it."""
    type_ = store.value.type
    value, mask = site.operand(store.value, pattern), activation(site, pattern)
    tag = site.context.alias_tag(site.copy, array)
    align = bits_of(type_) // 8
    if is_scalar(pattern) and mask is None:
        text = f"store {type_} {value}, {PTR} {pointer}, align {align}{tag}"
        site.block.store(text, [pointer, value], site.memory(array), None)
        return
    lanes = len(pattern)
    if is_scalar(pattern):
        pointer, value, mask = single(site, PTR, pointer), single(site, type_, value), single(site, I1, str(mask))
    scatter(site, type_, value, pointer, mask, array, lanes)
