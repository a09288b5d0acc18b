"""Run-time checks of overlap for arrays in their layouts.

The elements that a nest touches lie scattered over the stored array, so the check covers all of it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rv.evolution.facts import Footprint, Legal
from rv.evolution.polynomial import Polynomial
from rv.ir.function import Function
from tensorrv.interface.storage.arrays import LaidOutArray, span_of
from tensorrv.interface.storage.lengths import EntryCode, stored_count, stored_lengths
from tensorrv.report.diagnostics import Diagnostic, Related


def stored_overlaps(arrays: Mapping[str, LaidOutArray], legal: Legal, code: EntryCode) -> Legal | Diagnostic:
    """The verdict with footprints that cover arrays with a layout; a refusal where an array does not declare its length.

    `code` gets what computes the numbers of their elements.
    """
    pairs: list[tuple[Footprint, Footprint]] = []
    for pair in legal.overlaps:
        whole = tuple(_whole(arrays, footprint, code) for footprint in pair)
        unknown = next((old.array.name for old, new in zip(pair, whole, strict=True) if new is None), None)
        if unknown is not None:
            return _unknown_length(unknown, pair, code.function)
        left, right = (footprint for footprint in whole if footprint is not None)
        pairs.append((left, right))
    return replace(legal, overlaps=tuple(pairs))


def _whole(arrays: Mapping[str, LaidOutArray], footprint: Footprint, code: EntryCode) -> Footprint | None:
    """The footprint, that of all elements for an array with a layout; None where their number is not declared."""
    array = arrays.get(footprint.array.name)
    if array is None:
        return footprint
    count = stored_count(stored_lengths(code, array))
    return None if count is None else replace(footprint, element=array.element, low=Polynomial(), high=count - 1)


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
