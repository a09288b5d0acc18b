"""Which variables of a function live in memory: arrays, and those whose address is taken. All others are SSA values.

    int a[4]; a[k] = 1;          struct { float v[3]; } s; s.v[k] = 1;          f(&x);          p = s.v;

An element with a constant subscript of an array in a struct does not need the address of the struct.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensorrv.frontend.c_types import ArrayC
from tensorrv.frontend.scope import Variable
from tensorrv.frontend.tree import AddressOf, Decay, Declare, PartOf, Statement, VariablePlace
from tensorrv.frontend.walk import parts


def variables_in_memory(body: Statement) -> frozenset[Variable]:
    """The variables that `body` declares as arrays, or computes with the address of."""
    return frozenset(_found(body))


def _found(node: object) -> Iterator[Variable]:
    match node:
        case Declare(variable=Variable(type=ArrayC()) as variable):
            yield variable
        case Decay(array=place) | AddressOf(place=place):
            root = place.whole if isinstance(place, PartOf) else place
            if isinstance(root, VariablePlace):
                yield root.variable
        case _:
            pass
    for child in parts(node):
        yield from _found(child)
