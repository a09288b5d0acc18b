"""What threads see of each other: masks and horizontal operations keep their participants; masked-off threads do nothing."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from rv.analysis.divergence.divergence_analysis import divergence
from rv.analysis.verify import verify
from rv.internal_error import InternalError
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Convert, ElementPointer, Horizontal, Instruction, Load, Mask, Store
from rv.ir.parser import parse_function
from rv.ir.types import I1, I64, PTR
from rv.ir.values import TRUE, Var, const_i64
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import run_lockstep
from rv.semantics.memory import Memory
from rv.semantics.schedule import random_scheduler
from rv.semantics.scope import Exhausted
from rv.transform.linearize.control_uniform import canonical_control, control_uniform
from rv.transform.linearize.divergent_loops import uniform_loops
from rv.transform.linearize.partial import linearize
from tests.rv_divergence.graphs import random_reducible
from tests.rv_linear.unstructured import A, random_code


def with_census(function: Function, chosen: random.Random) -> Function:
    """Every block adds the ballot of its active threads, and its mask, to a place of its own: the executions become visible.

    Some branches ask all threads that come to them.
    """
    blocks = (_with_census(block, place) for place, block in enumerate(function.blocks))
    return replace(function, blocks=tuple(_asking(block, chosen) for block in blocks))


def _asking(block: Block, chosen: random.Random) -> Block:
    end, test = block.terminator, Var(f"test.{block.label}", I1)
    if not isinstance(end, Branch) or chosen.random() < 0.7:
        return block
    question = Horizontal(test, "any" if chosen.random() < 0.5 else "all", (end.condition,))
    return replace(block, body=(*block.body, question), terminator=replace(end, condition=test))


def _with_census(block: Block, place: int) -> Block:
    def new(name: str, type_: object) -> Var:
        return Var(f"{name}.census.{block.label}", type_)  # type: ignore[arg-type]

    ballot, mask, wide, old = new("ballot", I64), new("mask", I1), new("wide", I64), new("old", I64)
    scaled, seen, total, pointer = new("scaled", I64), new("seen", I64), new("total", I64), new("pointer", PTR)
    body: list[Instruction] = [
        Mask(mask),
        Horizontal(ballot, "ballot", (TRUE,)),
        Convert(wide, "zext", mask),
        ElementPointer(pointer, I64, A, (const_i64(20 + place),), ()),
        Load(old, pointer),
        Binary(scaled, "mul", old, const_i64(31)),
        Binary(seen, "add", scaled, ballot),
        Binary(total, "add", seen, wide),
        Store(total, pointer),
    ]
    return replace(block, body=(*body, *block.body))


def run(function: Function, seed: int, width: int, uniform: bool, lanes: bool) -> list[bytes] | None:
    chosen = random.Random(seed)
    memory = Memory()
    buffers = [bytearray(400) for _ in range(width)]
    common = chosen.randint(0, 99)
    arguments = [
        [memory.map(f"A{t}", b).base, common if uniform else chosen.randint(0, 99), chosen.randint(0, 99)]
        for t, b in enumerate(buffers)
    ]
    kind = Interpretation.OBLIVIOUS if lanes else Interpretation.FREEZING
    try:
        run_lockstep(function, arguments, memory, interpretation=kind, fuel=3000)
    except Exhausted:
        return None
    return [bytes(b) for b in buffers]


def check_census(seed: int) -> bool:
    chosen = random.Random(seed)
    size = chosen.randint(4, 10)
    # which threads meet behind a divergent loop is only defined when the loop is uniform, and in a loop when it has one latch
    function = canonical_control(with_census(random_code(random_reducible(chosen, size), chosen), chosen))
    uniform = chosen.random() < 0.5
    facts = divergence(function, ["A", "v"] if uniform else ["A", "u", "v"])
    loops = uniform_loops(function, facts.divergent_loops, facts.divergent_branches)
    lanes = verify(linearize(loops.function, loops.divergent))
    expected = run(loops.function, seed, 4, uniform, lanes=False)
    assert expected is None or run(lanes, seed, 4, uniform, lanes=True) == expected
    return expected is not None


def test_horizontal_operations_keep_their_participants() -> None:
    assert sum(map(check_census, range(40))) > 20


@pytest.mark.long
def test_horizontal_operations_keep_their_participants_long() -> None:
    assert sum(map(check_census, range(40, 3000))) > 2000


LOOP = """
define i32 @f(ptr %A, i1 %on, i32 %n) {
entry:
  %b = load i32, %A
  %c = icmp slt i32 %b, %n
  branch %c, pre, out
pre:
  jump head
head:
  %i = phi i32 [0, pre], [%next, head]
  %q = sdiv i32 %n, %b
  store i32 %q, %A
  %next = add i32 %i, 1
  %more = icmp slt i32 %next, %n
  branch %more, head, done
done:
  jump out
out:
  return i32 %n
}
"""


@pytest.mark.parametrize("active", [(), (0,), (1, 2), (0, 1, 2, 3)])
def test_masked_off_threads_do_nothing(active: tuple[int, ...]) -> None:
    """Their pointers are null, and what they would divide by is zero; with no thread active, the loop ends."""
    function = parse_function(LOOP)
    lanes = verify(control_uniform(function, ["A", "on", "n"], mask=Var("on", I1)))
    for seed in range(5):
        memory = Memory()
        buffers = [bytearray((2 + t).to_bytes(4, "little")) for t in range(4)]
        arguments = [
            (memory.map(f"A{t}", b).base if t in active else 0, int(t in active), 9 + t) for t, b in enumerate(buffers)
        ]
        run_lockstep(
            lanes, arguments, memory, interpretation=Interpretation.OBLIVIOUS, scheduler=random_scheduler(seed), fuel=500
        )
        expected = [(9 + t) // (2 + t) if t in active else 2 + t for t in range(4)]
        assert [int.from_bytes(b, "little") for b in buffers] == expected


REFUSED = """
define void @f(i1 %c, i1 %d) {
entry:
  jump head
head:
  branch %c, latch, out
latch:
  jump head
out:
  branch %d, a, b
a:
  return void
b:
  return void
}
"""


@pytest.mark.parametrize("divergent", ["head", "out"])
def test_threads_must_not_part(divergent: str) -> None:
    function = verify(parse_function(REFUSED))
    with pytest.raises(InternalError, match="leaves a loop or a region|leave a region apart"):
        linearize(function, frozenset({divergent}))
    assert linearize(function, frozenset()) == function
