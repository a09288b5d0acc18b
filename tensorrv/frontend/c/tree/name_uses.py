"""Names in a part of the source, before it is analysed: what a construct of OpenMP has of its own depends on them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from typing import Any, Final

from pycparser import c_ast

_CHANGES: Final = frozenset({"++", "--", "p++", "p--", "&"})


def uses(node: Any) -> Counter[str]:
    """How often each name is used."""
    return Counter(here.name for here in _walk(node) if isinstance(here, c_ast.ID))


def assigned_names(node: Any) -> tuple[frozenset[str], frozenset[str]]:
    """The names of objects that may be assigned to as a whole, and of those that may in part: elements, members."""
    places = [here.lvalue for here in _walk(node) if isinstance(here, c_ast.Assignment)]
    places += [here.expr for here in _walk(node) if isinstance(here, c_ast.UnaryOp) and here.op in _CHANGES]
    whole = frozenset(place.name for place in places if isinstance(place, c_ast.ID))
    partly = frozenset(name for name in map(_object, places) if name)
    return whole, partly


def _object(place: Any) -> str:
    """The name of the object that a place is in; none behind a pointer that is computed or followed."""
    while isinstance(place, c_ast.ArrayRef | c_ast.StructRef):
        if isinstance(place, c_ast.StructRef) and place.type == "->":
            return ""
        place = place.name
    return str(place.name) if isinstance(place, c_ast.ID) else ""


def _walk(node: Any) -> Iterator[Any]:
    pending = [node]
    while pending:
        here = pending.pop()
        yield here
        pending += [child for _, child in here.children()]
