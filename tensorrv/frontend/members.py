"""Semantic analysis of structs: members of places and of values, and lists of initialisers (C11 6.5.2.3, 6.5.2.5, 6.7.9)."""

from __future__ import annotations

from typing import Any

from pycparser import c_ast

from tensorrv.frontend.analysis import Analysis
from tensorrv.frontend.c_types import ArrayC, CType, StructC, is_const, size_of_type, spell, with_const
from tensorrv.frontend.conversions import assigned
from tensorrv.frontend.declarations import constant_integer
from tensorrv.frontend.operators import require_complete
from tensorrv.frontend.records import find_member
from tensorrv.frontend.tree import Expression, Literal, MemberValue, PartOf, Place, RecordLiteral, TablePlace, VariablePlace

Parts = list[tuple[int, Expression]]


def part(a: Analysis, where: Place, node: Any) -> PartOf:
    """The member that `where.name` or `where->name` stands for."""
    type_ = where.type
    if isinstance(where, TablePlace) or not isinstance(type_, StructC):
        a.refuse("TRV012", f"a '{spell(type_)}' has no members", node, f"'{node.field.name}' is asked for")
    name: str = node.field.name
    member = _member(a, type_, node)
    found = with_const(member.type) if is_const(type_) else member.type
    if isinstance(where, PartOf):
        return PartOf(found, where.whole, where.offset + member.offset, f"{where.name}.{name}", a.span(node))
    return PartOf(found, where, member.offset, name, a.span(node))


def _member(a: Analysis, type_: StructC, node: Any) -> Any:
    require_complete(a, type_, node)
    member = find_member(type_.record, node.field.name)
    if member is None:
        names = ", ".join(m.name for m in type_.record.members or () if m.name)
        a.refuse("TRV010", f"'{type_.name}' has no member '{node.field.name}'", node, "no such member", hint=f"it has {names}")
    return member


def of_value(a: Analysis, record: Expression, node: Any) -> Expression:
    """A member of a struct that is no object, such as the result of a function."""
    if not isinstance(record.type, StructC):
        a.refuse("TRV012", f"a '{spell(record.type)}' has no members", node, f"'{node.field.name}' is asked for")
    member = _member(a, record.type, node)
    if isinstance(member.type, ArrayC | StructC):
        a.give_up("TRV030", "this member is no number", node, "part of a value", hint="assign the struct to a variable first")
    return MemberValue(member.type, record, member.offset, a.span(node))


def element(a: Analysis, array: PartOf, type_: CType, index: Expression, node: Any) -> PartOf | None:
    """An element of an array inside a struct, when the subscript is a constant; local structs take no others."""
    size = size_of_type(type_) or 0
    assert isinstance(array.type, ArrayC) and isinstance(array.type.extent, int)
    if isinstance(index, Literal) and 0 <= index.value < array.type.extent:
        offset = array.offset + int(index.value) * size
        return PartOf(type_, array.whole, offset, f"{array.name}[{index.value}]", a.span(node))
    if isinstance(array.whole, VariablePlace):
        a.give_up(
            "TRV034",
            f"'{array.name}' is an array in a local struct: its subscripts must be constants below {array.type.extent}",
            node,
            "not such a constant",
            hint="pass it as a parameter, or use scalars",
        )
    return None


def compound_literal(a: Analysis, type_: CType, init: Any, node: Any) -> Expression:
    """`(struct s){...}`."""
    if not isinstance(type_, StructC):
        a.give_up("TRV044", "this expression is outside the supported C subset", node, "not supported")
    return record_literal(a, type_, init)


def record_literal(a: Analysis, type_: StructC, init: Any) -> RecordLiteral:
    """A list of initialisers in braces as a struct."""
    require_complete(a, type_, init)
    parts: Parts = []
    _fill(a, type_, init, 0, parts)
    return RecordLiteral(type_, tuple(parts), a.span(init))


def _fill(a: Analysis, type_: ArrayC | StructC, init: Any, offset: int, parts: Parts) -> None:
    slots = _slots(type_)
    position = 0
    for item in init.exprs:
        if isinstance(item, c_ast.NamedInitializer):
            position, item = _designated(a, type_, item), item.expr
        if position >= len(slots):
            a.refuse("TRV016", f"'{spell(type_)}' has {len(slots)} elements", item, "one initialiser too many")
        where, inner = slots[position]
        position += 1
        _initialise(a, inner, item, offset + where, parts)


def _initialise(a: Analysis, type_: CType, item: Any, offset: int, parts: Parts) -> None:
    if isinstance(type_, ArrayC | StructC) and isinstance(item, c_ast.InitList):
        _fill(a, type_, item, offset, parts)
        return
    value = a.expression(a, item)
    if isinstance(type_, ArrayC) or (isinstance(type_, StructC) and not isinstance(value.type, StructC)):
        a.give_up("TRV044", "initialisers of inner structs and arrays need braces of their own", item, "initialised here")
    parts.append((offset, assigned(a, value, type_, item, "the initialiser")))


def _slots(type_: ArrayC | StructC) -> list[tuple[int, CType]]:
    """Offsets and types of what a list of initialisers goes through."""
    if isinstance(type_, StructC):
        return [(member.offset, member.type) for member in type_.record.members or ()]
    size = size_of_type(type_.element) or 0
    return [(k * size, type_.element) for k in range(type_.extent if isinstance(type_.extent, int) else 0)]


def _designated(a: Analysis, type_: ArrayC | StructC, item: Any) -> int:
    """The position that `.name =` or `[k] =` stands for."""
    (designator, *more) = item.name
    if not more and isinstance(type_, ArrayC) and isinstance(designator, c_ast.ArrayDesignator):
        return constant_integer(a, designator.expr)
    if not more and isinstance(type_, StructC) and isinstance(designator, c_ast.ID):
        names = [member.name for member in type_.record.members or ()]
        if designator.name in names:
            return names.index(designator.name)
    a.give_up("TRV044", "this designator is not supported", item.expr, "initialised here")
