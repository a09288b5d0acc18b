"""Subscripts of array accesses, from addresses (Grosser, Ramanujam, Pouchet, Sadayappan, Pop: Optimistic Delinearization of
Parametrically Sized Arrays, 2015).

All accesses of one array in one outermost loop get the same extents, or none beyond the first dimension; members of structs
share all extents but the last one, which counts the struct's bytes in their own size. Candidates for the
row pitches are, in this order: the extents that the source declares (VLAs, constant-size arrays); the parametric
coefficients of counters in flattened subscripts; those without their integer factor; constant coefficients. A candidate
counts when dividing by its pitches leaves inner subscripts that lie within the extents, by proof over the loop bounds or
under a run-time condition.

Accesses in the header of a loop have no subscripts: they run once more than the iterations of the loop's domain.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from rv.evolution.bounds import Bounds
from rv.evolution.closed_forms import ClosedForms, merged
from rv.evolution.facts import Condition
from rv.evolution.polynomial import Polynomial, Symbol
from rv.ir.instructions import ElementPointer
from rv.ir.types import Type, size_of
from rv.ir.values import Value
from tensorrv.nest.affine.raw_access import Extents, RawAccess, is_affine_in_counters, positive
from tensorrv.nest.affine.rows import rows_of
from tensorrv.nest.model import Access

# shorter constant pitches are taken for strides (`A[2*i + j]`), not for rows, unless rows are proved not to overlap
_SHORTEST_ROW: Final = 32


@dataclass(frozen=True, slots=True)
class _Flat:
    """A flattened access: its offset in elements, and what is known where it runs."""

    offset: Polynomial
    bounds: Bounds


@dataclass(frozen=True, slots=True)
class _Shaped:
    subscripts: tuple[Polynomial, ...]
    in_bounds: tuple[Condition, ...]


def delinearize(forms: ClosedForms, group: Sequence[RawAccess], in_rows: bool) -> tuple[Access, ...]:
    """The accesses of one array in one outermost loop, all with the same extents.

    `in_rows`: it matters that inner subscripts stay within them.
    """
    found = _with_subscripts(forms, group, in_rows)
    if not in_rows or all(a.subscripts is not None and _says_all(forms, a.subscripts) for a in found):
        return found
    return tuple(replace(access, rows=rows) for access, rows in zip(found, rows_of(forms, group), strict=True))


def _says_all(forms: ClosedForms, subscripts: Extents) -> bool:
    """Whether no counter is multiplied with a parameter, and nothing else is computed in loops, such as `t % 2`."""
    monomials = [monomial for p in subscripts for monomial, _ in p.terms]
    if any(len(monomial) > 1 and any(s.is_counter for s in monomial) for monomial in monomials):
        return False
    return not any(forms.is_in_loop(s) for monomial in monomials for s in monomial if not s.is_counter)


def _with_subscripts(forms: ClosedForms, group: Sequence[RawAccess], in_rows: bool) -> tuple[Access, ...]:
    declared = [_declared(forms, raw) for raw in group]
    first = declared[0]
    same = first is not None and all(d is not None and d.extents == first.extents for d in declared)
    if same and len({raw.element for raw in group}) == 1:
        return tuple(_access(raw, d.subscripts, d.extents, ()) for raw, d in zip(group, declared, strict=True) if d is not None)
    rows = {None if d is None else _row(d, raw.element) for raw, d in zip(group, declared, strict=True)}
    if len(rows) == 1 and None not in rows:
        return tuple(_access(raw, d.subscripts, d.extents, ()) for raw, d in zip(group, declared, strict=True) if d is not None)
    size = size_of(group[0].element)
    flat = [_flat(forms, raw, size) if size_of(raw.element) == size else None for raw in group]
    known = [f for f in flat if f is not None]
    offsets = () if in_rows and _are_strided(known) else [f.offset for f in known]
    for extents in _candidates(forms, [d.extents for d in declared if d is not None], offsets):
        shaped = [None if f is None else _shape(f, extents, optimistic=in_rows) for f in flat]
        if sum(s is not None for s in shaped) == len(known):
            return tuple(_shaped_access(raw, s, extents) for raw, s in zip(group, shaped, strict=True))
    return tuple(_access(raw, None, (), ()) for raw in group)


def _are_strided(flat: Sequence[_Flat]) -> bool:
    """Whether all offsets are multiples of one length but for a constant part: `A[i]` in a loop with a variable step.

    As rows of that length all of that part would have to be in the first one; `rows_of` needs no such condition.
    """
    slopes = {f.offset.coefficient(s) for f in flat for s in f.offset.symbols if s.is_counter}
    return len(slopes) == 1 and all(slope.symbols for slope in slopes)


def _shaped_access(raw: RawAccess, shaped: _Shaped | None, extents: Extents) -> Access:
    if shaped is None or not all(is_affine_in_counters(s) for s in shaped.subscripts):
        return _access(raw, None, extents, ())
    return _access(raw, shaped.subscripts, extents, shaped.in_bounds)


def _access(raw: RawAccess, subscripts: Extents | None, extents: Extents, in_bounds: tuple[Condition, ...]) -> Access:
    if subscripts is not None and not all(is_affine_in_counters(s) for s in subscripts):
        subscripts = None
    return Access(
        block=raw.block,
        position=raw.position,
        instruction=raw.instruction,
        array=raw.address.base,
        element=raw.element,
        subscripts=subscripts,
        extents=extents,
        span=raw.instruction.span,
        conditions=raw.address.conditions,
        in_bounds=in_bounds,
    )


# -- declared shapes


def _is_regular(forms: ClosedForms, raw: RawAccess) -> bool:
    """Whether the address follows from counters and from what is fixed in the innermost loop around, in the loop's domain."""
    loop = forms.forest.loop_of(raw.block)
    if loop is None:
        return True
    inner = {s for s in raw.address.offset.symbols if not s.is_counter}
    return raw.block != loop.header and all(forms.invariant(Polynomial.symbol(s), loop) for s in inner)


