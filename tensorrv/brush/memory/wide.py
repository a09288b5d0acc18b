"""Strided, interleaved and transposed elements in blocks that only some lanes execute: few wide accesses in place of many.

    if (m[i]) use(rgb[3*i], rgb[3*i + 1], rgb[3*i + 2]);

All registers of an access group in a block are served together: their elements are covered with chunks as long as a register,
each accessed once under the mask of the elements whose lanes are active (`tensorrv.brush.memory.element_masks`), so nothing is
touched that an active lane does not touch. Lanes are shuffled out of the chunks, and into them for stores.

Without predicates chunks do the same with fewer masks (`tensorrv.brush.memory.loads`). Whether chunks pay is counted: an access
of a chunk against one of a lane, both under masks. Targets without masked accesses, where a masked chunk falls apart into its
elements, keep their gathers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rv.cost.accesses import mask_of_piece, masked_lane
from rv.ir.instructions import Load, Store
from rv.ir.types import Type, bits_of
from rv.ir.values import TRUE
from rv.target.machine import Target
from rv.widen.across.shuffle_network import Request, build_network
from rv.widen.loops.variant_tree import Variant
from tensorrv.brush.context import BrushContext
from tensorrv.brush.memory.access_groups import AccessGroup, Element
from tensorrv.brush.memory.chunks import Chunk, cover, is_contiguous
from tensorrv.brush.memory.element_masks import in_bits
from tensorrv.brush.memory.placed import LaidOutGroup

Touched = Sequence[Element]
"""The elements of the lanes of a register."""


@dataclass(frozen=True, slots=True)
class Cover:
    """Pieces of `width` elements that hold all elements of some registers, and for each element its chunk and place in it."""

    chunks: tuple[Chunk, ...]
    width: int
    place: dict[Element, tuple[int, int]]

    def request(self, touched: Touched) -> Request:
        """Where the lanes of a register find their elements."""
        return tuple(self.place[element] for element in touched)


def find_cover(registers: Sequence[Touched]) -> Cover:
    """The chunks for registers that are accessed together."""
    width = max(map(len, registers))
    chunks = cover((element for touched in registers for element in touched), width)
    place: dict[Element, tuple[int, int]] = {}
    for number, chunk in enumerate(chunks):
        for lane, element in enumerate(chunk.elements()):
            place.setdefault(element, (number, lane))
    return Cover(chunks, width, place)


@dataclass(frozen=True, slots=True)
class Weighed:
    """Registers that would be accessed together, by number, and the instructions of that: in wide accesses, and lane by lane."""

    members: tuple[int, ...]
    wide: float
    apart: float

    @property
    def pays(self) -> bool:
        """Whether they are accessed in wide chunks."""
        return self.wide < self.apart


def wide_registers(target: Target, type_: Type, registers: Sequence[Touched], *, stored: bool) -> frozenset[int]:
    """Which of the registers, by number, are worth wide accesses; the others are gathered or scattered."""
    groups = weigh_registers(target, type_, registers, stored=stored)
    return frozenset(number for group in groups if group.pays for number in group.members)


def weigh_registers(target: Target, type_: Type, registers: Sequence[Touched], *, stored: bool) -> tuple[Weighed, ...]:
    """What registers with elements in the same rows cost; nothing where no contiguous access has a mask."""
    if not has_masked_accesses(target, type_):
        return ()
    rows: dict[tuple[object, ...], list[int]] = {}
    for number, touched in enumerate(registers):
        if len(touched) > 1:
            rows.setdefault(tuple(sorted({e[:-1] for e in touched})), []).append(number)
    lane = masked_lane(target, stored=stored)
    found: list[Weighed] = []
    for members in rows.values():
        own = [registers[number] for number in members]
        found.append(Weighed(tuple(members), wide_cost(target, type_, own), lane * sum(map(len, own))))
    return tuple(found)


def registers_apart(
    context: BrushContext, variant: Variant, label: str, group: AccessGroup | LaidOutGroup, *, stored: bool
) -> list[tuple[Element, ...]]:
    """The elements of the registers of a block under a predicate whose lanes have no neighbouring elements of an access group."""
    block = context.block(label)
    found: list[tuple[Element, ...]] = []
    for position, access in enumerate(block.body if block.predicate != TRUE else ()):
        elements = context.elements(variant, label, position)
        if elements is None or elements.group != group or isinstance(access, Store) != stored:
            continue
        if isinstance(access, Store):
            lane_sets = context.stored_lanes(variant, label, position, access)
        else:
            lane_sets = tuple(sorted(variant.demand.get(access.result.name, ()))) if isinstance(access, Load) else ()
        touched = [tuple(elements.at(c) for c in coordinates) for coordinates in lane_sets]
        found += [own for own in touched if len(own) > 1 and not is_contiguous(own)]
    return found


def has_masked_accesses(target: Target, type_: Type) -> bool:
    """Whether a contiguous access under a mask is an instruction."""
    vectors = target.architecture == "x86_64" and target.register_bits >= 256
    return target.cheap_masks or (vectors and bits_of(type_) >= 32)


def wide_cost(target: Target, type_: Type, registers: Sequence[Touched]) -> float:
    """Instructions of wide accesses: for each chunk itself and its mask, and the shuffles of data and masks."""
    cover = find_cover(registers)
    requests = [cover.request(touched) for touched in registers]
    network = build_network(len(cover.chunks), requests, cover.width, 128 // bits_of(type_))
    data = len(network.shuffles)
    as_bits = target.cheap_masks and all(map(in_bits, registers))
    masks = mask_of_piece(target) * len(cover.chunks)
    return len(cover.chunks) + data + masks + (0 if as_bits else data)
