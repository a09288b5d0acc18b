"""Loops without a way out: threads that come to one never end, and the others mean what they mean without them."""

from __future__ import annotations

import random

import pytest

from rv.analysis.cfg.flow import FlowGraph
from rv.analysis.cfg.loops import find_loops
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import run_lockstep
from rv.semantics.memory import Memory
from rv.semantics.scalar import Program
from rv.semantics.scope import Exhausted
from rv.transform.linearize.control_uniform import control_uniform
from tests.rv.forms import assert_loop_simplify_form
from tests.rv_divergence.graphs import graph, random_reducible
from tests.rv_linear.threads import Number, alone, together
from tests.rv_linear.unstructured import random_code

NEVER = """
define i32 @f(ptr %M, i32 %n) {
entry:
  %far = icmp sgt i32 %n, 50
  branch %far, outer, near
outer:
  %i = phi i32 [0, entry], [%next, body], [%i, again]
  %next = add i32 %i, 1
  store i32 %i, %M
  %odd = trunc i32 %i to i1
  branch %odd, body, again
body:
  jump outer
again:
  %small = icmp slt i32 %n, 60
  branch %small, outer, inner
inner:
  jump inner
near:
  %farther = icmp slt i32 %n, -50
  branch %farther, down, out
down:
  jump down
out:
  store i32 %n, %M
  return i32 %n
}
"""


def endless(before: FlowGraph, chosen: random.Random) -> FlowGraph:
    """The graph in which one or two blocks lead to themselves for ever, without what is not reached then."""
    ways = dict(before.successors)
    for label in chosen.sample(list(ways)[1:], chosen.choice((1, 1, 2))):
        ways[label] = (label,)
    reached = [before.entry]
    for label in reached:
        reached += [target for target in ways[label] if target not in reached]
    return graph({label: " ".join(ways[label]) for label in ways if label in reached})


def check(function: Function, numbers: list[list[Number]], size: int) -> bool:
    """Whether some threads end; those are compared, and one that does not end keeps the others from ending."""
    lanes = verify(control_uniform(function, [p.var.name for p in function.parameters]))
    assert_loop_simplify_form(lanes)
    program = Program(function)
    single = [alone(program, [bytes(size)], own) for own in numbers]
    ending = [own for own, found in zip(numbers, single, strict=True) if found is not None]
    if not ending:
        return False
    expected = [found for found in single if found is not None]
    assert together(function, [[bytes(size)]] * len(ending), ending, Interpretation.FREEZING) == expected
    assert together(lanes, [[bytes(size)]] * len(ending), ending, Interpretation.OBLIVIOUS) == expected
    return True


def check_seed(seed: int) -> bool:
    chosen = random.Random(seed)
    size = chosen.randint(3, 10)
    function = verify(random_code(endless(random_reducible(chosen, size), chosen), chosen))
    return check(function, [[chosen.randint(0, 99), chosen.randint(0, 99)] for _ in range(6)], 4 * size)


def test_threads_that_end_are_not_kept_by_loops_that_do_not() -> None:
    assert sum(map(check_seed, range(80))) > 30


@pytest.mark.long
def test_threads_that_end_are_not_kept_by_loops_that_do_not_long() -> None:
    assert sum(map(check_seed, range(80, 4000))) > 1500


def test_several_latches_and_loops_behind_each_other() -> None:
    function = verify(parse_function(NEVER))
    assert check(function, [[0], [50], [-50], [7]], 4)
    lanes = verify(control_uniform(function, ["M", "n"]))
    for number in (51, 60, -51):
        memory = Memory()
        arguments = [[memory.map("M", bytearray(4)).base, n] for n in (7, number)]
        with pytest.raises(Exhausted):
            run_lockstep(lanes, arguments, memory, interpretation=Interpretation.OBLIVIOUS, fuel=500)


def test_no_thread_ends() -> None:
    function = parse_function("define void @f(i32 %n) {\nentry:\n  jump head\nhead:\n  jump head\n}")
    assert len(find_loops(verify(control_uniform(function, ["n"]))).loops) == 1
