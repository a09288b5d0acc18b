"""Struct declarations (C11 6.7.2.1) and their layout: each member at the next multiple of its alignment, the whole padded to the
largest one, as the psABIs of x86-64 and AArch64 say.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from pycparser import c_ast

from tensorrv.frontend.c.analyse.scope import usable
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.failures import Unsupported
from tensorrv.frontend.c.types import declarations
from tensorrv.frontend.c.types.c_types import (
    ArrayC,
    CType,
    FunctionC,
    Member,
    Record,
    StructC,
    VoidC,
    alignment_of,
    size_of_type,
    spell,
)
from tensorrv.frontend.c.types.hidden_members import bits_end, names_in, room_of
from tensorrv.report.diagnostics import Diagnostic


def struct_type(a: Analysis, node: Any) -> StructC:
    """The type that `struct tag` or `struct tag { ... }` stands for; a definition is declared on the way, once."""
    known = a.records.get(id(node))
    if known is not None:
        return known
    if node.decls is None:
        found = a.scope.find_tag(node.name)
    else:
        found = usable(a.scope.tags[node.name]) if node.name in a.scope.tags else None
    if found is not None and not isinstance(found, StructC):
        a.refuse("TRV021", f"'{node.name}' is the name of an enumeration", node, "not a struct")
    type_ = found if found is not None else StructC(Record(node.name or "", tagged=node.name is not None))
    if node.name is not None and found is None:
        a.scope.tags[node.name] = type_
    if node.decls is not None:
        if type_.record.members is not None:
            a.refuse("TRV011", f"'struct {node.name}' is defined twice", node, "defined again here")
        _define(a, type_.record, node)
        a.records[id(node)] = type_
    return type_


def _define(a: Analysis, record: Record, node: Any) -> None:
    members: list[Member] = []
    bits = 0
    problem: Diagnostic | None = None
    for decl in node.decls:
        if not isinstance(decl, c_ast.Decl):
            continue  # a pragma or a stray semicolon
        try:
            type_ = _member_type(a, decl)
        except Unsupported as failure:
            hidden = _behind_hidden(a, record, decl, bits)
            record.hidden.update((name, failure.diagnostic) for name in names_in(decl) or [""])
            problem = problem if hidden is not None else problem or failure.diagnostic
            bits = bits if hidden is None else hidden
            continue
        name = decl.name or ""
        if any(m.name == name for m in members if name):
            a.refuse("TRV011", f"the struct has two members '{name}'", decl, "declared again here")
        alignment = alignment_of(type_)
        offset = -(-bits // (8 * alignment)) * alignment
        members.append(Member(name, type_, offset))
        record.alignment = max(record.alignment, alignment)
        bits = 8 * (offset + (size_of_type(type_) or 0))
    if a.moved:
        message = "structs whose layout an attribute or a pragma changes are not supported"
        label = "its members may be elsewhere"
        hint = "drop `packed`, `aligned` and `#pragma pack`"
        problem = problem or Diagnostic("note", "TRV030", message, a.span(node), label, (), hint)
    record.members, record.problem = tuple(members), problem
    record.size = -(-bits // (8 * record.alignment)) * record.alignment


def _behind_hidden(a: Analysis, record: Record, decl: Any, bits: int) -> int | None:
    """Where a member that cannot be accessed ends, in bits; None when its room is not known."""
    if decl.bitsize is not None:
        found = bits_end(a, decl, bits)
        if found is None:
            return None
        record.alignment = max(record.alignment, found[1])
        return found[0]
    room = None if getattr(decl, "align", None) else room_of(a, decl)
    if room is None:
        return None
    record.alignment = max(record.alignment, room[1])
    return 8 * (-(-bits // (8 * room[1])) * room[1] + room[0])


def _member_type(a: Analysis, decl: Any) -> CType:
    if decl.bitsize is not None:
        a.give_up("TRV030", "bit-fields are not supported", decl, "a bit-field", hint="use shifts and masks on an integer")
    if getattr(decl, "align", None):
        a.give_up("TRV030", "_Alignas is not supported in structs", decl, "declared with _Alignas")
    type_ = declarations.type_of(a, decl.type)
    inner = type_
    while isinstance(inner, ArrayC):
        if not isinstance(inner.extent, int):
            a.give_up("TRV030", "members that are arrays of unknown length are not supported", decl, "no constant length")
        inner = inner.element
    if isinstance(inner, VoidC | FunctionC):
        a.refuse("TRV021", f"a member cannot be '{spell(type_)}'", decl, "not the type of an object")
    if isinstance(inner, StructC):
        if inner.record.problem is not None:
            raise Unsupported(inner.record.problem)
        if inner.record.members is None:
            a.refuse("TRV021", f"'{inner.name}' is not complete here", decl, "its members are not known")
    return type_


def find_member(record: Record, name: str) -> Member | None:
    """The member called `name`, also inside members without a name; its offset is from the start of `record`."""
    for member in record.members or ():
        if member.name == name:
            return member
        if not member.name and isinstance(member.type, StructC):
            inner = find_member(member.type.record, name)
            if inner is not None:
                return replace(inner, offset=member.offset + inner.offset)
    return None
