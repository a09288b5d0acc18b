"""Which values a check may read only frozen: all that a pass may have computed where the source does not."""

from __future__ import annotations

import pytest

from rv.analysis.values.defined import may_be_undefined
from rv.analysis.values.uses import definitions
from rv.analysis.verify import verify
from rv.ir.parser import parse_function

FUNCTION = """
define i64 @f(ptr %A, double %x, i32 %n, i64 %m) {
entry:
  %o = alloca i64 x 2
  %q = elemptr i64, %o [%m]
  %kept = load i64, %q
  %from.kept = add i64 %kept, 1
  %p = elemptr i64, %A [%m]
  %loaded = load i64, %p
  %wide = sext i32 %n to i64
  %sum = add i64 %loaded, %wide
  %converted = fptosi double %x to i64
  %masked = and i64 %converted, 3
  %shifted = shl i64 %m, 3
  %too.far = shl i64 %m, 64
  %by.m = lshr i64 %wide, %m
  %less = add nsw i64 %m, -1
  %c = icmp eq i64 %m, 0
  branch %c, loop, out
loop:
  %i = phi i64 [0, entry], [%next, loop]
  %j = phi i64 [undef, entry], [%i, loop]
  %next = add i64 %i, %m
  branch %c, loop, out
out:
  return i64 %m
}
"""


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (["kept", "from.kept", "converted", "masked", "too.far", "by.m", "j"], True),
        (["m", "loaded", "sum", "shifted", "less", "i", "next"], False),
    ],
)
def test_what_may_be_undefined(names: list[str], expected: bool) -> None:
    function = verify(parse_function(FUNCTION))
    known = definitions(function)
    variables = {p.var.name: p.var for p in function.parameters} | {n: d.result for n, d in known.items() if d.result}
    assert {name: may_be_undefined(variables[name], known.get) for name in names} == dict.fromkeys(names, expected)
