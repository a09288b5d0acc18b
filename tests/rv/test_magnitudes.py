"""Numbers that are never small: what is known of sums, integers and phis."""

from __future__ import annotations

from rv.analysis.values.magnitudes import never_small
from rv.analysis.values.uses import definitions
from rv.analysis.verify import verify
from rv.ir.parser import parse_function
from rv.ir.values import Value

FUNCTION = """
define float @f(float %x, i32 %n, i1 %c) {
entry:
  %sum = fadd float %x, 0x1p+0
  %left = fsub float 0x1p+0, %x
  %tiny = fadd float %x, 0x1p-40
  %both = fadd float %x, %sum
  %product = fmul float %sum, %sum
  %number = sitofp i32 %n to float
  %minus = fneg float %sum
  %chosen = select %c, float 0x1p+1, %number
  %other = select %c, float 0x1p+1, %x
  branch %c, loop, out
loop:
  %y = phi float [0x0p+0, entry], [%next, loop]
  %z = phi float [-0x0p+0, entry], [%next, loop]
  %w = phi float [0x1p+0, entry], [%w, loop]
  %v = phi float [0x1p+0, entry], [%quotient, loop]
  %quotient = fdiv float %y, %x
  %next = fadd float %quotient, 0x1p+0
  branch %c, loop, out
out:
  return float %x
}
"""
NEVER = {"sum", "left", "number", "chosen", "y", "w", "next"}


def test_what_is_never_small() -> None:
    function = verify(parse_function(FUNCTION))
    known = definitions(function)
    values: dict[str, Value] = {name: d.result for name, d in known.items() if d.result}
    assert {name for name, value in values.items() if never_small(value, known.get)} == NEVER
    assert not any(never_small(parameter.var, known.get) for parameter in function.parameters)
