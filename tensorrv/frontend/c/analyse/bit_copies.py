"""`memcpy` of one number: how C programs look at the bits of a number.

    memcpy(&u, &f, sizeof u);            u = the bits of f
    memcpy(&u, &A[i], sizeof u);         u = A[i], loaded as if A had elements of the type of u
    memcpy(p + i, &f, sizeof f);         stored as if p pointed to elements of the type of f
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from pycparser import c_ast

from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import Assign, Convert, Element, Expression, Literal, Place, Read, Reinterpret
from tensorrv.frontend.c.types.c_types import (
    VOIDC,
    CType,
    FloatingC,
    IntegerC,
    PointerC,
    is_const,
    size_of_type,
    spell,
    unqualified,
)
from tensorrv.frontend.c.types.conversions import convert

Locate = Callable[[Analysis, Any], Place]


def copy_bits(a: Analysis, node: Any, locate: Locate) -> Expression | None:
    """The assignment that a call of memcpy stands for; None where more or less than one number is copied."""
    arguments = node.args.exprs if node.args is not None else []
    if len(arguments) != 3:
        a.refuse("TRV015", f"'memcpy' takes 3 arguments, but {len(arguments)} are given", node, "wrong number of arguments")
    target, source = _object(a, arguments[0], locate), _object(a, arguments[1], locate)
    size = a.expression(a, arguments[2])
    if is_const(target.type):
        a.refuse("TRV014", "memcpy writes a const object", arguments[0], f"this is a '{spell(target.type)}'")
    same = isinstance(size, Literal) and size.value == size_of_type(target.type) == size_of_type(source.type)
    if not same or not _reinterprets(target.type, source.type):
        return None
    return Convert(VOIDC, _assignment(a, target, source, node), a.span(node))


def _object(a: Analysis, node: Any, locate: Locate) -> Place:
    """What a pointer argument points to; casts of the pointer do not matter."""
    while isinstance(node, c_ast.Cast):
        node = node.expr
    if isinstance(node, c_ast.UnaryOp) and node.op == "&":
        return locate(a, node.expr)
    pointer = a.expression(a, node)
    if not isinstance(pointer.type, PointerC):
        a.refuse("TRV016", f"memcpy needs a pointer, not a '{spell(pointer.type)}'", node, "not a pointer")
    return Element(pointer.type.target, pointer, a.span(node))


def _reinterprets(target: CType, source: CType) -> bool:
    if not isinstance(target, IntegerC | FloatingC) or not isinstance(source, IntegerC | FloatingC):
        return False
    return (target.name == "_Bool") == (source.name == "_Bool")  # other bytes than 0 and 1 are no truth values


def _assignment(a: Analysis, target: Place, source: Place, node: Any) -> Expression:
    span = a.span(node)
    wanted, given = unqualified(target.type), unqualified(source.type)
    if isinstance(target, Element):
        target = replace(target, as_bytes=True)
    if isinstance(source, Element):
        return Assign(wanted, target, Read(wanted, Element(wanted, source.pointer, source.span, True), span), span)
    value = Read(given, source, span)
    if isinstance(target, Element):
        return Assign(given, Element(given, target.pointer, target.span, True), value, span)
    if isinstance(wanted, FloatingC) == isinstance(given, FloatingC):
        return Assign(wanted, target, convert(value, wanted), span)
    return Assign(wanted, target, Reinterpret(wanted, value, span), span)
