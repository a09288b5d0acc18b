"""Lists of initialisers for structs and arrays (C11 6.5.2.5, 6.7.9).

    struct { int n; double v[2]; } a[] = {{1, {2, 3}}, 4, 5, 6, [5].n = 7, [6 ... 8] = {9}}

An inner struct or array without braces of its own takes as many initialisers as it needs.
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from tensorrv.frontend.c.analyse.operators import require_complete
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import AggregateLiteral, Block, Decay, Declare, Expression, StatementValue, VariablePlace
from tensorrv.frontend.c.types.c_types import ArrayC, CType, PointerC, StructC, size_of_type, spell
from tensorrv.frontend.c.types.conversions import assigned
from tensorrv.frontend.c.types.declarations import constant_integer, has_effects
from tensorrv.frontend.c.types.object_parts import has_hidden

Parts = dict[int, Expression]


def compound_literal(a: Analysis, type_: CType, init: Any, node: Any) -> Expression:
    """`(struct s){...}`, `(int[]){...}`, `(int){...}`; an array is an object without a name, which lives in memory."""
    match type_:
        case StructC():
            return aggregate_literal(a, type_, init)
        case ArrayC():
            sized = ArrayC(type_.element, initialised_length(a, type_, init)) if type_.extent is None else type_
            if size_of_type(sized) is None or a.hidden is None:
                a.give_up("TRV044", "a literal of this type is not supported", node, "an array")
            variable = Variable("literal", sized, a.span(node))
            declared = Declare(variable, aggregate_literal(a, sized, init), a.span(node))
            place = VariablePlace(sized, variable, a.span(node))
            pointer = PointerC(sized.element)
            return StatementValue(pointer, Block((declared,)), Decay(pointer, place, a.span(node)), a.span(node))
        case _:
            if len(init.exprs) != 1:
                a.refuse("TRV016", "a scalar cannot be initialised by a list in braces", init, "an initialiser list")
            return assigned(a, a.expression(a, init.exprs[0]), type_, init, "the literal")


def aggregate_literal(a: Analysis, type_: ArrayC | StructC, init: Any) -> AggregateLiteral:
    """A list of initialisers in braces as a struct or array."""
    if isinstance(type_, StructC):
        require_complete(a, type_, init)
    if has_hidden(type_):
        a.give_up("TRV030", "a struct with members outside the subset is initialised", init, f"a '{spell(type_)}'")
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
            position, last = _designated(a, type_, item)
            if last > position or len(item.name) > 1:
                _designate(a, type_, (position, last), items, offset, parts)
                position, end = last + 1, max(end, last + 1)
                continue
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
            a.refuse("TRV016", "a scalar cannot be initialised by a list in braces", item, "an initialiser list")
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


def _designate(
    a: Analysis, type_: ArrayC | StructC, positions: tuple[int, int], items: list[Any], offset: int, parts: Parts
) -> None:
    """`[1].x = value` and `[2 ... 5] = value`."""
    item = items.pop(0)
    first, last = positions
    if last >= _count(type_):
        a.refuse("TRV016", f"'{spell(type_)}' has {_count(type_)} elements", item.expr, "one initialiser too many")
    nested = c_ast.NamedInitializer(item.name[1:], item.expr, item.coord) if len(item.name) > 1 else None
    if items and nested is not None and not isinstance(items[0], c_ast.NamedInitializer):
        a.give_up("TRV044", "an initialiser without a designator follows one with several", items[0], "whose place is not clear")
    for position in range(first, last + 1):
        where, inner = _slot(type_, position)
        if nested is None:
            _initialise(a, inner, [item.expr], offset + where, parts)
        elif isinstance(inner, ArrayC | StructC):
            _fill(a, inner, [nested], offset + where, parts, braces=True)
        else:
            a.refuse("TRV012", f"a '{spell(inner)}' has no parts", item.expr, "initialised here")


def _designated(a: Analysis, type_: ArrayC | StructC, item: Any) -> tuple[int, int]:
    """The first and last position that `.name =`, `[k] =` or `[k ... l] =` stands for."""
    designator = item.name[0]
    if isinstance(type_, ArrayC) and isinstance(designator, c_ast.ArrayDesignator):
        bounds = designator.expr
        ranged = isinstance(bounds, c_ast.BinaryOp) and bounds.op == "..."
        first, last = (
            constant_integer(a, bound) for bound in ((bounds.left, bounds.right) if ranged else (bounds, bounds))
        )
        if first < 0:
            a.refuse("TRV016", "a subscript must not be negative", item.expr, f"element {first}")
        if last > first and not isinstance(item.expr, c_ast.InitList) and has_effects(a.expression(a, item.expr)):
            a.give_up("TRV044", "an initialiser with side effects for several elements is not supported", item.expr, "reused")
        return first, max(first, last)
    if isinstance(type_, StructC) and isinstance(designator, c_ast.ID):
        names = [member.name for member in type_.record.members or ()]
        if designator.name in names:
            return (names.index(designator.name),) * 2
    a.give_up("TRV044", "this designator is not supported", item.expr, "initialised here")
