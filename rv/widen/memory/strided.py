"""Accesses whose addresses are a number of bytes apart along each dimension of the lanes.

    a[i]        load <8 x double>, ptr %a + 8 * i                     an element apart
    a[n - i]    the same, from the last lane, and reversed            an element apart downwards
    a[3 * i]    gather at %a + 24 * i + <0, 24, 48, ...>              any stride
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from rv.evolution.polynomial import Polynomial
from rv.ir import instructions as ir
from rv.ir.types import I8, I64, Type, size_of
from rv.ir.values import Value
from rv.vector.instructions import Load, Store
from rv.vector.types import lanes_of, vector_of
from rv.vector.values import Operand, i64, integers
from rv.widen.across.masks import activation, activation_of
from rv.widen.lanes import SCALAR, Lanes, is_scalar
from rv.widen.memory.gathers import emit_gather, emit_scatter
from rv.widen.site import Site


@dataclass(frozen=True, slots=True)
class Strided:
    """Addresses `offset` bytes behind `base` at the first lane, and further by the strides along the dimensions of the lanes."""

    base: Value
    offset: Polynomial
    strides: tuple[int, ...]

    def behind(self, coordinates: Lanes) -> list[int]:
        """How many bytes each lane is behind the first one."""
        return [sum(stride * c for stride, c in zip(self.strides, lane, strict=False)) for lane in coordinates]

    def neighbours(self, type_: Type, coordinates: Lanes) -> bool | None:
        """Whether lanes access neighbouring elements in reverse; None when they are no neighbours."""
        steps = {later - sooner for sooner, later in pairwise(self.behind(coordinates))}
        return None if steps not in ({size_of(type_)}, {-size_of(type_)}) else steps == {-size_of(type_)}


def emit_strided_load(site: Site, load: ir.Load, array: str, strided: Strided, coordinates: Lanes) -> None:
    """A load in some lanes: contiguous if they are neighbours, else gathered."""
    type_ = load.result.type
    reverse = strided.neighbours(type_, coordinates)
    if reverse is None:
        emit_gather(site, load, array, _addresses(site, strided, coordinates), coordinates)
        return
    mask = activation_of(site, site.context.varying(site.variant, load.result), coordinates)
    address = _address(site, strided, min(strided.behind(coordinates)))
    vector = vector_of(type_, len(coordinates))
    in_memory = None if mask is None else _turned(site, mask, reverse)
    found = site.block.add(Load(address, vector, site.access(array, type_), in_memory))
    site.define(load.result, coordinates, _turned(site, found, reverse))


def emit_strided_store(site: Site, store: ir.Store, array: str, strided: Strided, coordinates: Lanes) -> None:
    """A store in some lanes: contiguous if they are neighbours, else scattered in ascending order of lanes."""
    type_ = store.value.type
    reverse = strided.neighbours(type_, coordinates)
    if reverse is None:
        emit_scatter(site, store, array, _addresses(site, strided, coordinates), coordinates)
        return
    value, mask = site.operand(store.value, coordinates), activation(site, coordinates)
    address = _address(site, strided, min(strided.behind(coordinates)))
    in_memory = None if mask is None else _turned(site, mask, reverse)
    site.block.effect(Store(_turned(site, value, reverse), address, site.access(array, type_), in_memory))


def _turned(site: Site, vector: Operand, reverse: bool) -> Operand:
    """A vector of lanes as it is in memory, or the other way round."""
    return site.block.shuffle(vector, None, range(lanes_of(vector.type) - 1, -1, -1)) if reverse else vector


def _address(site: Site, strided: Strided, behind: int) -> Operand:
    """The address so many bytes behind that of the first lane."""
    base = site.block.address(site.operand(strided.base, SCALAR), site.polynomial(strided.offset), I8)
    return site.block.address(base, i64(behind), I8)


def _addresses(site: Site, strided: Strided, coordinates: Lanes) -> Operand:
    """The address of every lane."""
    first, *others = strided.behind(coordinates)
    address = _address(site, strided, first)
    if is_scalar(coordinates):
        return address
    return site.block.address(address, integers(I64, [0, *(behind - first for behind in others)]), I8)
