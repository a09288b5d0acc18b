"""Expressions on types: `_Generic`, `offsetof`, `_Alignof`, and builtins that compare types."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from tensorrv.frontend.c.analyse.operators import require_complete
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.failures import Unsupported
from tensorrv.frontend.c.tree.nodes import Literal
from tensorrv.frontend.c.types import declarations
from tensorrv.frontend.c.types.c_types import (
    INT,
    ULONG,
    ArrayC,
    CType,
    FunctionC,
    PointerC,
    StructC,
    VoidC,
    alignment_of,
    is_const,
    same_type,
    size_of_type,
    spell,
    unqualified,
)
from tensorrv.frontend.c.types.records import find_member


def selected(a: Analysis, node: Any) -> Any:
    """The expression that `_Generic` chooses by the type of its operand (C11 6.5.1.1)."""
    type_ = unqualified(a.expression(a, node.expr).type)
    fallback = None
    for association in node.associations:
        if association.type is None:
            fallback = association.expr
        elif _is(a, association.type, type_):
            return association.expr
    if fallback is None:
        a.refuse("TRV012", f"_Generic has no choice for a '{spell(type_)}'", node.expr, f"this is a '{spell(type_)}'")
    return fallback


def _is(a: Analysis, node: Any, type_: CType) -> bool:
    try:
        return equal_types(declarations.type_of(a, node), type_)
    except Unsupported:
        return False  # no value has a type that is outside the subset


def equal_types(left: CType, right: CType) -> bool:
    """Compatible types, qualifiers counted."""
    if is_const(left) != is_const(right) or not same_type(left, right):
        return False
    match left, right:
        case (PointerC(a), PointerC(b)) | (ArrayC(a), ArrayC(b)):
            return equal_types(a, b)
        case _:
            return True


def compatible(a: Analysis, node: Any) -> Literal:
    """`__builtin_types_compatible_p`, for which the outermost qualifiers do not count."""
    left, right = (unqualified(declarations.type_of(a, given)) for given in node.args.exprs)
    return Literal(INT, int(equal_types(left, right)), a.span(node))


def alignment(a: Analysis, node: Any) -> Literal:
    """`_Alignof` of a type, or of an expression as gcc has it."""
    type_ = declarations.operand_type(a, node.expr)
    if isinstance(type_, StructC):
        require_complete(a, type_, node)
    if isinstance(type_, VoidC | FunctionC):
        return Literal(ULONG, 1, a.span(node))
    return Literal(ULONG, alignment_of(type_), a.span(node))


def member_offset(a: Analysis, node: Any) -> Literal:
    """`offsetof(struct s, a.b[2])`, in bytes."""
    type_, place = node.args.exprs
    offset, _ = _member(a, declarations.type_of(a, type_), place)
    return Literal(ULONG, offset, a.span(node))


def _member(a: Analysis, whole: CType, node: Any) -> tuple[int, CType]:
    """Byte offset and type of a part of `whole`."""
    match node:
        case c_ast.ArrayRef(name=array, subscript=subscript):
            offset, type_ = _member(a, whole, array)
            if not isinstance(type_, ArrayC):
                a.refuse("TRV012", f"a '{spell(type_)}' cannot be subscripted", node, "not an array")
            return offset + declarations.constant_integer(a, subscript) * (size_of_type(type_.element) or 0), type_.element
        case c_ast.StructRef(name=inner, field=field):
            offset, type_ = _member(a, whole, inner)
            name = field.name
        case _:
            offset, type_, name = 0, whole, node.name
    if not isinstance(type_, StructC):
        a.refuse("TRV012", f"a '{spell(type_)}' has no members", node, "not a struct")
    require_complete(a, type_, node)
    if type_.record.problem is not None:
        raise Unsupported(type_.record.problem)
    member = find_member(type_.record, name)
    if member is None:
        a.refuse("TRV010", f"'{type_.name}' has no member '{name}'", node, "no such member")
    return offset + member.offset, member.type
