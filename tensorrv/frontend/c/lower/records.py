"""Lowering of structs that are copied, passed and returned as a whole: scalar by scalar.

    a = p[i];    %a_x = load ... [%i, 0] extents [2];  %a_y = load ... [%i, 1] extents [2]
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from rv.ir.source import Span
from rv.ir.types import PTR
from rv.ir.values import Const, Undef, Value
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.failures import give_up
from tensorrv.frontend.c.lower import addresses as lower_addresses
from tensorrv.frontend.c.lower import calls as lower_calls
from tensorrv.frontend.c.lower import statements as lower_statements
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.ssa import Slot
from tensorrv.frontend.c.lower.state import Address, Lowering
from tensorrv.frontend.c.tree.nodes import (
    AggregateLiteral,
    Assign,
    CallFunction,
    Comma,
    Expression,
    PartOf,
    Place,
    Read,
    StatementValue,
    VariablePlace,
)
from tensorrv.frontend.c.types.c_types import CType, Member, PointerC, StructC, machine_type
from tensorrv.frontend.c.types.object_parts import has_hidden, scalars

LARGEST: Final = 64
"""Scalars of a struct that is copied."""


def values(s: Lowering, e: Expression) -> list[Value]:
    """The scalars of a struct that is a value, in the order of `scalars`."""
    members = parts(e.type, e.span)
    match e:
        case Read(place=place):
            located = _locate(s, place)
            return [lower_values.load(s, _part(s, located, m, e.span), m.type, e.span) for m in members]
        case Assign(place=place, value=assigned):
            new = values(s, assigned)
            _store(s, place, members, new, e.span)
            return new
        case Comma(first=first, second=second):
            lower_values.effect(s, first)
            return values(s, second)
        case StatementValue(block=block, value=inner) if inner is not None:
            lower_statements.statement(s, block)
            return values(s, inner)
        case CallFunction():
            return list(lower_calls.call_for_record(s, e))
        case AggregateLiteral(parts=given):
            return _literal(s, members, given)
        case _:
            give_up("TRV030", "this expression of struct type is not supported", e.span, "a struct", hint="use a variable")


def parts(type_: CType, span: Span | None) -> list[Member]:
    """The scalars of a struct; gives up when there are too many to be handled one by one."""
    if has_hidden(type_):
        give_up("TRV030", "a struct with members outside the subset is copied", span, "copied here", hint="copy single members")
    members = list(scalars(type_))
    if len(members) > LARGEST:
        give_up("TRV030", f"a struct of more than {LARGEST} numbers is copied", span, "copied here", hint="copy single members")
    return members


def scalar(s: Lowering, e: Expression, offset: int) -> Value:
    """The scalar at a byte offset of a struct that is a value."""
    found = values(s, e)
    return next(value for member, value in zip(parts(e.type, e.span), found, strict=True) if member.offset == offset)


def declare(s: Lowering, variable: Variable, value: Expression | None, span: Span | None) -> None:
    """A local struct comes to life."""
    place = VariablePlace(variable.type, variable, span)
    members = parts(variable.type, span)
    new = [Undef(machine_type(m.type)) for m in members] if value is None else values(s, value)
    _store(s, place, members, new, span)


def bind(s: Lowering, variable: Variable, given: Sequence[Value]) -> None:
    """A parameter gets its argument."""
    _store(s, VariablePlace(variable.type, variable, None), parts(variable.type, None), given, None)


Located = tuple[Variable, int, str] | tuple[Address, CType]


def _locate(s: Lowering, place: Place) -> Located:
    """Where a struct is; its address is computed from only once."""
    match place:
        case VariablePlace(variable=variable) if not s.in_memory(variable):
            return variable, 0, variable.name
        case PartOf(whole=VariablePlace(variable=variable), offset=offset, name=name) if not s.in_memory(variable):
            return variable, offset, f"{variable.name}_{name}"
        case _:
            assert not isinstance(place.type, PointerC) and isinstance(place.type, StructC)
            return lower_addresses.place_address(s, _in_memory(place)), place.type


def _in_memory(place: Place) -> lower_addresses.InMemory:
    assert isinstance(place, lower_addresses.InMemory)
    return place


def _part(s: Lowering, located: Located, member: Member, span: Span | None) -> Slot | Value:
    if len(located) == 3:
        variable, offset, name = located
        return s.frame.part(variable, offset + member.offset, member.type, f"{name}_{member.name}")
    where, type_ = located
    return lower_addresses.place_pointer(s, lower_addresses.inside(where, type_, member.offset), member.type, span)


def _store(s: Lowering, place: Place, members: Sequence[Member], new: Sequence[Value], span: Span | None) -> None:
    located = _locate(s, place)
    for member, value in zip(members, new, strict=True):
        lower_values.store(s, _part(s, located, member, span), value, span)


def _literal(s: Lowering, members: Sequence[Member], given: Sequence[tuple[int, Expression]]) -> list[Value]:
    found: dict[int, Value] = {m.offset: _zero(m.type) for m in members}
    for offset, value in given:
        if isinstance(value.type, StructC):
            inner = parts(value.type, value.span)
            found.update((offset + m.offset, v) for m, v in zip(inner, values(s, value), strict=True))
        else:
            found[offset] = lower_values.value(s, value)
    return [found[m.offset] for m in members]


def _zero(type_: CType) -> Value:
    return Const(PTR, 0) if isinstance(type_, PointerC) else lower_values.constant(type_, 0)
