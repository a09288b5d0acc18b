"""The refusal of a brush for a dependence that may not exist: what the proof lacked.

Given a pair of accesses for which the constraints that the proof could use have a solution, but no run of the function has such
a conflict.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.values.uses import definitions
from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, Symbol, counter
from tensorrv.nest.affine.derived import described
from tensorrv.nest.affine.spelling import spelled
from tensorrv.nest.legality.dependence import Scheduled, Violation, subscripts_of
from tensorrv.nest.model import Nests
from tensorrv.report.diagnostics import Diagnostic, Related


def explain_unproved(facts: Nests, what: str, violation: Violation, hint: str) -> Diagnostic:
    """`what` is not proved to be legal, because of two accesses of which nothing is known to be wrong."""
    first, second = violation.source, violation.sink
    name = first.access.array.source_name
    lacked = next(_lacked(facts, violation), "the search for conflicting iterations was inconclusive")
    place = second.access.span
    return Diagnostic(
        severity="error",
        code="TRV316",
        message=f"it is not proved that {what} preserves the dependences through `{name}`: {lacked}",
        span=first.access.span,
        label="this may access an element" if place is not None else "two iterations may access the same element here",
        related=() if place is None else (Related(place, "that another iteration accesses here"),),
        hint=hint,
    )


def _lacked(facts: Nests, violation: Violation) -> Iterator[str]:
    """What the constraints lack, most likely causes first."""
    sides = (violation.source, violation.sink)
    yield from dict.fromkeys(text for side in sides for text in _subscripts(facts, side))
    yield from dict.fromkeys(text for side in sides for text in _products(side))
    for loop in dict.fromkeys(loop for side in sides for loop in side.loops):
        if loop.trip is None:
            yield f"the trip count of the {loop.called} is not known"
    for side in sides:
        if not _is_always_reached(facts, side):
            yield f"`{side.access.array.source_name}` is accessed under a condition, which the proof assumes to be always true"


def _subscripts(facts: Nests, side: Scheduled) -> Iterator[str]:
    """Numbers in the subscripts that stand for themselves."""
    known, described_symbols = definitions(facts.function), described(facts)
    for symbol in sorted(frozenset[Symbol]().union(*(s.symbols for s in subscripts_of(side) if s is not None))):
        name = symbol.name
        if name in known and symbol not in described_symbols:
            yield f"the subscript `{spelled(facts, name)}` is not affine, and nothing is known about its value"


def _products(side: Scheduled) -> Iterator[str]:
    loops = {counter(loop.header): loop for loop in side.loops}
    for subscript in subscripts_of(side):
        for monomial, _ in () if subscript is None else subscript.terms:
            if len(monomial) > 1 and any(symbol in loops for symbol in monomial):
                product = Polynomial.of({monomial: 1}).readable({s: loop.name for s, loop in loops.items()})
                array = side.access.array.source_name
                yield f"the row length of `{array}` could not be derived from the product `{product}` in a subscript"


def _is_always_reached(facts: Nests, side: Scheduled) -> bool:
    """Whether every iteration of the innermost loop around an access executes it."""
    loop: Loop = side.loops[-1]
    return dominator_tree(flow_graph(facts.function)).dominates(side.access.block, loop.latch)
