"""The body of one loop as a region: what is outside stays as it is, and the whole still means the same."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rv.analysis.cfg.loops import find_loops
from rv.analysis.divergence.divergence_analysis import divergence
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.instructions import Binary, Branch, CompareInt, Phi
from rv.ir.types import I1, I32
from rv.ir.values import Var, const_i32
from rv.semantics.block_code import Interpretation
from rv.semantics.scalar import Program
from rv.transform.linearize.control_uniform import canonical_control
from rv.transform.linearize.divergent_loops import uniform_loops
from rv.transform.linearize.partial import linearize
from tests.rv_divergence.graphs import graph, random_reducible
from tests.rv_linear.threads import Number, alone, together
from tests.rv_linear.unstructured import random_code


def looped(chosen: random.Random, size: int) -> Function:
    """Random control flow, three times: from block b0 through b1 ... to the latch, which goes back or out."""
    inner = random_reducible(chosen, size)
    latch, out = f"b{size + 1}", f"b{size + 2}"
    edges = {"b0": "b1"}
    for label, ways in inner.successors.items():
        edges[f"b{int(label[1:]) + 1}"] = " ".join(f"b{int(w[1:]) + 1}" for w in ways) or latch
    function = random_code(graph({**edges, latch: f"b0 {out}", out: ""}), chosen)
    count, following, again = Var("count", I32), Var("count.next", I32), Var("again", I1)
    head, last = function.block("b0"), function.block(latch)
    head = replace(head, phis=(*head.phis, Phi(count, (("start", const_i32(0)), (latch, following)))))
    step = (Binary(following, "add", count, const_i32(1)), CompareInt(again, "slt", following, const_i32(3)))
    last = replace(last, body=(*last.body, *step), terminator=Branch(again, "b0", out))
    changed = {"b0": head, latch: last}
    return replace(function, blocks=tuple(changed.get(block.label, block) for block in function.blocks))


def check(seed: int) -> bool:
    chosen = random.Random(seed)
    size = chosen.randint(3, 9)
    source = verify(looped(chosen, size))
    program = Program(source)
    given: list[list[Number]] = [[5, chosen.randint(0, 99)] for _ in range(4)]
    memory = [[bytes(4 * size + 12)] for _ in given]
    expected = [alone(program, a, n) for a, n in zip(memory, given, strict=True)]
    if None in expected:
        return False
    function = canonical_control(source)
    loop = find_loops(function).loops["b0"]
    region = loop.blocks - {"b0"}
    head = function.block("b0")
    outside = {s.result.name for s in (*head.phis, *head.body) if s.result is not None} - {"count"}
    facts = divergence(function, {"A", "v"} | outside, region=region)
    loops = uniform_loops(function, facts.divergent_loops, facts.divergent_branches, region)
    assert loops.region is not None
    lanes = verify(linearize(loops.function, loops.divergent, loops.region))
    for block in function.blocks:
        if block.label not in region:
            assert lanes.block(block.label).terminator == block.terminator
    assert together(lanes, memory, given, Interpretation.OBLIVIOUS) == expected
    return True


@settings(max_examples=25, deadline=None)
@given(seed=st.integers(0, 10**9))
def test_body_of_a_loop(seed: int) -> None:
    check(seed)


@pytest.mark.long
def test_body_of_a_loop_long() -> None:
    assert sum(map(check, range(3000))) > 2000
