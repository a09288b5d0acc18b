"""What running a kernel needs besides its code: the signature, the elements it touches, the iterations it makes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.evolution.facts import Loop
from rv.transform.prepare import prepare
from tensorrv.interface.c_signature import signature_of
from tensorrv.interface.footprint.slicing import program_of
from tensorrv.interface.nest_reaches import size_names
from tensorrv.interface.reach import KernelReaches, Reaches
from tensorrv.interface.signature import Signature
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Nests
from tensorrv.unit.unit import Unit


@dataclass(frozen=True, slots=True)
class Interface:
    signature: Signature
    reaches: Reaches
    nests: Nests


def interface_of(function: Unit) -> Interface:
    """The interface of a C function, from its scalar code."""
    nests = analyze_nests(prepare(function.function))
    signature = signature_of(function, size_names(nests))
    elements = {array.name: array.element_size for array in signature.arrays}
    return Interface(signature, KernelReaches(program_of(nests.function), elements), nests)


def innermost_iterations(nests: Nests, values: Mapping[str, int]) -> int | None:
    """How often the bodies of innermost loops run in one call; None where trip counts vary or are unknown."""
    parents = {loop.parent for loop in nests.loops.values()}
    total = 0
    for loop in nests.loops.values():
        if loop.header not in parents:
            count = _iterations(nests, loop, values)
            if count is None:
                return None
            total += count
    return total


def _iterations(nests: Nests, loop: Loop, values: Mapping[str, int]) -> int | None:
    """The product of the trip counts of a loop and those around it."""
    around = 1 if loop.parent is None else _iterations(nests, nests.loops[loop.parent], values)
    if around == 0:
        return 0
    if around is None or loop.trip is None:
        return None
    if not all(symbol.is_variable and symbol.name in values for symbol in loop.trip.distance.symbols):
        return None
    distance = loop.trip.distance.valued(values)
    return around * max(0, -(-distance // abs(loop.trip.step)))
