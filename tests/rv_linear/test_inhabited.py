"""Masks that some thread is known to be in."""

from __future__ import annotations

import pytest

from rv.analysis.divergence.inhabited import inhabited
from rv.analysis.verify import verify
from rv.ir.parser import parse_function
from rv.ir.types import I1
from rv.ir.values import TRUE, Var

TEXT = """
define void @f(i1 %m, i1 %c, i1 %d) {
entry:
  %mc = select %m, i1 %c, 0 total
  %either = or i1 %mc, %d total
  %leaves = select %d, i1 %c, 1 total
  %c.not = xor i1 %c, 1 total
  %d.not = xor i1 %d, 1 total
  %stays = select %d, i1 %c.not, 0 total
  %not.both = select %d, i1 %stays, %m total
  %either.not = or i1 %d.not, %stays total
  %gone = select %d.not, i1 %m, 0 total
  %any = horizontal i1 any(i1 %mc) total
  %all = horizontal i1 all(i1 %leaves) total
  %own = horizontal i1 any(i1 %m)
  branch %any, some, none
some:
  jump some.more
some.more:
  branch %all, out, refuted
none:
  branch %own, out, out.1
refuted:
  jump out
out.1:
  jump out
out:
  return void
}
"""


@pytest.mark.parametrize(("mask", "label", "known"), [
    ("mc", "some", True), ("m", "some", True), ("c", "some.more", True), ("either", "some", True), ("d", "some", False),
    ("mc", "entry", False), ("m", "none", False), ("m", "out", False), ("d", "refuted", True), ("m", "refuted", True),
    ("d", "out.1", False), ("m", "out.1", False), ("c.not", "refuted", True), ("stays", "refuted", True),
    ("d.not", "refuted", False), ("not.both", "refuted", True), ("either.not", "refuted", True), ("gone", "refuted", False),
    ("stays", "some.more", False), ("c", "refuted", True),
])  # fmt: skip
def test_what_branches_say(mask: str, label: str, known: bool) -> None:
    function = verify(parse_function(TEXT))
    assert inhabited(function).holds(Var(mask, I1), label) is known
    assert inhabited(function).holds(TRUE, label)
