"""Semantic analysis of structs: members of places and of values (C11 6.5.2.3)."""

from __future__ import annotations

from typing import Any

from tensorrv.frontend.c.analyse.operators import require_complete
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import Expression, Literal, MemberValue, PartOf, Place, TablePlace
from tensorrv.frontend.c.types.c_types import ArrayC, CType, StructC, is_const, size_of_type, spell, with_const
from tensorrv.frontend.c.types.records import find_member
from tensorrv.report.diagnostics import Related


def part(a: Analysis, where: Place, node: Any) -> PartOf:
    """The member that `where.name` or `where->name` stands for."""
    type_ = where.type
    if isinstance(where, TablePlace) or not isinstance(type_, StructC):
        a.refuse("TRV012", f"a '{spell(type_)}' has no members", node, f"'{node.field.name}' is accessed")
    name: str = node.field.name
    member = _member(a, type_, node)
    found = with_const(member.type) if is_const(type_) else member.type
    if isinstance(where, PartOf):
        return PartOf(found, where.whole, where.offset + member.offset, f"{where.name}.{name}", a.span(node))
    return PartOf(found, where, member.offset, name, a.span(node))


def _member(a: Analysis, type_: StructC, node: Any) -> Any:
    require_complete(a, type_, node)
    member = find_member(type_.record, node.field.name)
    reason = type_.record.hidden.get(node.field.name)
    if member is None and reason is not None:
        where = () if reason.span is None else (Related(reason.span, reason.label),)
        message = f"'{node.field.name}' of '{type_.name}' cannot be used: {reason.message}"
        a.give_up(reason.code, message, node, "used here", hint=reason.hint, also=where)
    if member is None:
        names = ", ".join(m.name for m in type_.record.members or () if m.name)
        a.refuse("TRV010", f"'{type_.name}' has no member '{node.field.name}'", node, "no such member", hint=f"it has {names}")
    return member


def of_value(a: Analysis, record: Expression, node: Any) -> Expression:
    """A member of a struct that is no object, such as the result of a function."""
    if not isinstance(record.type, StructC):
        a.refuse("TRV012", f"a '{spell(record.type)}' has no members", node, f"'{node.field.name}' is accessed")
    member = _member(a, record.type, node)
    if isinstance(member.type, ArrayC | StructC):
        a.give_up("TRV030", "this member is not a number", node, "part of a value", hint="assign the struct to a variable first")
    return MemberValue(member.type, record, member.offset, a.span(node))


def element(a: Analysis, array: PartOf, type_: CType, index: Expression, node: Any) -> PartOf | None:
    """An element of an array inside a struct, when the subscript is a constant."""
    size = size_of_type(type_) or 0
    assert isinstance(array.type, ArrayC) and isinstance(array.type.extent, int)
    if isinstance(index, Literal) and 0 <= index.value < array.type.extent:
        offset = array.offset + int(index.value) * size
        return PartOf(type_, array.whole, offset, f"{array.name}[{index.value}]", a.span(node))
    return None
