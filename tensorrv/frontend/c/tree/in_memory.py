"""Which variables of a function live in memory: arrays, and those whose address is taken. All others are SSA values.

    int a[4]; a[k] = 1;          struct { float v[3]; } s; s.v[k] = 1;          f(&x);          p = s.v;

An element with a constant subscript of an array in a struct does not need the address of the struct.
"""

from __future__ import annotations

from collections.abc import Iterator

from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.tree.nodes import (
    AddressOf,
    CallFunction,
    Decay,
    Declare,
    Element,
    Offset,
    PartOf,
    Read,
    Statement,
    TablePlace,
    VariablePlace,
)
from tensorrv.frontend.c.tree.walk import parts
from tensorrv.frontend.c.types.c_types import ArrayC


def variables_in_memory(body: Statement) -> frozenset[Variable]:
    """The variables that `body` declares as arrays, or computes with the address of."""
    return frozenset(_found(body))


def variables_given_away(body: Statement) -> tuple[tuple[Variable, str], ...]:
    """The variables whose address is in an argument of a call, with the name of the function that is called."""
    return tuple(_given(body))


def _given(node: object) -> Iterator[tuple[Variable, str]]:
    if isinstance(node, CallFunction):
        yield from ((variable, node.function.name) for argument in node.arguments for variable in _found(argument))
    for child in parts(node):
        yield from _given(child)


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


def modified_variables(body: Statement) -> frozenset[Variable]:
    """The variables that `body` may modify: all that it does not only read, by name and subscripts."""
    return frozenset(_modified(body))


def _modified(node: object) -> Iterator[Variable]:
    match node:
        case Read(place=place):
            yield from _modified_to_read(place)
        case VariablePlace(variable=variable):
            yield variable
        case _:
            for child in parts(node):
                yield from _modified(child)


def _modified_to_read(node: object) -> Iterator[Variable]:
    """What evaluating the subscripts of a place that is read may modify."""
    match node:
        case VariablePlace():
            pass
        case PartOf(whole=inner) | Element(pointer=inner) | Decay(array=inner):
            yield from _modified_to_read(inner)
        case Offset(pointer=pointer, index=index):
            yield from _modified_to_read(pointer)
            yield from _modified(index)
        case TablePlace(index=index):
            yield from _modified(index)
        case _:
            yield from _modified(node)
