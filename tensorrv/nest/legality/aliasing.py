"""Which pairs of arrays need a run-time overlap check, and the ranges of elements to compare.

Two pointers may reach the same memory unless one leads to stack objects that the other does not lead to, or both are
parameters and one is `restrict`. Such a pair matters when the region writes one of them. A footprint is the range from the
least to the greatest flattened offset over all iterations, from the signs of the counters' coefficients; where a pitch's sign
follows from nothing, that it is not negative becomes a run-time condition.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from rv.analysis.memory.stack_objects import StackObjects, stack_objects
from rv.analysis.values.uses import Definition, definitions
from rv.evolution.bounds import Bounds, bounds_of
from rv.evolution.closed_forms import merged
from rv.evolution.facts import Condition, Footprint, Loop
from rv.evolution.polynomial import Polynomial
from rv.ir.function import Function
from rv.ir.instructions import ElementPointer, Load, Store
from rv.ir.types import size_of
from rv.ir.values import Var
from tensorrv.nest.legality.region import bounds_at
from tensorrv.nest.model import Access, Nests
from tensorrv.report.diagnostics import Diagnostic, Related


@dataclass(frozen=True, slots=True)
class Guards:
    """Pairs of footprints that must not overlap, and conditions under which the footprints are right."""

    overlaps: tuple[tuple[Footprint, Footprint], ...]
    conditions: tuple[Condition, ...]


def alias_guards(facts: Nests, region: Loop, accesses: Sequence[Access], *, assume_no_alias: bool) -> Guards | Diagnostic:
    """The run-time checks for the arrays of a region (facts from `nests_within`).

    `assume_no_alias` speaks of parameters: a pointer that was swapped, selected or loaded may still be any of them.
    """
    groups = {array: [a for a in accesses if a.array == array] for array in dict.fromkeys(a.array for a in accesses)}
    objects = stack_objects(facts.function)
    written = {array for array, group in groups.items() if any(a.kind == "store" for a in group)}
    pairs = [
        (a, b)
        for index, a in enumerate(groups)
        for b in list(groups)[index + 1 :]
        if (a in written or b in written) and not _told_apart(facts.function, objects, a, b, assume_no_alias)
    ]
    footprints: dict[Var, tuple[_Footprint, ...]] = {}
    for pair in pairs:
        for array, other in (pair, pair[::-1]):
            unknown = _unbounded(facts, region, groups[array])
            found = () if unknown is not None else _footprints(facts, groups[array], array in written)
            if unknown is None and not found:
                unknown = groups[array][0]
            if unknown is not None:
                return _refusal(unknown, groups[other][0])
            footprints[array] = found
    overlaps = tuple((x.footprint, y.footprint) for a, b in pairs for x in footprints[a] for y in footprints[b])
    return Guards(overlaps, merged(*(f.conditions for found in footprints.values() for f in found)))


def may_meet(function: Function, blocks: Collection[str], *, assume_no_alias: bool) -> bool:
    """Whether a pair of arrays that some blocks access would need a check, before anything is known about their subscripts."""
    known, objects = definitions(function), stack_objects(function)
    bases: dict[Var, bool] = {}
    for _, access in function.instructions_in(blocks):
        if isinstance(access, Load | Store) and isinstance(access.pointer, Var):
            base = _base(known, access.pointer)
            bases[base] = bases.get(base, False) or isinstance(access, Store)
    pairs = ((a, b) for a, b in combinations(bases, 2) if bases[a] or bases[b])
    return any(not _told_apart(function, objects, a, b, assume_no_alias) for a, b in pairs)


def _base(known: Mapping[str, Definition], pointer: Var) -> Var:
    while isinstance(found := known.get(pointer.name), ElementPointer) and isinstance(found.base, Var):
        pointer = found.base
    return pointer


def _told_apart(function: Function, objects: StackObjects, left: Var, right: Var, assume_no_alias: bool) -> bool:
    """Whether the two arrays do not overlap: stack objects, separate objects, or by `restrict` or a hint."""
    if not objects.of(left).meets(objects.of(right)):
        return True
    found = {p.var: p for p in function.parameters}
    if left not in found or right not in found:
        return False
    own = found[left].own and found[right].own
    return assume_no_alias or own or found[left].restrict or found[right].restrict


def _unbounded(facts: Nests, region: Loop, group: Sequence[Access]) -> Access | None:
    """The first access of an array whose footprint has no closed form."""
    if facts.defined_in[group[0].array.name] in region.blocks:
        return group[0]
    return next((a for a in group if a.subscripts is None), None)


@dataclass(frozen=True, slots=True)
class _Footprint:
    footprint: Footprint
    conditions: tuple[Condition, ...]


def _footprints(facts: Nests, group: Sequence[Access], written: bool) -> tuple[_Footprint, ...]:
    """Ranges that cover all accesses of an array, merged where their ends compare; () when one has no bound."""
    found: list[_Footprint] = []
    places = {(a.block, a.extents): _bounds(facts, a) for a in {(a.block, a.extents): a for a in group}.values()}
    for block, extents, offset, element in dict.fromkeys((a.block, a.extents, flattened(a), a.element) for a in group):
        bounds = places[block, extents]
        ends = _ends(bounds, offset, extents)
        if ends is None:
            return ()
        low, high, conditions = ends
        _absorb(found, bounds, _Footprint(Footprint(group[0].array, element, low, high, written), conditions))
    return tuple(found)


def _absorb(found: list[_Footprint], bounds: Bounds, new: _Footprint) -> None:
    """Adds a range, as part of an earlier one where both ends compare."""
    for index, old in enumerate(found):
        low = _smaller(bounds, old.footprint.low, new.footprint.low)
        high = _smaller(bounds, -old.footprint.high, -new.footprint.high)
        if low is not None and high is not None and size_of(old.footprint.element) == size_of(new.footprint.element):
            joined = Footprint(new.footprint.array, old.footprint.element, low, -high, new.footprint.written)
            found[index] = _Footprint(joined, merged(old.conditions, new.conditions))
            return
    found.append(new)


def _smaller(bounds: Bounds, left: Polynomial, right: Polynomial) -> Polynomial | None:
    if bounds.proves(right - left):
        return left
    return right if bounds.proves(left - right) else None


def flattened(access: Access) -> Polynomial:
    """The offset in elements of an access with subscripts."""
    assert access.subscripts is not None
    offset = access.subscripts[0]
    for subscript, extent in zip(access.subscripts[1:], access.extents, strict=True):
        offset = offset * extent + subscript
    return offset


def _bounds(facts: Nests, access: Access) -> Bounds:
    """What is known where the access runs; the lengths of an array's dimensions are at least 1 there."""
    return bounds_at(facts, access.block, tuple(extent - 1 for extent in access.extents))


