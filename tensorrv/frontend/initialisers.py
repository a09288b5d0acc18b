"""Lists of initialisers for structs and arrays (C11 6.5.2.5, 6.7.9).

    struct { int n; double v[2]; } a[] = {{1, {2, 3}}, 4, 5, 6, [5].n = ...}        (nested designators are not supported)

An inner struct or array without braces of its own takes as many initialisers as it needs.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from tensorrv.frontend.analysis import Analysis
from tensorrv.frontend.c_types import ArrayC, CType, StructC, size_of_type, spell
from tensorrv.frontend.conversions import assigned
from tensorrv.frontend.declarations import constant_integer
from tensorrv.frontend.operators import require_complete
from tensorrv.frontend.tree import AggregateLiteral, Expression

Parts = dict[int, Expression]


def compound_literal(a: Analysis, type_: CType, init: Any, node: Any) -> Expression:
    """`(struct s){...}`."""
    if not isinstance(type_, StructC):
        a.give_up("TRV044", "this expression is outside the supported C subset", node, "not supported")
    return aggregate_literal(a, type_, init)


def aggregate_literal(a: Analysis, type_: ArrayC | StructC, init: Any) -> AggregateLiteral:
    """A list of initialisers in braces as a struct or array."""
    if isinstance(type_, StructC):
        require_complete(a, type_, init)
    parts: Parts = {}
    _fill(a, type_, list(init.exprs), 0, parts, braces=True)
    return AggregateLiteral(type_, tuple(parts.items()), a.span(init))


def initialised_length(a: Analysis, type_: ArrayC, init: Any) -> int:
    """The number of elements that a list gives an array of unknown length."""
    return _fill(a, type_, list(init.exprs), 0, {}, braces=True)


def _fill(a: Analysis, type_: ArrayC | StructC, items: list[Any], offset: int, parts: Parts, *, braces: bool) -> int:
    """Takes from `items` what initialises an object at a byte offset; one past the last position that was initialised.

    With `braces` the list is the object's own, and it must take all of it.
    """
    position = end = 0
    while items and (braces or position < _count(type_)):
        item = items[0]
        if isinstance(item, c_ast.NamedInitializer):
            if not braces:
                break
            position = _designated(a, type_, item)
            items[0] = item = item.expr
        if position >= _count(type_):
            a.refuse("TRV016", f"'{spell(type_)}' has {_count(type_)} elements", item, "one initialiser too many")
        where, inner = _slot(type_, position)
        _initialise(a, inner, items, offset + where, parts)
        position += 1
        end = max(end, position)
    return end


def _initialise(a: Analysis, type_: CType, items: list[Any], offset: int, parts: Parts) -> None:
    """Takes the initialisers of one part of an object."""
    item = items[0]
    if isinstance(type_, ArrayC | StructC):
        if isinstance(item, c_ast.InitList):
            _fill(a, type_, list(items.pop(0).exprs), offset, parts, braces=True)
            return
        if isinstance(type_, ArrayC) or not isinstance(a.expression(a, item).type, StructC):
            _fill(a, type_, items, offset, parts, braces=False)
            return
    elif isinstance(item, c_ast.InitList):
        if len(item.exprs) != 1:
            a.refuse("TRV016", "a list in braces cannot initialise a scalar", item, "an initialiser list")
        item = item.exprs[0]
    items.pop(0)
    for inside in [k for k in parts if offset <= k < offset + (size_of_type(type_) or 0)]:
        del parts[inside]  # initialised again
    parts[offset] = assigned(a, a.expression(a, item), type_, item, "the initialiser")


def _count(type_: ArrayC | StructC) -> float:
    """How many parts a list goes through."""
    if isinstance(type_, StructC):
        return len(type_.record.members or ())
    return type_.extent if isinstance(type_.extent, int) else float("inf")


def _slot(type_: ArrayC | StructC, position: int) -> tuple[int, CType]:
    """Offset and type of one part."""
    if isinstance(type_, StructC):
        member = (type_.record.members or ())[position]
        return member.offset, member.type
    return position * (size_of_type(type_.element) or 0), type_.element


def _designated(a: Analysis, type_: ArrayC | StructC, item: Any) -> int:
    """The position that `.name =` or `[k] =` stands for."""
    (designator, *more) = item.name
    if not more and isinstance(type_, ArrayC) and isinstance(designator, c_ast.ArrayDesignator):
        position = constant_integer(a, designator.expr)
        if position < 0:
            a.refuse("TRV016", "a subscript must not be negative", item.expr, f"element {position}")
        return position
    if not more and isinstance(type_, StructC) and isinstance(designator, c_ast.ID):
        names = [member.name for member in type_.record.members or ()]
        if designator.name in names:
            return names.index(designator.name)
    a.give_up("TRV044", "this designator is not supported", item.expr, "initialised here")
