"""The facts that hold for one loop as a whole: what may be evaluated before it, and where its accesses go.

Closed forms treat every value that has none as a symbol of its own. Such a symbol is a parameter for the loops that do not
contain its definition, and unknown for those that do (`A[s + k]` with `s = first[j]` is affine in a loop over k, not in one
over j).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache

from tensorrv.nest.bounds import Bounds, CounterRange, bounds_of
from tensorrv.nest.closed_forms import merged
from tensorrv.nest.model import Access, Condition, Loop, Nests, counter
from tensorrv.nest.polynomial import Polynomial


def known_before(nests: Nests, polynomial: Polynomial, region: Loop) -> bool:
    """Whether every symbol but the counters is defined outside the loop."""
    return not any(nests.defined_in[name] in region.blocks for name in _names(polynomial))


def _names(polynomial: Polynomial) -> Iterator[str]:
    """The variables whose values occur: all symbols but the counters."""
    return (s.partition("%")[2] for monomial, _ in polynomial.terms for s in monomial if not s.startswith("@"))


def available_before(nests: Nests, polynomials: Iterable[Polynomial], region: Loop) -> bool:
    """Whether these can be computed before the loop runs: from counters of loops around it and values from outside."""
    found = tuple(polynomials)
    counters = {s[1:] for polynomial in found for s in polynomial.symbols if s.startswith("@")}
    around = all(header != region.header and region.header in nests.loops[header].blocks for header in counters)
    return around and all(known_before(nests, polynomial, region) for polynomial in found)


def bounds_at(nests: Nests, block: str, known: tuple[Polynomial, ...] = ()) -> Bounds:
    """What is known where the block runs; `known` are further facts >= 0."""
    ranges = []
    header = nests.innermost.get(block)
    while header is not None:
        trip = nests.loops[header].trip
        step, distance = (1, None) if trip is None else (abs(trip.step), trip.distance)
        ranges.append(CounterRange(counter(header), step, distance))
        header = nests.loops[header].parent
    return bounds_of(tuple(ranges), nests.bits, known)


def local_objects(nests: Nests, region: Loop) -> frozenset[str]:
    """The objects that are declared inside a loop, by their allocas."""
    return frozenset(name for name in nests.objects.allocas if nests.defined_in[name] in region.blocks)


@lru_cache(16)  # choosing, proving and shaping ask one after the other
def nests_within(nests: Nests, header: str) -> Nests:
    """The facts with everything removed that rests on a symbol or a condition unknown before the loop `header` is entered, and
    without the accesses of objects that are declared inside it.
    """
    region = nests.loops[header]
    local = local_objects(nests, region)
    inside = frozenset(name for name, label in nests.defined_in.items() if label in region.blocks)

    def known(polynomials: Iterable[Polynomial], conditions: Iterable[Condition]) -> bool:
        return all(inside.isdisjoint(_names(p)) for p in (*polynomials, *(c.polynomial for c in conditions)))

    def restricted_loop(loop: Loop) -> Loop:
        if loop.trip is None or known((loop.trip.distance, *loop.domain), loop.conditions):
            return loop
        return replace(loop, trip=None, start=None, domain=loop.domain[:1], conditions=())

    doubtful = frozenset[str]().union(*(loop.blocks for loop in nests.loops.values() if not known((), loop.conditions)))

    def restricted_access(access: Access) -> Access:
        if access.subscripts is None:
            return access
        polynomials, conditions = (*access.subscripts, *access.extents), (*access.conditions, *access.in_bounds)
        if access.block not in doubtful and known(polynomials, conditions):
            return access
        return replace(access, subscripts=None, conditions=(), in_bounds=())

    loops = {label: restricted_loop(loop) for label, loop in nests.loops.items()}
    accesses = tuple(restricted_access(a) for a in nests.accesses if not nests.objects.of(a.array).objects & local)
    granted = frozenset(_conditions(loops, accesses, region))

    def holds(name: str, polynomial: Polynomial, conditions: Iterable[Condition]) -> bool:
        return nests.defined_in[name] not in doubtful and known((polynomial,), ()) and granted.issuperset(conditions)

    def valid(forms: Mapping[str, Polynomial]) -> Mapping[str, Polynomial]:
        return {name: p for name, p in forms.items() if holds(name, p, nests.form_conditions.get(name, ()))}

    congruent = valid(nests.congruences)
    return replace(
        nests,
        loops=loops,
        accesses=accesses,
        closed_forms=valid(nests.closed_forms),
        congruences=congruent,
        form_conditions={name: found for name, found in nests.form_conditions.items() if name in congruent},
        pointers={name: form for name, form in nests.pointers.items() if holds(name, form.offset, form.conditions)},
    )


def conditions_of(nests: Nests, region: Loop, written: frozenset[str]) -> tuple[Condition, ...]:
    """All run-time conditions that the facts about one loop rest on, for facts from `nests_within`.

    That the inner subscripts of an array stay within their extents matters where it is written, or not stored in rows. Closed
    forms that rest on other conditions than these are not among the facts: arithmetic that no loop or address needs may wrap as
    it likes.
    """
    inside = [a for a in nests.accesses if a.block in region.blocks and a.subscripts is not None]
    bounds = [a.in_bounds for a in inside if a.array.name in written | nests.in_rows]
    return merged(_conditions(nests.loops, nests.accesses, region), *bounds)


def _conditions(loops: Mapping[str, Loop], accesses: Iterable[Access], region: Loop) -> tuple[Condition, ...]:
    """The conditions of the loops around and inside the region (bounds were proved with them) and of its addresses."""
    around = [loop.conditions for loop in loops.values() if loop.header in region.blocks or region.header in loop.blocks]
    return merged(*around, *(a.conditions for a in accesses if a.block in region.blocks and a.subscripts is not None))
