"""Masks of chunks of memory in blocks that only some lanes execute: an element is accessed when one of its lanes is active.

    lanes    m0 m1 m2 m3                          (of i, with a[3*i] and a[3*i + 1])
    elements m0 m0 0 m1 m1 0 m2 m2 0 m3 m3 0      (from a[3*i] on)

Where masks are bits in a register of their own, they are put at the places of their elements by one instruction (`pdep`), given
that lanes touch ascending elements of a few rows. Else they are assembled by shuffles, like data.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Final, Literal

from rv.cost.accesses import MOST_ROWS
from rv.ir.types import I1, I64, IntType, Type, bits_of
from rv.ir.values import FALSE
from rv.vector.instructions import Native
from rv.vector.types import VectorType, with_element
from rv.vector.values import ZERO, Operand, constant, i64, lane_type, zeros
from rv.widen.across.emit_shuffles import emit_network, widened
from rv.widen.across.masks import either
from rv.widen.across.shuffle_network import Request
from rv.widen.site import Site
from tensorrv.brush.memory.access_groups import Element
from tensorrv.brush.memory.chunks import Chunk

WORD: Final = 64  # bits that one `pdep` fills




@dataclass(frozen=True, slots=True)
class Activity:
    """The elements that the lanes of a register touch, and which lanes are active, as a vector of i1."""

    mask: Operand
    touched: tuple[Element, ...]


@dataclass(frozen=True, slots=True)
class _Run:
    """Lanes of a register, from `first` on, that touch ascending elements of one row."""

    of: Activity
    first: int
    touched: tuple[Element, ...]


def element_masks(site: Site, type_: Type, chunks: Sequence[Chunk], registers: Sequence[Activity]) -> list[Operand]:
    """For every chunk which of its elements, which are of this type, are touched by active lanes. Pieces are equally long."""
    if site.context.target.cheap_masks and all(in_bits(register.touched) for register in registers):
        return _deposited(site, chunks, registers)
    return _shuffled(site, IntType(bits_of(type_)), chunks, registers)


def in_bits(touched: Sequence[Element]) -> bool:
    """Whether lane after lane touches a later element of a row, but for a few steps to another row."""
    return len(_starts(touched)) <= MOST_ROWS


def _starts(touched: Sequence[Element]) -> list[int]:
    """The lanes with which ascending runs begin."""
    rows = [a[:-1] == b[:-1] and a[-1] < b[-1] for a, b in pairwise(touched)]
    return [0, *(lane + 1 for lane, goes_on in enumerate(rows) if not goes_on)]


def _runs(register: Activity) -> list[_Run]:
    starts = _starts(register.touched)
    ends = [*starts[1:], len(register.touched)]
    return [_Run(register, first, register.touched[first:end]) for first, end in zip(starts, ends, strict=True)]


# -- bits -------------------------------------------------------------------------------------------------------------------


def _deposited(site: Site, chunks: Sequence[Chunk], registers: Sequence[Activity]) -> list[Operand]:
    words: dict[Chunk, Operand] = dict.fromkeys(chunks, ZERO)
    for run in (run for register in dict.fromkeys(registers) for run in _runs(register)):
        for group in _words(chunks, run):
            base = group[0].start[-1]
            places = [e[-1] - base for e in run.touched]
            inside = [k for k, place in enumerate(places) if 0 <= place < WORD]
            first = places[inside[0]]
            bits = _bits(site, run.of, run.first + inside[0])
            coordinates = sum(1 << (places[k] - first) for k in inside)
            word = _shifted(site, "shl", _deposit(site, bits, coordinates), first)
            for chunk in group:
                own = _shifted(site, "lshr", word, chunk.start[-1] - base)
                words[chunk] = own if words[chunk] == ZERO else site.block.integer("or", words[chunk], own)
    return [_mask(site, words[chunk], chunk.length) for chunk in chunks]


def _words(chunks: Sequence[Chunk], run: _Run) -> list[list[Chunk]]:
    """The chunks in which a run has elements, as groups that fit into one word, in ascending order."""
    row = run.touched[0][:-1]
    own = {element[-1] for element in run.touched}
    groups: list[list[Chunk]] = []
    for chunk in sorted(chunks, key=lambda chunk: chunk.start):
        if chunk.start[:-1] != row or own.isdisjoint(e[-1] for e in chunk.elements()):
            continue
        if groups and chunk.start[-1] + chunk.length - groups[-1][0].start[-1] <= WORD:
            groups[-1].append(chunk)
        else:
            groups.append([chunk])
    return groups


def _bits(site: Site, register: Activity, first: int) -> Operand:
    """The mask as an integer from lane `first` on."""
    lanes = len(register.touched)
    packed = site.block.convert("bitcast", register.mask, IntType(lanes))
    wide = packed if lanes == WORD else site.block.convert("zext", packed, I64)
    return _shifted(site, "lshr", wide, first)


def _deposit(site: Site, bits: Operand, coordinates: int) -> Operand:
    return site.block.add(Native("pdep", (bits, i64(coordinates))))


def _shifted(site: Site, op: Literal["shl", "lshr"], word: Operand, places: int) -> Operand:
    return site.block.binary(op, word, i64(places)) if places else word


def _mask(site: Site, word: Operand, lanes: int) -> Operand:
    narrow = word if lanes == WORD else site.block.convert("trunc", word, IntType(lanes))
    return site.block.convert("bitcast", narrow, VectorType(I1, lanes))


# -- shuffles ---------------------------------------------------------------------------------------------------------------


def _shuffled(site: Site, type_: IntType, chunks: Sequence[Chunk], registers: Sequence[Activity]) -> list[Operand]:
    width = chunks[0].length
    masks = list(dict.fromkeys(register.mask for register in registers))
    sources = [widened(site, _spread(site, mask, type_), width) for mask in masks]
    number = {mask: k for k, mask in enumerate(masks)}
    users: dict[Element, dict[tuple[int, int], None]] = {}
    for register in registers:
        for lane, element in enumerate(register.touched):
            users.setdefault(element, {})[number[register.mask], lane] = None
    results: list[Operand] = [constant(FALSE, width)] * len(chunks)
    for depth in range(max(map(len, users.values()))):
        requests: list[Request] = [tuple(_user(users, e, depth) for e in chunk.elements()) for chunk in chunks]
        layer = emit_network(site, sources, requests, width, type_)
        for k, request in enumerate(requests):
            if any(request):
                own = _where_wanted(site, layer[k], request)
                results[k] = own if depth == 0 else either(site, results[k], own)
    return results


def _user(users: Mapping[Element, Mapping[tuple[int, int], None]], element: Element, depth: int) -> tuple[int, int] | None:
    found = tuple(users.get(element, ()))
    return found[depth] if depth < len(found) else None


def _spread(site: Site, mask: Operand, type_: IntType) -> Operand:
    """A mask as integers as wide as the data, all ones where it holds: masks of bits cannot be shuffled."""
    return site.block.convert("sext", mask, with_element(mask.type, type_))


def _where_wanted(site: Site, spread: Operand, request: Request) -> Operand:
    """The mask where a lane of it was requested: the others are undefined."""
    lanes, nothing = len(request), zeros(VectorType(lane_type(spread), len(request)))
    if any(lane is None for lane in request):
        picked = [k if lane is not None else lanes + k for k, lane in enumerate(request)]
        spread = site.block.shuffle(spread, nothing, picked)
    return site.block.compare("slt", spread, nothing)
