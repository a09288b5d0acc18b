"""The facts that hold for one loop as a whole, whatever its iterations compute.

Closed forms treat every value that has none as a symbol of its own. Such a symbol is a parameter for the loops that do not
contain its definition, and unknown for those that do.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from dataclasses import replace

from rv.evolution.facts import Condition, Loop, LoopFacts
from rv.evolution.polynomial import Polynomial


def facts_within(facts: LoopFacts, header: str) -> LoopFacts:
    """The facts without those that rest on a symbol or a condition unknown before the loop `header` is entered."""
    region = facts.loops[header]

    def known(*polynomials: Polynomial) -> bool:
        return not any(facts.defined_in[name] in region.blocks for p in polynomials for name in names_in(p))

    loops = {h: loop if _is_known(loop, known) else _uncounted(loop) for h, loop in facts.loops.items()}
    granted = frozenset(conditions_of(loops, region))
    held = {name for name, needed in facts.form_conditions.items() if granted.issuperset(needed)}
    unheld = facts.form_conditions.keys() - held
    congruences = {n: form for n, form in facts.congruences.items() if n not in unheld and known(form)}
    return replace(
        facts,
        loops=loops,
        closed_forms={n: form for n, form in facts.closed_forms.items() if n not in unheld and known(form)},
        congruences=congruences,
        form_conditions={n: needed for n, needed in facts.form_conditions.items() if n in congruences},
        pointers={n: p for n, p in facts.pointers.items() if granted.issuperset(p.conditions) and known(p.offset)},
    )


def _is_known(loop: Loop, known: Callable[..., bool]) -> bool:
    trip = () if loop.trip is None else (loop.trip.distance, *loop.domain)
    return known(*trip, *(condition.polynomial for condition in loop.conditions))


def _uncounted(loop: Loop) -> Loop:
    return loop if loop.trip is None else replace(loop, trip=None, start=None, domain=loop.domain[:1], conditions=())


def names_in(polynomial: Polynomial) -> Iterator[str]:
    """The variables whose values occur: all symbols but the counters."""
    return (s.name for monomial, _ in polynomial.terms for s in monomial if not s.is_counter)


def conditions_of(loops: Mapping[str, Loop], region: Loop) -> Collection[Condition]:
    """The conditions that the facts about the loops around and inside a region rest on."""
    near = (loop for loop in loops.values() if loop.header in region.blocks or region.header in loop.blocks)
    return dict.fromkeys(condition for loop in near for condition in loop.conditions)
