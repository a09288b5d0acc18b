"""Loads and stores with their addresses, before they have subscripts."""

from __future__ import annotations

from dataclasses import dataclass

from rv.evolution.closed_forms import Address
from rv.evolution.polynomial import Polynomial
from rv.ir.instructions import Load, Store
from rv.ir.types import Type

Extents = tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True)
class RawAccess:
    """A load or store with its address, before it has subscripts."""

    block: str
    position: int
    instruction: Load | Store
    element: Type
    address: Address


def is_affine_in_counters(polynomial: Polynomial) -> bool:
    """Whether no product holds two counters."""
    return all(sum(s.is_counter for s in monomial) <= 1 for monomial, _ in polynomial.terms)


def positive(slope: Polynomial) -> Polynomial:
    """The slope with a positive leading coefficient (loops that count down have negative ones)."""
    return -slope if slope.terms and max(slope.terms, key=lambda term: (len(term[0]), term[0]))[1] < 0 else slope
