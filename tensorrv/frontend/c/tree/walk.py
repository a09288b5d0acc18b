"""Walking over the typed tree without naming every kind of node."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields, is_dataclass

from rv.ir.source import Span
from tensorrv.frontend.c.analyse.scope import FunctionName, Table, Variable
from tensorrv.frontend.c.tree.nodes import Loop


def has_loop(node: object) -> bool:
    """Whether there is a loop in a part of the tree."""
    return isinstance(node, Loop) or any(map(has_loop, parts(node)))


def parts(node: object) -> Iterator[object]:
    """The parts of a node of the typed tree: statements, expressions, places."""
    if isinstance(node, tuple):
        yield from node
    elif is_dataclass(node) and not isinstance(node, Variable | Table | FunctionName | Span):
        for part in fields(node):
            child = getattr(node, part.name)
            if part.name != "type" and (isinstance(child, tuple) or is_dataclass(child)):
                yield child
