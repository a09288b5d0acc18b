"""Run-time checks of overlap for arrays in their layouts.

The elements that a nest touches lie scattered over the stored array, so the check covers all of it.
"""

from __future__ import annotations

from dataclasses import replace

from rv.evolution.facts import Footprint, Legal
from rv.evolution.polynomial import Polynomial
from rv.ir.function import Function
from tensorrv.interface.storage.arrays import span_of
from tensorrv.interface.storage.relayout import Relayout
from tensorrv.report.diagnostics import Diagnostic, Related


def stored_overlaps(relayout: Relayout, legal: Legal, function: Function) -> Legal | Diagnostic:
    """The verdict with footprints that cover arrays with a layout; a refusal where an array does not declare its length."""
    pairs: list[tuple[Footprint, Footprint]] = []
    for pair in legal.overlaps:
        for footprint in pair:
            stored = relayout.stored.get(footprint.array.name)
            if stored is not None and stored.count is None:
                return _unknown_length(footprint.array.name, pair, function)
        left, right = (_whole(relayout, footprint) for footprint in pair)
        pairs.append((left, right))
    return replace(legal, overlaps=tuple(pairs))


def _whole(relayout: Relayout, footprint: Footprint) -> Footprint:
    stored = relayout.stored.get(footprint.array.name)
    if stored is None or stored.count is None:
        return footprint
    return replace(footprint, element=stored.array.element, low=Polynomial(), high=stored.count - 1)


def _unknown_length(name: str, pair: tuple[Footprint, Footprint], function: Function) -> Diagnostic:
    other = next(footprint.array.name for footprint in pair if footprint.array.name != name)
    return Diagnostic(
        "error",
        "TRV154",
        f"whether '{name}', which has a layout and no declared length, overlaps '{other}' cannot be tested at run time",
        span_of(function, name),
        f"how many elements `{name}` has is not declared",
        related=() if (place := span_of(function, other)) is None else (Related(place, f"`{other}` is declared here"),),
        hint="declare the pointers `restrict` or the array with all its lengths, or pass --assume-no-alias",
    )
