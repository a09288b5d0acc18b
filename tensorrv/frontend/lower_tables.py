"""Lowering of constant arrays: an element with a variable subscript is chosen by comparisons.

    w[k]        %t = select %k == 1, w1, w0;   %u = select %k == 2, w2, %t      (most frequent value first)

Long arrays, and those that are used as pointers, are put into a stack object where the function begins.
"""

from __future__ import annotations

from collections import Counter
from typing import Final

from rv.ir.instructions import Alloca, CompareInt, ElementPointer, Instruction, Load, Store
from rv.ir.source import Span
from rv.ir.types import I1, I64, PTR
from rv.ir.values import Const, Value, Var, const_i64
from tensorrv.diagnostics import Related
from tensorrv.frontend import lower_values
from tensorrv.frontend.c_types import innermost, machine_type, unqualified
from tensorrv.frontend.failures import give_up
from tensorrv.frontend.lowering import Lowering
from tensorrv.frontend.scope import Table

LONGEST: Final = 64
"""Elements that comparisons choose from."""
LARGEST: Final = 1024
"""Elements of an array that is put in memory."""


def element(s: Lowering, table: Table, index: Value, span: Span | None) -> Value:
    """The element at `index`, an i64 that is in range because C demands it."""
    assert index.type == I64
    type_ = unqualified(innermost(table.type))
    values = [lower_values.constant(type_, number) for number in table.values]
    if isinstance(index, Const) and 0 <= index.signed < len(values):
        return values[index.signed]
    if len(values) > LONGEST:
        loaded = s.builder.temp(machine_type(type_))
        s.builder.emit(Load(loaded, pointer(s, table, index, span), span))
        return loaded
    usual = Counter(values).most_common(1)[0][0]
    chosen: Value = usual
    for number, constant in enumerate(values):
        if constant != usual:
            hit = s.builder.temp(I1)
            s.builder.emit(CompareInt(hit, "eq", index, const_i64(number), span))
            chosen = lower_values.select(s, hit, constant, chosen, span)
    return chosen


def pointer(s: Lowering, table: Table, index: Value, span: Span | None) -> Value:
    """The address of the element at `index`, in an object that is filled where the function begins."""
    if table not in s.tables:
        s.tables[table] = _filled(s, table, span)
    result = s.builder.temp(PTR)
    element = machine_type(innermost(table.type))
    s.builder.emit(ElementPointer(result, element, s.tables[table], (index,), (), span))
    return result


def _filled(s: Lowering, table: Table, span: Span | None) -> Var:
    """A stack object with the elements of a table."""
    if len(table.values) > LARGEST:
        related = () if table.span is None else (Related(table.span, "declared here"),)
        message = f"'{table.name}' has {len(table.values)} elements, too many to be put in memory by every call"
        hint = f"pass '{table.name}' as a parameter"
        give_up("TRV037", message, span, "it needs an address here", hint=hint, related=related)
    type_ = unqualified(innermost(table.type))
    made = s.builder.named(table.name, PTR)
    code: list[Instruction] = [Alloca(made, machine_type(type_), len(table.values), table.span)]
    for k, number in enumerate(table.values):
        place = s.builder.temp(PTR)
        code.append(ElementPointer(place, machine_type(type_), made, (const_i64(k),), (), table.span))
        code.append(Store(lower_values.constant(type_, number), place, table.span))
    s.builder.begin_with(code)
    return made