def _ends(
    bounds: Bounds, offset: Polynomial, extents: Iterable[Polynomial]
) -> tuple[Polynomial, Polynomial, tuple[Condition, ...]] | None:
    conditions: list[tuple[Condition, ...]] = [
        (Condition(extent - 1, "rows must not be empty"),) for extent in extents if extent.as_constant is None
    ]
    low, high = bounds.lower(offset), bounds.upper(offset)
    if low is None or high is None:
        signs = [_sign_condition(bounds, offset.coefficient(c.symbol)) for c in bounds.counters]
        assumed = tuple(c for c in signs if c is not None)
        bounds = bounds_of(bounds.counters, bounds.bits, (*bounds.facts, *(c.polynomial for c in assumed)))
        low, high = bounds.lower(offset), bounds.upper(offset)
        conditions.append(assumed)
    if low is None or high is None:
        return None
    return low, high, merged(*conditions)


def _sign_condition(bounds: Bounds, slope: Polynomial) -> Condition | None:
    low, high = bounds.interval(slope)
    return Condition(slope, "the stride must not be negative") if low < 0 < high else None


def _rivalry(access: Access, other: Access) -> str:
    """What the other access has to do with it: a store of the same type may change a bound or pointer that is read."""
    pair = (access.instruction, other.instruction)
    if isinstance(pair[0], Load) and isinstance(pair[1], Store) and not isinstance(access.subscripts, tuple):
        return f"this store to `{other.array.source_name}` may change what is read there"
    return f"`{other.array.source_name}` is accessed here"


def _refusal(access: Access, other: Access) -> Diagnostic:
    array, rival = access.array.source_name, other.array.source_name
    return Diagnostic(
        severity="error",
        code="TRV308",
        message=f"`{array}` and `{rival}` may overlap, and the elements of `{array}` that are accessed are not known beforehand",
        span=access.span,
        label=f"which elements of `{array}` this reaches is not known before the loops run",
        related=() if other.span is None else (Related(other.span, _rivalry(access, other)),),
        hint=f"declare `{array}` or `{rival}` restrict, or pass --assume-no-alias",
    )
