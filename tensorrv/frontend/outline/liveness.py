"""Whether a number or pointer that a nest assigns to has a value before that matters, or one afterwards that does.

The results are safe: a value that is passed although it is not read costs a copy. What is found are counters of loops,
which loops set before they read them, and variables that are assigned to in a row of statements before they are read.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from typing import Any

from pycparser import c_ast

from tensorrv.frontend.outline.names import Local, Names


def has_value_first(names: Names, local: Local, nest: Any) -> bool:
    """Whether a nest begins by assigning to the variable, so that what it was before does not matter."""
    return isinstance(nest, c_ast.For) and _assigns_first(names, local, nest.init)


def is_read_later(names: Names, local: Local, nest: Any) -> bool:
    """Whether the value that the nest leaves behind may be read."""
    return any(
        not names.is_within(use, nest) and not _is_overwritten(names, use) and not _is_set_before(names, local, use, nest)
        for use in local.uses
    )


def _assigns_first(names: Names, local: Local, node: Any) -> bool:
    """Whether an expression assigns to the variable before it reads it, whatever happens."""
    match node:
        case c_ast.Assignment(op="=", lvalue=c_ast.ID() as target, rvalue=value) if names.meaning.get(id(target)) is local:
            return not _mentions(names, local, value)
        case c_ast.Assignment(rvalue=value):
            return _assigns_first(names, local, value)
        case c_ast.ExprList(exprs=exprs):
            for expr in exprs:
                if _assigns_first(names, local, expr):
                    return True
                if _mentions(names, local, expr):
                    return False
            return False
        case _:
            return False


def _mentions(names: Names, local: Local, node: Any) -> bool:
    return names.is_used_in(local, node)


def _is_overwritten(names: Names, use: Any) -> bool:
    """Whether the variable is not read there: it is the target of a plain assignment, or in a type."""
    parent = names.parents.get(id(use))
    return isinstance(parent, c_ast.Assignment) and parent.op == "=" and parent.lvalue is use


def _is_set_before(names: Names, local: Local, use: Any, nest: Any) -> bool:
    """Whether every way to a use that comes from the nest assigns to the variable behind the nest."""
    inner = use
    for outer in names.around(use):
        if isinstance(outer, c_ast.For) and not names.is_within(nest, outer) and _assigns_first(names, local, outer.init):
            if not names.is_within(use, outer.init) or _is_overwritten(names, use):
                return not names.is_labelled(outer)
        if isinstance(outer, c_ast.Compound) and _is_set_in(names, local, outer, inner, nest):
            return True
        inner = outer
    return False


def _is_set_in(names: Names, local: Local, block: Any, holder: Any, nest: Any) -> bool:
    """Whether a statement of a block before the one that holds the use assigns to the variable, and the nest is not between."""
    if names.is_labelled(block) or names.is_within(nest, holder):
        return False
    if id(block) not in local.set_in:
        items = [item for item in block.block_items or [] if _assigns_first(names, local, item)]
        local.set_in[id(block)] = [names.extents[id(item)][0] for item in items]
    end, (first, last) = names.extents[id(holder)][0], names.extents[id(nest)]
    start = last if names.is_within(nest, block) and first < end else -1
    numbers = local.set_in[id(block)]
    return bisect_left(numbers, end) > bisect_right(numbers, start)