@dataclass(frozen=True, slots=True)
class _Declared:
    subscripts: tuple[Polynomial, ...]
    extents: Extents


def _declared(forms: ClosedForms, raw: RawAccess) -> _Declared | None:
    """Subscripts and extents as the source wrote them, when one element pointer leads from the array to the element."""
    pointer = raw.address.shape
    if not _is_regular(forms, raw) or not isinstance(pointer, ElementPointer) or pointer.element != raw.element:
        return None
    subscripts = _polynomials(forms, pointer.indices)
    extents = _polynomials(forms, pointer.extents)
    if subscripts is None or extents is None or not extents:
        return None
    return _Declared(subscripts, extents)


def _row(declared: _Declared, element: Type) -> tuple[Extents, int] | None:
    """The outer extents and the bytes of an innermost row of constant length, as structs are: its elements may be of any type."""
    length = declared.extents[-1].as_constant
    return None if length is None else (declared.extents[:-1], length * size_of(element))


def _polynomials(forms: ClosedForms, values: Iterable[Value]) -> tuple[Polynomial, ...] | None:
    found = []
    for value in values:
        form = forms.form(value)
        if form is None:
            return None
        found.append(form.polynomial)
    return tuple(found)


# -- flattened shapes


def _flat(forms: ClosedForms, raw: RawAccess, size: int) -> _Flat | None:
    offset = raw.address.offset.scaled_down(size)
    return None if offset is None or not _is_regular(forms, raw) else _Flat(offset, forms.bounds(raw.block))


def _candidates(forms: ClosedForms, declared: Sequence[Extents], offsets: Sequence[Polynomial]) -> Iterator[Extents]:
    """Lists of extents to try; the last one, (), always fits."""
    seen: set[Extents] = set()
    inner = {s for offset in offsets for s in offset.symbols if not s.is_counter and forms.is_in_loop(s)}
    with_inner = _pitch_candidates(offsets, frozenset(inner)) if inner else ()
    for extents in (*declared, *with_inner, *_pitch_candidates(offsets, frozenset()), ()):
        if extents not in seen:
            seen.add(extents)
            yield extents


