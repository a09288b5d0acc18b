"""A parameter of a unit."""

from __future__ import annotations

from dataclasses import dataclass

from rv.evolution.polynomial import Polynomial
from rv.ir.source import Span
from tensorrv.unit.elements import Element


@dataclass(frozen=True, slots=True)
class Parameter:
    """A parameter as the source declares it; `declaration` is how it does so, for messages and headers.

    `element` is the number's own type, or that of the array's elements, which may be structs. `rank` is 0 for a number.
    `extents` has one entry per dimension, outermost first: a polynomial over the integer parameters (`%n` read as signed, `u%n`
    as unsigned), or None where the source does not say, or says something else. `const` means that the elements are not written.
    """

    name: str
    declaration: str
    element: Element
    rank: int
    extents: tuple[Polynomial | None, ...]
    const: bool
    restrict: bool
    span: Span | None
