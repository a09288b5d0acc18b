"""Every loop is one piece of the order of blocks, with what follows it behind, in random reducible functions."""

import pytest

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import find_loops
from rv.analysis.loop_order import loop_order
from rv.ir.parser import parse_function

EXIT_FIRST = """
define void @f(i64 %n) {
entry:
  jump outer
outer:
  %j = phi i64 [0, entry], [%j.1, after]
  %done = icmp sge i64 %j, %n
  branch %done, end, inner
inner:
  %k = phi i64 [0, outer], [%k.1, body]
  %over = icmp sge i64 %k, %n
  branch %over, after, body
body:
  %k.1 = add i64 %k, 1
  jump inner
after:
  %j.1 = add i64 %j, 1
  jump outer
end:
  return void
}
"""

LEFT_IN_THE_MIDDLE = """
define void @f(i64 %n) {
entry:
  jump head
head:
  %k = phi i64 [0, entry], [%k.1, latch]
  %odd = icmp sgt i64 %k, 7
  branch %odd, left, right
left:
  %stop = icmp sge i64 %k, %n
  branch %stop, end, latch
right:
  jump latch
latch:
  %k.1 = add i64 %k, 1
  jump head
end:
  return void
}
"""


@pytest.mark.parametrize(
    ("text", "order"),
    [
        (EXIT_FIRST, "entry outer inner body after end"),
        (LEFT_IN_THE_MIDDLE, "entry head left right latch end"),
    ],
)
def test_exits_stand_behind_loops(text, order):
    function = parse_function(text)
    places = loop_order(function)
    assert sorted(places, key=places.__getitem__) == order.split()
    graph = flow_graph(function)
    loops = find_loops(function).loops
    for loop in loops.values():
        own = sorted(places[label] for label in loop.blocks)
        assert own == list(range(own[0], own[0] + len(own)))
        for label in loop.blocks:
            forward = (t for t in graph.successors[label] if t not in loops or label not in loops[t].blocks)
            assert all(places[label] < places[target] for target in forward)
