"""What distinguishes elements of an array where their subscripts are unknown or insufficient: `Access.rows`.

- An array that is declared with rows, `h[i][x[k] & 15]`, or an array of structs, `p[i].v[x]`: C's inner subscripts stay within
  their dimensions, so different outer subscripts are different elements, whatever the inner ones are.
- A flat array with pitches that have nothing to do with each other, `A[k*plane + j*line + i]`: the sums of the smaller parts stay
  below each pitch, under run-time conditions where that is not proved. The pitch of the outer loop is taken for the larger one.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rv.evolution.bounds import Bounds, bounds_of
from rv.evolution.closed_forms import ClosedForms, merged
from rv.evolution.facts import Condition
from rv.evolution.polynomial import Polynomial, counter
from rv.ir.instructions import ElementPointer
from rv.ir.types import size_of
from rv.ir.values import Value
from tensorrv.nest.affine.raw_access import Extents, RawAccess, is_affine_in_counters, positive
from tensorrv.nest.model import Row

Rows = tuple[Row | None, ...]


def rows_of(forms: ClosedForms, group: Sequence[RawAccess]) -> tuple[Rows | None, ...]:
    """The rows of the accesses of one array in one outermost loop: all of one length, or None."""
    declared = [_declared(forms, raw) for raw in group]
    shapes = {None if d is None else d.shape for d in declared}
    alike = len(shapes) == 1 and None not in shapes
    flat = None if alike and any(d is not None and len(d.rows) > 1 for d in declared) else _flat(forms, group)
    if flat is not None or not alike:
        return flat if flat is not None else tuple(None for _ in group)
    return tuple(None if d is None or _in_header(forms, raw) else d.rows for raw, d in zip(group, declared, strict=True))


def _in_header(forms: ClosedForms, raw: RawAccess) -> bool:
    """Accesses in headers run once more than the iterations in the domains of loops."""
    loop = forms.forest.loop_of(raw.block)
    return loop is not None and raw.block == loop.header


# -- declared rows


@dataclass(frozen=True, slots=True)
class _Declared:
    """`shape` is the same for accesses whose rows can be compared: outer extents, and the bytes of an innermost row."""

    rows: Rows
    shape: tuple[Extents, Polynomial]


def _declared(forms: ClosedForms, raw: RawAccess) -> _Declared | None:
    pointer = raw.address.shape
    if not isinstance(pointer, ElementPointer) or pointer.element != raw.element:
        return None
    extents = [forms.form(extent) for extent in pointer.extents]
    lengths = tuple(extent.polynomial for extent in extents if extent is not None)
    if len(lengths) < len(extents):
        return None
    size = size_of(raw.element)
    rows = tuple(_row(forms, index) for index in pointer.indices)
    return _Declared(rows, (lengths[:-1], lengths[-1] * size if lengths else Polynomial.constant(size)))


def _row(forms: ClosedForms, index: Value) -> Row | None:
    form = forms.form(index)
    if form is None or not form.exact or not is_affine_in_counters(form.polynomial):
        return None
    return Row(form.polynomial, form.conditions)


# -- pitches


def _flat(forms: ClosedForms, group: Sequence[RawAccess]) -> tuple[Rows | None, ...] | None:
    """The rows by pitches; None when the group has none that all accesses stay between."""
    if len({size_of(raw.element) for raw in group}) > 1 or any(_in_header(forms, raw) for raw in group):
        return None
    offsets = [raw.address.offset.scaled_down(size_of(raw.element)) for raw in group]
    known = [offset for offset in offsets if offset is not None]
    pitches = tuple(_pitches(forms, known))
    if len(known) < len(offsets) or not pitches:
        return None
    common = _common(known)
    pairs = zip(group, (offset - common for offset in known), strict=True)
    rows = [_split(forms.bounds(raw.block), offset, pitches, raw.address.conditions) for raw, offset in pairs]
    return None if None in rows else tuple(rows)


def _common(offsets: Sequence[Polynomial]) -> Polynomial:
    """The common prefix of all offsets: it distinguishes no elements."""
    first, *others = ({m: c for m, c in offset.terms if not any(s.is_counter for s in m)} for offset in offsets)
    common = {m: c for m, c in first.items() if m and all(other.get(m) == c for other in others)}
    return Polynomial.of({**common, (): min(offset.constant_term for offset in offsets)})


def _pitches(forms: ClosedForms, offsets: Sequence[Polynomial]) -> Iterator[Polynomial]:
    """The parametric coefficients of counters, those of outer loops first."""
    seen = set[Polynomial]()
    for header in forms.forest.loops:
        for offset in offsets:
            slope = positive(offset.coefficient(counter(header)))
            if slope.symbols and slope not in seen and not any(s.is_counter for s in slope.symbols):
                seen.add(slope)
                yield slope


def _split(bounds: Bounds, offset: Polynomial, pitches: Sequence[Polynomial], given: tuple[Condition, ...]) -> Rows | None:
    """The multiples of the pitches, and what is left."""
    positive = tuple(Condition(pitch - 1, "rows must not be empty") for pitch in pitches)
    bounds = bounds_of(bounds.counters, bounds.bits, (*bounds.facts, *(condition.polynomial for condition in positive)))
    subscripts: list[Polynomial] = []
    conditions = [given, positive]
    for pitch in pitches:
        subscript, offset = offset.divided_by(pitch)
        low = bounds.obligation(offset, "a flattened subscript must not start before its row")
        high = bounds.obligation(pitch - offset - 1, "a flattened subscript must stay within its row")
        if low is None or high is None:
            return None
        conditions += [low, high]
        subscripts.append(subscript)
    if not all(map(is_affine_in_counters, (*subscripts, offset))):
        return None
    needed = merged(*conditions)
    return tuple(Row(subscript, needed) for subscript in (*subscripts, offset))
