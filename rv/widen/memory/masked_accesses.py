"""Accesses of memory under masks: of neighbours, of one element, and of any addresses.

Masks are truth values for each lane. `array` names the memory that is touched, for the order of accesses.
"""

from __future__ import annotations

from rv.ir.types import I1, Type, bits_of
from rv.vector.instructions import Gather, Insert, Load, Place, Scatter, Store
from rv.vector.types import VectorType, lanes_of
from rv.vector.values import Operand, all_true, lane_type, zeros
from rv.widen.site import Site


def masked_load(
    site: Site, type_: Type, address: Operand, mask: Operand, array: str, place: Place | None, *, zeroing: bool = False
) -> Operand:
    """A vector of the neighbours from `address` on; zeros (if it is `zeroing`) or anything where the mask does not hold."""
    vector = VectorType(type_, lanes_of(mask.type))
    return site.block.add(Load(address, vector, site.access(array, type_, place), mask, zeroing))


def load_if(site: Site, condition: Operand, type_: Type, address: Operand, array: str, place: Place | None) -> Operand:
    """A scalar load that only takes place under a condition; zero otherwise.

    Where masks are cheap it is the first lane of a masked vector: a branch would cut the block in two.
    """
    lanes = _first_lane_of(site, type_)
    found = masked_load(site, type_, address, _first(site, condition, lanes), array, place, zeroing=True)
    return site.block.extract(found, 0)


def masked_store(site: Site, value: Operand, address: Operand, mask: Operand, array: str, place: Place | None) -> None:
    """Stores a vector to the neighbours from `address` on, where the mask holds."""
    site.block.effect(Store(value, address, site.access(array, lane_type(value), place), mask))


def store_if(site: Site, condition: Operand, value: Operand, address: Operand, array: str) -> None:
    """A scalar store that only takes place under a condition; see `load_if`."""
    lanes = _first_lane_of(site, lane_type(value))
    masked_store(site, site.block.first_lane(value, lanes), address, _first(site, condition, lanes), array, None)


def gather(site: Site, type_: Type, addresses: Operand, mask: Operand | None, array: str) -> Operand:
    """Elements at any addresses, zeros where the mask does not hold."""
    chosen = mask if mask is not None else all_true(lanes_of(addresses.type))
    return site.block.add(Gather(addresses, chosen, type_, site.access(array, type_)))


def scatter(site: Site, value: Operand, addresses: Operand, mask: Operand | None, array: str) -> None:
    """Stores lane after lane, in order, to any addresses where the mask holds."""
    chosen = mask if mask is not None else all_true(lanes_of(addresses.type))
    site.block.effect(Scatter(value, addresses, chosen, site.access(array, lane_type(value))))


def _first_lane_of(site: Site, type_: Type) -> int:
    """Lanes of the vector in whose first lane a scalar is accessed under a condition."""
    return 128 // bits_of(type_) if site.context.target.cheap_masks and bits_of(type_) >= 32 else 1


def _first(site: Site, condition: Operand, lanes: int) -> Operand:
    return site.block.add(Insert(zeros(VectorType(I1, lanes)), condition, 0))


def single(site: Site, value: Operand) -> Operand:
    """A scalar as a vector of one lane."""
    return site.block.first_lane(value, 1)
