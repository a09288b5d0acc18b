"""Constant arrays with initialisers: they need no memory, because every element is known.

    static const double w[3] = {0.25, 0.5, 0.25};        w[1] is 0.5;  w[k] selects among the three
"""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from tensorrv.frontend.c.analyse.initialisers import aggregate_literal, initialised_length
from tensorrv.frontend.c.analyse.scope import Table
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import Literal
from tensorrv.frontend.c.types.c_types import ArrayC, CType, FloatingC, IntegerC, innermost, is_const, size_of_type


def constant_table(a: Analysis, node: Any, type_: CType) -> Table | None:
    """The array of constants that `node` declares; None when it is no such thing."""
    if not isinstance(type_, ArrayC) or not is_const(type_) or not isinstance(node.init, c_ast.InitList):
        return None
    scalar = innermost(type_)
    if not isinstance(scalar, IntegerC | FloatingC) or count_of(type_.element) is None:
        return None
    sized = ArrayC(type_.element, initialised_length(a, type_, node.init)) if type_.extent is None else type_
    count, size = count_of(sized), size_of_type(scalar) or 1
    if count is None:
        return None
    found = {offset // size: value for offset, value in aggregate_literal(a, sized, node.init).parts}
    numbers = {k: value.value for k, value in found.items() if isinstance(value, Literal)}
    if len(numbers) < len(found):
        return None
    zero: int | float = 0 if isinstance(scalar, IntegerC) else 0.0
    return Table(node.name, sized, tuple(numbers.get(k, zero) for k in range(count)), a.span(node))


def count_of(type_: CType) -> int | None:
    """How many scalars an object of this type holds; None when that is not constant."""
    if not isinstance(type_, ArrayC):
        return 1
    inner = count_of(type_.element)
    return type_.extent * inner if isinstance(type_.extent, int) and inner is not None else None
