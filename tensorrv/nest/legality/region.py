"""The facts that hold for one loop as a whole: what may be evaluated before it, and where its accesses go.

Closed forms treat every value that has none as a symbol of its own. Such a symbol is a parameter for the loops that do not
contain its definition, and unknown for those that do (`A[s + k]` with `s = first[j]` is affine in a loop over k, not in one
over j).
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

from rv.evolution.bounds import Bounds, CounterRange, bounds_of
from rv.evolution.closed_forms import merged
from rv.evolution.facts import Condition, Loop
from rv.evolution.polynomial import Polynomial, counter
from tensorrv.nest.model import Access, Nests

T = TypeVar("T")


def known_before(nests: Nests, polynomial: Polynomial, region: Loop) -> bool:
    """Whether every symbol but the counters is defined outside the loop."""
    return not any(nests.defined_in[name] in region.blocks for name in _names(polynomial))


def _names(polynomial: Polynomial) -> Iterator[str]:
    """The variables whose values occur: all symbols but the counters."""
    return (s.name for monomial, _ in polynomial.terms for s in monomial if not s.is_counter)


def available_before(nests: Nests, polynomials: Iterable[Polynomial], region: Loop) -> bool:
    """Whether these can be computed before the loop runs: from counters of loops around it and values from outside."""
    found = tuple(polynomials)
    counters = {s.name for polynomial in found for s in polynomial.symbols if s.is_counter}
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


@lru_cache(16)  # choosing, proving and shaping use them one after the other
def nests_within(nests: Nests, header: str, tested: frozenset[Condition] | None = None) -> Nests:
    """The facts as they are known before the loop with this header is entered; see `facts_within`."""
    return facts_within(nests, nests.loops[header], tested)


def facts_within(nests: Nests, region: Loop, tested: frozenset[Condition] | None = None) -> Nests:
    """The facts with everything removed that rests on a symbol or a condition unknown before a region is entered, and without
    the accesses of objects that are declared inside it.

    `tested` are the run-time conditions that hold whenever it is entered; None: a test for all that loops and addresses rest on
    (`conditions_of`) can still be made.
    """
    local = local_objects(nests, region)
    index = _index(nests)
    unknown = index.resting_on(region)
    if tested is not None:
        unknown |= frozenset(_untested(nests, region, tested))
    doubtful = frozenset[str]().union(*(nests.loops[h].blocks for kind, h in unknown if kind == "conditions"))

    loops = {**nests.loops, **{h: _uncounted(nests.loops[h]) for kind, h in unknown if kind in ("trip", "conditions")}}
    anywhere = {int(number) for kind, number in unknown if kind == "access"}
    anywhere |= {number for label in doubtful for number in index.accesses.get(label, ())}
    accesses = nests.accesses
    if anywhere or local:
        accesses = tuple(
            _unsubscripted(access) if number in anywhere else access
            for number, access in enumerate(nests.accesses)
            if not nests.objects.of(access.array).objects & local
        )
    if any(access.rows is not None for access in accesses):
        accesses = tuple(_with_known_rows(nests, region, access, doubtful) for access in accesses)
    granted = frozenset(_conditions(loops, accesses, region)) if tested is None else tested
    unproved = index.defined_in(doubtful) | index.needing_more_than(granted)
    unheld = {kind: unproved.union(name for k, name in unknown if k == kind) for kind in ("exact", "congruent", "pointer")}
    congruent = _without(nests.congruences, unheld["congruent"])
    return replace(
        nests,
        loops=loops,
        accesses=accesses,
        closed_forms=_without(nests.closed_forms, unheld["exact"]),
        congruences=congruent,
        form_conditions={name: found for name, found in nests.form_conditions.items() if name in congruent},
        pointers=_without(nests.pointers, unheld["pointer"]),
    )


def _untested(nests: Nests, region: Loop, tested: frozenset[Condition]) -> Iterator[Fact]:
    """The loops and accesses of a region that rest on conditions which are not tested."""
    written = frozenset(a.array.name for a in nests.accesses if a.kind == "store" and a.block in region.blocks)
    for header, loop in nests.loops.items():
        if header in region.blocks and not tested.issuperset(loop.conditions):
            yield "conditions", header
    for number, access in enumerate(nests.accesses):
        in_rows = access.in_bounds if access.array.name in written | nests.in_rows else ()
        if access.block in region.blocks and not tested.issuperset((*access.conditions, *in_rows)):
            yield "access", str(number)


def _with_known_rows(nests: Nests, region: Loop, access: Access, doubtful: Collection[str]) -> Access:
    """The access with those of its rows that rest on conditions which are known before the region."""
    if access.rows is None or access.block in doubtful:
        return replace(access, rows=None) if access.rows is not None else access
    known = (row is not None and all(known_before(nests, c.polynomial, region) for c in row.conditions) for row in access.rows)
    return replace(access, rows=tuple(row if holds else None for row, holds in zip(access.rows, known, strict=True)))


def _uncounted(loop: Loop) -> Loop:
    return replace(loop, trip=None, start=None, domain=loop.domain[:1], conditions=()) if loop.trip is not None else loop


def _unsubscripted(access: Access) -> Access:
    return replace(access, subscripts=None, conditions=(), in_bounds=()) if access.subscripts is not None else access


Fact = tuple[str, str]
"""What kind of fact, and about what: ("trip", header), ("conditions", header), ("access", its number), or ("exact", ...),
("congruent", ...) and ("pointer", ...) with the name of a variable.
"""


@dataclass(frozen=True, slots=True)
class _Index:
    """Which facts about a function rest on which variable, so that only the facts of a nest are visited."""

    names: Mapping[str, Sequence[str]]
    """The variables that each block defines."""
    mentions: Mapping[str, Sequence[Fact]]
    """The facts that mention a variable."""
    conditional: Mapping[tuple[Condition, ...], Sequence[str]]
    """The variables whose closed forms hold under the same conditions."""
    accesses: Mapping[str, Sequence[int]]
    """The numbers of the accesses of each block."""

    def resting_on(self, region: Loop) -> frozenset[Fact]:
        """The facts that mention a variable of the region."""
        inside = (name for label in region.blocks for name in self.names.get(label, ()))
        return frozenset(fact for name in inside for fact in self.mentions.get(name, ()))

    def defined_in(self, blocks: Iterable[str]) -> frozenset[str]:
        return frozenset(name for label in blocks for name in self.names.get(label, ()))

    def needing_more_than(self, granted: frozenset[Condition]) -> frozenset[str]:
        """The variables whose forms hold under other conditions than these."""
        return frozenset(n for needed, names in self.conditional.items() if not granted.issuperset(needed) for n in names)


@lru_cache(4)
def _index(nests: Nests) -> _Index:
    names: dict[str, list[str]] = {}
    for name, label in nests.defined_in.items():
        names.setdefault(label, []).append(name)
    mentions: dict[str, list[Fact]] = {}
    for fact, polynomials in _facts(nests):
        for polynomial in polynomials:
            for name in _names(polynomial):
                mentions.setdefault(name, []).append(fact)
    conditional: dict[tuple[Condition, ...], list[str]] = {}
    for name, conditions in nests.form_conditions.items():
        conditional.setdefault(conditions, []).append(name)
    for name, form in nests.pointers.items():
        conditional.setdefault(form.conditions, []).append(name)
    accesses: dict[str, list[int]] = {}
    for number, access in enumerate(nests.accesses):
        accesses.setdefault(access.block, []).append(number)
    return _Index(names, mentions, conditional, accesses)


def _facts(nests: Nests) -> Iterator[tuple[Fact, Iterable[Polynomial]]]:
    """All facts, with the polynomials that they consist of."""
    for header, loop in nests.loops.items():
        if loop.trip is not None:
            yield ("trip", header), (loop.trip.distance, *loop.domain)
        yield ("conditions", header), (c.polynomial for c in loop.conditions)
    for number, access in enumerate(nests.accesses):
        conditions = (c.polynomial for c in (*access.conditions, *access.in_bounds))
        yield ("access", str(number)), (*(access.subscripts or ()), *access.extents, *conditions)
    for kind, forms in (("exact", nests.closed_forms), ("congruent", nests.congruences)):
        for name, form in forms.items():
            yield (kind, name), (form,)
    for name, pointer in nests.pointers.items():
        yield ("pointer", name), (pointer.offset,)


def _without(found: Mapping[str, T], dropped: frozenset[str]) -> Mapping[str, T]:
    return {name: fact for name, fact in found.items() if name not in dropped}


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
