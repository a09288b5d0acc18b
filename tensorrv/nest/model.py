"""The facts about the loops and array accesses of a function.

Everything here is plain data computed once from P-LLVM by `tensorrv.nest.analyze.analyze_nests`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from layouts.address import AddressMap
from rv.evolution.facts import Condition, LoopFacts
from rv.evolution.polynomial import Polynomial
from rv.ir.instructions import Load, Store
from rv.ir.source import Span
from rv.ir.types import Type
from rv.ir.values import Var


@dataclass(frozen=True, slots=True)
class Placement:
    """Where the elements of an array with a layout are: its digits, and their lengths (the first one does not matter)."""

    address: AddressMap
    lengths: tuple[Polynomial, ...]


@dataclass(frozen=True, slots=True)
class Row:
    """A subscript that distinguishes elements, under `conditions`."""

    subscript: Polynomial
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Access:
    """A load or store of an array element.

    `array` is the pointer parameter it goes through. `subscripts` are the delinearized subscripts, outermost first, as
    polynomials that are affine in the counters, or None when the address is not of that kind. `extents` are the lengths of
    the dimensions 1.., so that the offset in elements is ((s0*e1 + s1)*e2 + s2)...; they contain no counters of loops in the
    nest. The offset is right under `conditions`. Under `in_bounds` the inner subscripts also stay within their extents: then
    two accesses of one array with equal `extents` name the same element only if all subscripts are equal. Accesses of one array
    with elements of different sizes have equal extents but for the last: a struct of so many of their elements.

    Symbols stand for values that may be defined in loops around the access: see `tensorrv.nest.legality.region.nests_within`.

    Subscripts are those of the source, whatever the layout of the array; `placement`: positions of elements when they are not
    in rows.

    `rows` are for proofs only, where subscripts are unknown or do not distinguish elements: two accesses of one array, both with
    `rows`, name the same element only if all of these are equal that are known for both. They may hold numbers that are computed
    in the innermost loop.
    """

    block: str
    position: int
    instruction: Load | Store
    array: Var
    element: Type
    subscripts: tuple[Polynomial, ...] | None
    extents: tuple[Polynomial, ...]
    span: Span | None
    conditions: tuple[Condition, ...] = ()
    in_bounds: tuple[Condition, ...] = ()
    placement: Placement | None = None
    rows: tuple[Row | None, ...] | None = None

    @property
    def kind(self) -> Literal["load", "store"]:
        return "store" if isinstance(self.instruction, Store) else "load"


@dataclass(frozen=True, slots=True)
class Nests(LoopFacts):
    """All facts about one function, as far as loops and arrays go."""

    accesses: tuple[Access, ...]
    in_rows: frozenset[str] = frozenset()
    """Arrays of which it matters, even where they are only read, that inner subscripts stay within their extents."""

    __hash__ = object.__hash__  # what is computed from facts is remembered by their identity
