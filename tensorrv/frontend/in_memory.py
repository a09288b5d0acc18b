"""Which variables of a function live in memory: arrays, and those whose address is taken. All others are SSA values.

    int a[4]; a[k] = 1;          struct { float v[3]; } s; s.v[k] = 1;          f(&x);          p = s.v;

An element with a constant subscript of an array in a struct does not need the address of the struct.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from rv.ir.source import Span
from tensorrv.frontend.c_types import ArrayC
from tensorrv.frontend.scope import FunctionName, Table, Variable
from tensorrv.frontend.tree import AddressOf, Decay, Declare, PartOf, Statement, VariablePlace


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
    for child in _children(node):
        yield from _found(child)


def _children(node: object) -> Iterator[object]:
    """The parts of a node of the typed tree: statements, expressions, places."""
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node) and not isinstance(node, Variable | Table | FunctionName | Span):
        for part in fields(node):
            child = getattr(node, part.name)
            if part.name != "type" and (isinstance(child, tuple) or is_dataclass(child)):
                yield child
