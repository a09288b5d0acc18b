"""Loops inside divergent branches: they run as often as the thread that stays longest needs, if any enters."""

from __future__ import annotations

from collections import Counter

import pytest

from rv.analysis.verify import verify
from rv.ir.parser import parse_function
from rv.semantics.block_code import Interpretation
from rv.transform.linearize.control_uniform import control_uniform
from tests.rv_linear.threads import together

LOOP = """
define i32 @f(ptr %a, i32 %x, i32 %n) {
entry:
  %enters = icmp sgt i32 %x, 0
  branch %enters, before, out
before:
  jump head
head:
  %k = phi i32 [0, before], [%k.next, latch]
  %s = phi i32 [0, before], [%s.next, latch]
  %goes = icmp slt i32 %k, BOUND
  branch %goes, body, left
body:
  INNER
latch:
  %k.next = add i32 %k, 1
  jump head
left:
  jump out
out:
  %r = phi i32 [7, entry], [%s, left]
  return i32 %r
}
"""
PLAIN = """%v = load i32, %a
  %s.next = add i32 %s, %v
  jump latch"""
NESTED = """jump inner
inner:
  %j = phi i32 [0, body], [%j.next, turn]
  %t = phi i32 [%s, body], [%t.next, turn]
  %again = icmp slt i32 %j, BOUND
  branch %again, turn, inner.left
turn:
  %v = load i32, %a
  %t.next = add i32 %t, %v
  %j.next = add i32 %j, 1
  jump inner
inner.left:
  %s.next = add i32 %t, 0
  jump latch"""


def turns(inner: str, bound: str, skip_from: float | None, numbers: list[int], n: int) -> Counter[str]:
    """How often the blocks run that read memory, in lock step, by their labels."""
    source = verify(parse_function(LOOP.replace("INNER", inner).replace("BOUND", bound)))
    lanes = verify(control_uniform(source, ["a", "x"], skip_from=skip_from))
    found: Counter[str] = Counter()
    memory = [[(5).to_bytes(4, "little")] for _ in numbers]
    numbered = [(x, n) for x in numbers]
    together(lanes, memory, numbered, Interpretation.OBLIVIOUS, lambda _, step: found.update([step.label]))
    return Counter({label: found[label] for label in ("body", "turn")})


@pytest.mark.parametrize("skip_from", [None, 0])
@pytest.mark.parametrize("bound", ["%n", "%x"])
@pytest.mark.parametrize("inner", [PLAIN, NESTED], ids=["plain", "nested"])
def test_loops_run_as_long_as_somebody_is_in_them(inner: str, bound: str, skip_from: float | None) -> None:
    assert not turns(inner, bound, skip_from, [0, -3, -1, 0], 5).total()
    some = turns(inner, bound, skip_from, [0, 2, -1, 4], 5)
    # a thread that leaves a loop alone goes along the rest of that iteration
    longest, extra = (5, 0) if bound == "%n" else (4, 1)
    assert some == Counter({"body": longest + extra, "turn": longest * (longest + extra) if inner == NESTED else 0})
