"""Constant arrays with initialisers (C11 6.7.9): they need no memory, because every element is known.

    static const double w[3] = {0.25, 0.5, 0.25};        w[1] is 0.5;  w[k] selects among the three
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from tensorrv.frontend.analysis import Analysis
from tensorrv.frontend.c_types import ArrayC, CType, FloatingC, IntegerC, innermost, is_const
from tensorrv.frontend.conversions import assigned
from tensorrv.frontend.declarations import constant_integer
from tensorrv.frontend.scope import Table
from tensorrv.frontend.tree import Literal

Number = int | float


def constant_table(a: Analysis, node: Any, type_: CType) -> Table | None:
    """The array of constants that `node` declares; None when it is no such thing."""
    if not isinstance(type_, ArrayC) or not is_const(type_) or not isinstance(node.init, c_ast.InitList):
        return None
    if not isinstance(innermost(type_), IntegerC | FloatingC) or count_of(type_.element) is None:
        return None
    found: dict[int, Number] = {}
    length = _fill(a, type_, node, node.init, 0, found)
    if length is None:
        return None
    sized = type_ if isinstance(type_.extent, int) else ArrayC(type_.element, length)
    zero: Number = 0 if isinstance(innermost(type_), IntegerC) else 0.0
    values = tuple(found.get(k, zero) for k in range(count_of(sized) or 0))
    return Table(node.name, sized, values, a.span(node))


def count_of(type_: CType) -> int | None:
    """How many scalars an object of this type holds; None when that is not constant."""
    if not isinstance(type_, ArrayC):
        return 1
    inner = count_of(type_.element)
    return type_.extent * inner if isinstance(type_.extent, int) and inner is not None else None


def _fill(a: Analysis, type_: ArrayC, node: Any, init: Any, first: int, found: dict[int, Number]) -> int | None:
    """Writes the elements of an initialiser list to `found`; the length that the list gives the array, None if not constant."""
    size = count_of(type_.element) or 1
    pending = list(init.exprs)
    position = length = 0
    while pending:
        item = pending.pop(0)
        if isinstance(item, c_ast.NamedInitializer):
            if len(item.name) != 1 or not isinstance(item.name[0], c_ast.ArrayDesignator):
                a.give_up("TRV044", "this designator is not supported", item.expr, "initialised here")
            position, item = constant_integer(a, item.name[0].expr), item.expr
        if position < 0 or (isinstance(type_.extent, int) and position >= type_.extent):
            a.refuse("TRV016", f"'{node.name}' has {type_.extent} elements", item, "one initialiser too many")
        start = first + position * size
        if isinstance(type_.element, ArrayC) and isinstance(item, c_ast.InitList):
            if _fill(a, type_.element, node, item, start, found) is None:
                return None
        else:  # without braces of its own, a row takes as many initialisers as it has elements
            for offset in range(size):
                number = _number(a, innermost(type_), item)
                if number is None:
                    return None
                found[start + offset] = number
                if offset + 1 == size or not pending or isinstance(pending[0], c_ast.InitList | c_ast.NamedInitializer):
                    break
                item = pending.pop(0)
        position += 1
        length = max(length, position)
    return length


def _number(a: Analysis, type_: CType, item: Any) -> Number | None:
    if isinstance(item, c_ast.InitList):
        if len(item.exprs) != 1:
            a.refuse("TRV016", "a list in braces cannot initialise a scalar", item, "an initialiser list")
        item = item.exprs[0]
    value = assigned(a, a.expression(a, item), type_, item, "the initialiser")
    return value.value if isinstance(value, Literal) else None
