"""Which sides of divergent branches are worth a test in front of them."""

from __future__ import annotations

import pytest

from rv.analysis.cfg.region import find_region
from rv.ir.parser import parse_function
from rv.transform.linearize.boscc import chances, expensive_sides

CASCADE = """
define i32 @f(i32 %x, i32 %y, double %z) {
entry:
  %a = icmp slt i32 %x, 1
  branch %a, out, second
second:
  %b = icmp PREDICATE i32 %x, 2
  branch %b, far, third
far:
  %f0 = sdiv i32 %y, 3
  %f1 = sdiv i32 %f0, %x
  %f2 = sdiv i32 %f1, %x
  jump out
third:
  %c = icmp sgt i32 %x, 3
  branch %c, out, deep
deep:
  %d0 = sdiv i32 %y, 3
  %d1 = sdiv i32 %d0, %x
  jump out
out:
  %r = phi i32 [0, entry], [%f2, far], [1, third], [%d1, deep]
  return i32 %r
}
"""
BRANCHES = frozenset({"entry", "second", "third"})


def sides(threads: int, least: float, predicate: str = "slt") -> dict[str, str]:
    function = parse_function(CASCADE.replace("PREDICATE", predicate))
    return dict(expensive_sides(function, BRANCHES, least=least, threads=threads))


def test_every_side_that_costs_anything_can_be_asked_for() -> None:
    assert sides(8, 0) == {"entry": "second", "second": "far", "third": "deep"}


def test_later_arms_are_wanted_more_rarely() -> None:
    # 42 instructions behind the first branch and 1/2 of the threads, 24 at 1/4, 16 at 1/8
    assert sides(16, 42 / 2**4 + 0.1) == {"second": "far", "third": "deep"}
    assert sides(16, 24 * (3 / 4) ** 4 + 0.1) == {"third": "deep"}
    assert sides(16, 16 * (7 / 8) ** 4 + 0.1) == {}


def test_more_threads_agree_more_rarely() -> None:
    assert sides(1, 20) == {"entry": "second"}
    assert sides(64, 1) == {"second": "far", "third": "deep"}


@pytest.mark.parametrize(("predicate", "tested"), [("eq", True), ("slt", False), ("ne", False)])
def test_equal_values_are_rare(predicate: str, tested: bool) -> None:
    # 24 instructions at 1/8, 1/4 and 3/8 of 16 threads
    assert ("second" in sides(16, 24 * (13 / 16) ** 4, predicate)) is tested


def test_what_loops_around_it_cost_nothing_extra() -> None:
    text = """
    define void @f(ptr %A, i32 %n, i32 %x) {
    entry:
      jump head
    head:
      %i = phi i32 [0, entry], [%i.1, latch]
      %c = icmp slt i32 %i, %n
      branch %c, body, out
    body:
      %d = icmp slt i32 %x, %i
      branch %d, side, latch
    side:
      store i32 %i, %A
      jump latch
    latch:
      %i.1 = add i32 %i, 1
      jump head
    out:
      %e = icmp slt i32 %x, 7
      branch %e, last, end
    last:
      store i32 %x, %A
      jump end
    end:
      return void
    }
    """
    function = parse_function(text)
    branches = frozenset({"body", "out"})
    assert expensive_sides(function, branches, least=1.9, threads=1) == {"body": "side", "out": "last"}
    assert expensive_sides(function, branches, least=3.1, threads=1) == {}


def test_who_asks_anyway_asks_at_the_branch() -> None:
    function = parse_function(CASCADE.replace("PREDICATE", "slt"))

    def skipped(*guarded: str) -> dict[str, str]:
        return dict(expensive_sides(function, BRANCHES, least=1000, threads=16, guarded=frozenset(guarded)))

    assert skipped() == {}
    assert skipped("deep") == {"third": "deep"}
    assert skipped("second") == {"entry": "second"}
    # threads that come to a block behind a divergent branch are tested there, and what both sides reach is not on one side
    assert skipped("far", "out") == {"second": "far"}


def test_uniform_branches_lead_all_who_come_to_what_asks() -> None:
    function = parse_function(CASCADE.replace("PREDICATE", "slt"))
    found = expensive_sides(function, BRANCHES - {"second"}, least=1000, threads=16, guarded=frozenset({"far"}))
    assert found == {"entry": "second"}


def test_exits_share_the_threads_of_a_loop() -> None:
    """A loop that is left to two places: both lead on to one block, which threads come to once."""
    function = parse_function("""
        define i32 @f(i32 %x) {
        entry:
          jump head
        head:
          %k = phi i32 [0, entry], [%next, latch]
          %a = icmp slt i32 %k, %x
          branch %a, body, searched
        body:
          %b = icmp sgt i32 %k, 40
          branch %b, failed, latch
        latch:
          %next = add i32 %k, 1
          jump head
        searched:
          jump out
        failed:
          jump out
        out:
          %r = phi i32 [1, searched], [2, failed]
          return i32 %r
        }""")
    reached = chances(function, find_region(function, None)).blocks
    assert (reached["searched"], reached["failed"], reached["out"]) == (0.5, 0.5, 1.0)
