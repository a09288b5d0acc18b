"""Arrays as the interface of a function declares them."""

from __future__ import annotations

from dataclasses import dataclass

from rv.evolution.polynomial import Polynomial
from rv.ir.types import Type

Shape = tuple[Polynomial | None, ...]
"""Lengths of all dimensions, outermost first, over the integer parameters; None where unknown."""


@dataclass(frozen=True, slots=True)
class DeclaredArray:
    """An array parameter as C declares it: the type of its elements, and the lengths of all dimensions."""

    element: Type
    lengths: Shape
