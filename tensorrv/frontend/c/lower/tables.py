"""Lowering of constant arrays: an element with a variable subscript is chosen by comparisons.

    w[k]        %t = select %k == 1, w1, w0;   %u = select %k == 2, w2, %t      (most frequent value first)
"""

from __future__ import annotations

from collections import Counter
from typing import Never

from rv.ir.instructions import CompareInt
from rv.ir.source import Span
from rv.ir.types import I1, I64
from rv.ir.values import Const, Value, const_i64
from tensorrv.frontend.c.analyse.scope import LONGEST_TABLE, Table
from tensorrv.frontend.c.failures import give_up
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.state import Lowering
from tensorrv.frontend.c.types.c_types import innermost, unqualified
from tensorrv.report.diagnostics import Related


def element(s: Lowering, table: Table, index: Value, span: Span | None) -> Value:
    """The element at `index`, an i64 that is in range because C demands it."""
    assert index.type == I64
    type_ = unqualified(innermost(table.type))
    values = [lower_values.constant(type_, number) for number in table.values]
    if isinstance(index, Const) and 0 <= index.signed < len(values):
        return values[index.signed]
    if len(values) > LONGEST_TABLE:
        related = () if table.span is None else (Related(table.span, "declared here"),)
        give_up(
            "TRV037",
            f"'{table.name}' has {len(values)} elements, too many for a subscript that is not constant",
            span,
            "the subscript is not a constant",
            hint=f"pass '{table.name}' as a parameter",
            related=related,
        )
    usual = Counter(values).most_common(1)[0][0]
    chosen: Value = usual
    for number, constant in enumerate(values):
        if constant != usual:
            hit = s.builder.temp(I1)
            s.builder.emit(CompareInt(hit, "eq", index, const_i64(number), span))
            chosen = lower_values.select(s, hit, constant, chosen, span)
    return chosen


def refuse_pointer(table: Table, span: Span | None) -> Never:
    """A constant array is not in memory, so nothing can point to it."""
    related = () if table.span is None else (Related(table.span, "declared here"),)
    give_up(
        "TRV037",
        f"the constant array '{table.name}' is used as a pointer",
        span,
        "it has no address",
        hint=f"subscript '{table.name}' directly, or pass it as a parameter",
        related=related,
    )