def _pitch_candidates(offsets: Sequence[Polynomial], inner: frozenset[Symbol]) -> Iterator[Extents]:
    """From the coefficients of counters, and of `inner` symbols: numbers that are computed in loops, such as `t % 2`."""
    slopes = {slope for offset in offsets for slope in _slopes(offset, inner)}
    parametric = [slope for slope in slopes if slope.symbols]
    constant = {abs(value) for offset in offsets for value in _constant_pitches(offset, inner)}
    constants = [Polynomial.constant(value) for value in constant]
    pitches = [positive(slope) for slope in parametric]
    if parametric:
        yield _chain(pitches)
        yield _chain([_primitive(slope) for slope in pitches])
        yield _chain([*pitches, *constants])
    elif constants:
        yield _chain(constants)


def _slopes(offset: Polynomial, inner: frozenset[Symbol]) -> Iterator[Polynomial]:
    """The coefficients of the counters and of other subscripts."""
    for symbol in sorted(offset.symbols):
        if symbol.is_counter or symbol in inner:
            slope = offset.coefficient(symbol)
            if not any(s.is_counter or s in inner for s in slope.symbols):
                yield slope


def _constant_pitches(offset: Polynomial, inner: frozenset[Symbol]) -> Iterator[int]:
    """Constant coefficients of counters that stand beside another counter with a smaller one."""
    found = sorted(abs(c) for slope in _slopes(offset, inner) if (c := slope.as_constant) is not None)
    yield from (value for value in found if value > found[0])


def _primitive(slope: Polynomial) -> Polynomial:
    return slope.scaled_down(slope.content) or slope


def _chain(pitches: Iterable[Polynomial]) -> Extents:
    """The extents e1, e2, ... of the largest set of pitches e1*e2*..*ek, e2*..*ek, ..., ek in which each divides the next
    larger.
    """
    chain: list[Polynomial] = []
    extents: list[Polynomial] = []
    for pitch in sorted(set(pitches), key=lambda p: (p.degree, abs(p.constant_term) if not p.symbols else 0, p.terms)):
        quotient, remainder = pitch.divided_by(chain[-1]) if chain else (pitch, Polynomial())
        if not remainder.terms and quotient.as_constant != 1:
            chain.append(pitch)
            extents.insert(0, quotient)
    return tuple(extents)


def _shape(flat: _Flat, extents: Extents, *, optimistic: bool) -> _Shaped | None:
    """The subscripts for these extents; None when an inner one is not within its extent, whatever the conditions."""
    subscripts: list[Polynomial] = []
    conditions: list[tuple[Condition, ...]] = []
    rest = flat.offset
    for extent in reversed(extents):
        found = _split(flat.bounds, rest, extent)
        if found is None:
            return None
        rest, subscript, needed = found
        subscripts.insert(0, subscript)
        conditions.append(needed if optimistic else ())
    return _Shaped((rest, *subscripts), merged(*conditions))


def _split(bounds: Bounds, offset: Polynomial, extent: Polynomial) -> tuple[Polynomial, Polynomial, tuple[Condition, ...]] | None:
    """offset = quotient * extent + remainder with 0 <= remainder < extent; the split that needs the fewest conditions."""
    quotient, remainder = offset.divided_by(extent)
    best: tuple[Polynomial, Polynomial, tuple[Condition, ...]] | None = None
    for shift in (0, -1, 1):
        moved = remainder - extent * shift
        low = bounds.obligation(moved, "a flattened subscript must not start before its row")
        high = bounds.obligation(extent - moved - 1, "a flattened subscript must stay within its row")
        if low is None or high is None:
            continue
        needed = merged(low, high)
        if needed and (extent.as_constant or _SHORTEST_ROW) < _SHORTEST_ROW:
            continue
        if best is None or len(needed) < len(best[2]):
            best = (quotient + shift, moved, needed)
        if not needed:
            break
    return best
