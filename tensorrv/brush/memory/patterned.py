"""Loads through index arithmetic that has no closed form: subscripts with quotients, remainders and bits of the counters.

    t[i / 8]        brush 16 from a multiple of 16 on: t[q], eight times, then t[q + 1], with q = i / 8 at the first lane
    u[(i + 1) % 4]  brush 8: the same four elements twice, the second one first

What the lanes of such a number are apart is known of brushes that begin at multiples of their size
(`tensorrv.brush.aligned_shapes`). Then the load is one of an access group, whose subscripts hold these numbers of the first lane.
Under a predicate the first lane may be passive, and then arithmetic may wrap in it: such loads stay gathers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rv.analysis.strides.patterns import Pattern, in_reading
from rv.analysis.strides.readings import Facts
from rv.analysis.values.uses import definitions
from rv.evolution.polynomial import Kind, Polynomial, Symbol, counter, signed
from rv.ir.instructions import ElementPointer, Load
from rv.ir.values import Const, Value, Var
from tensorrv.brush.shapes import NestShapes
from tensorrv.nest.model import Access


@dataclass(frozen=True, slots=True)
class Line:
    """How far the lanes along one dimension of the brush are from the first one."""

    moves: tuple[int, ...]

    @property
    def stride(self) -> int | None:
        """What neighbouring lanes are apart, when that is one number."""
        step = self.moves[1] if len(self.moves) > 1 else 0
        return step if self.moves == tuple(step * c for c in range(len(self.moves))) else None

    def plus(self, other: Line, factor: int) -> Line:
        return Line(tuple(a + factor * b for a, b in zip(self.moves, other.moves, strict=True)))


@dataclass(frozen=True, slots=True)
class Patterned:
    """Subscripts with variables of the nest, which stand for their values in the first lane; `lines` are one per dimension of the
    array and of the brush.
    """

    subscripts: tuple[Polynomial, ...]
    extents: tuple[Polynomial, ...]
    lines: tuple[tuple[Line, ...], ...]


def patterned(access: Access, shapes: NestShapes) -> Patterned | None:
    """The subscripts of a load that has none as closed forms; None where some lanes are unknown distances apart."""
    load = access.instruction
    if not shapes.patterns or not isinstance(load, Load) or not isinstance(load.pointer, Var) or shapes.in_block(access.block):
        return None
    pointer = definitions(shapes.nests.function).get(load.pointer.name)
    if not isinstance(pointer, ElementPointer) or pointer.base != access.array or pointer.element != access.element:
        return None
    extents = [_form(shapes, extent) for extent in pointer.extents]
    if shapes.of(access.array) or any(extent is None or shapes.of_polynomial(extent) for extent in extents):
        return None
    found = [_subscript(shapes, index) for index in pointer.indices]
    known = [own for own in found if own is not None]
    if len(known) < len(found):
        return None
    return Patterned(tuple(s for s, _ in known), tuple(e for e in extents if e is not None), tuple(lines for _, lines in known))


def _form(shapes: NestShapes, value: Value) -> Polynomial | None:
    if isinstance(value, Const):
        return Polynomial.constant(value.signed)
    if not isinstance(value, Var):
        return None
    return shapes.nests.closed_forms.get(value.name, Polynomial.symbol(signed(value.name)))


def _subscript(shapes: NestShapes, index: Value) -> tuple[Polynomial, tuple[Line, ...]] | None:
    """A subscript by its closed form, or as a number of its own, with the distances of lanes."""
    forms = [_form(shapes, index)]
    if isinstance(index, Var):
        forms.append(Polynomial.symbol(signed(index.name)))
    for form in forms:
        lines = None if form is None else _lines(shapes, form)
        if form is not None and lines is not None:
            return form, lines
    return None


def _lines(shapes: NestShapes, form: Polynomial) -> tuple[Line, ...] | None:
    """How far lanes are apart along each dimension: the sum over the symbols that vary, none of which is in a product."""
    found = tuple(Line((0,) * size) for size in shapes.sizes)
    for monomial, coefficient in form.terms:
        own = [symbol for symbol in monomial if shapes.of_symbol(symbol)]
        if not own:
            continue
        lines = _of_symbol(shapes, monomial[0]) if len(monomial) == 1 else None
        if lines is None:
            return None
        found = tuple(line.plus(other, coefficient) for line, other in zip(found, lines, strict=True))
    return found


def _of_symbol(shapes: NestShapes, symbol: Symbol) -> Sequence[Line] | None:
    if symbol.is_counter:
        own = [counter(header) == symbol for header in shapes.headers]
        return [Line(tuple(range(m)) if mine else (0,) * m) for mine, m in zip(own, shapes.sizes, strict=True)]
    patterns = shapes.patterns.get(symbol.name)
    if patterns is None or not symbol.is_variable:
        return None
    bits, fact = shapes.nests.bits[symbol.name], Facts.UNSIGNED if symbol.kind is Kind.UNSIGNED else Facts.SIGNED
    read = [own if bits == 64 else in_reading(own, bits, fact) for own in patterns]
    known = [_moves(own) for own in read if own is not None]
    return known if len(known) == len(read) else None


def _moves(pattern: Pattern) -> Line:
    return Line(tuple(map(pattern.from_first, range(len(pattern.offsets)))))
