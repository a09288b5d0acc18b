"""Values that loops leave behind, in closed form."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rv.evolution.facts import Loop, LoopFacts
from rv.evolution.polynomial import Polynomial
from rv.ir.values import Value, Var


def left_loop(loops: Mapping[str, Loop], headers: Iterable[str], label: str) -> Loop | None:
    """The loop, of those with the given headers, whose exit block is `label`."""
    return next((loops[header] for header in headers if loops[header].exit == label), None)


@dataclass(frozen=True, slots=True)
class LiveOutForm:
    """An integer, or the number of bytes that a pointer is behind `base`."""

    polynomial: Polynomial
    base: Var | None


def live_out_form(facts: LoopFacts, value: Value) -> LiveOutForm | None:
    """The closed form, still over the counter of its loop, of a value of a header that is read after the loop."""
    if not isinstance(value, Var):
        return None
    pointer = facts.pointers.get(value.name)
    if pointer is not None:
        return LiveOutForm(pointer.offset, pointer.base)
    form = facts.congruences.get(value.name)
    return None if form is None else LiveOutForm(form, None)
