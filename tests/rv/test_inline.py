"""Inlining in P-LLVM: calls in a row, in loops, of one block and of several; the meaning stays the same."""

import math

import pytest

from rv.analysis.verify import verify
from rv.ir.parser import parse_function, parse_functions
from rv.ir.printer import print_function
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.transform.scalar.inline import inline_calls

BODIES = {
    body.name: body
    for body in parse_functions("""
define double @exp(double %x) {
entry:
  %t = fmul double %x, %x
  return double %t
}
define double @log(double %x) {
entry:
  %small = fcmp olt double %x, 0x1p+0
  branch %small, halve, done
halve:
  %h = fmul precise double %x, 0x1p-1
  jump done
done:
  %r = phi double [%x, entry], [%h, halve]
  return double %r
}
define double @sin(double %x) {
entry:
  %negative = fcmp olt double %x, 0x0p+0
  branch %negative, left, right
left:
  return double -0x1p+0
right:
  %r = fadd double %x, 0x1p+0
  return double %r
}
""")
}
CALLS = parse_function("""
define double @f(double %x, i64 %n) {
entry:
  jump loop
loop:
  %i = phi i64 [0, entry], [%i.next, loop]
  %s = phi double [%x, entry], [%d, loop]
  %a = call double @exp(double %s)
  %b = call double @log(double %a)
  %c = call double @sin(double %b)
  %t = call double @fabs(double %c)
  %d = call double @log(double %t)
  %i.next = add i64 %i, 1
  %more = icmp slt i64 %i.next, %n
  branch %more, loop, done
done:
  %e = call double @sin(double %d)
  return double %e
}
""")


def expected(x, n):
    def log(v):
        return v * 0.5 if v < 1 else v

    def sin(v):
        return -1.0 if v < 0 else v + 1

    for _ in range(n):
        x = log(abs(sin(log(x * x))))
    return sin(x)


@pytest.mark.parametrize("x", [0.0, 0.25, -1.5, 2.0, math.nan])
@pytest.mark.parametrize("n", [1, 3])
def test_meaning(x, n):
    function = verify(inline_calls(CALLS, BODIES))
    found, wanted = run(function, (x, n), Memory()), expected(x, n)
    assert found == wanted or (math.isnan(found) and math.isnan(wanted))


def test_text():
    source = parse_function("""
define double @f(double %x) {
entry:
  %y = call double @exp(double %x)
  %z = call precise double @fma(double %y, double %y, double %x)
  return double %z
}
""")
    assert print_function(inline_calls(source, BODIES)) == """define double @f(double %x) {
entry:
  %exp.t = fmul double %x, %x
  %z = call precise double @fma(double %exp.t, double %exp.t, double %x)
  return double %z
}
"""


def test_other_calls_stay():
    assert "@fabs" in print_function(inline_calls(CALLS, BODIES))
    assert inline_calls(CALLS, {}) == CALLS
