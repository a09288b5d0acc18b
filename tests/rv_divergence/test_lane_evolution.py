"""Lane evolution: the figures of its document, and random programs against the interpreter and the divergence analysis."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from itertools import combinations

import pytest

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.divergence.divergence_analysis import divergence
from rv.analysis.lane_evolution.evolution import LaneEvolution, evolution_of_graph, lane_evolution
from rv.analysis.lane_evolution.instruction_graph import Node, instruction_graph
from rv.analysis.lane_evolution.lattice import RANDOM, UNIFORM, Evolution
from rv.ir.function import Block
from rv.ir.instructions import Branch
from rv.ir.parser import parse_function
from tests.rv_divergence.threads import LockStep, Step, random_function


def evolution_of(text: str) -> LaneEvolution:
    """Lines `label: [variable =] [variables read] -> successors`; `d` is random where the graph begins, `u` is uniform."""
    nodes: list[Node] = []
    edges: dict[str, tuple[str, ...]] = {}
    for line in text.strip().splitlines():
        label, rest = line.strip().split(":")
        statement, _, targets = rest.partition("->")
        defined, equals, reads = statement.rpartition("=")
        nodes.append(Node(label, defined.strip() or None, tuple(reads.split()) if equals or reads.strip() else ()))
        edges[label] = tuple(targets.split())
    return evolution_of_graph(instruction_graph(nodes, edges), {"d": RANDOM, "u": UNIFORM})


def tainted(text: str) -> set[str]:
    """The instructions that read something with different values in different lanes because of control flow."""
    return {label for label, _ in evolution_of(text).tainted}


TWO_DEFINITIONS = {
    # a definition in the influence region of A, and another one before it
    "I": ("X: x = -> A\n A: d -> T F\n T: x = -> U\n F: -> U\n U: x ->", {"U"}),
    # the only one that reaches the use
    "II": ("A: d -> T F\n T: -> J\n F: -> J\n J: x = -> U\n U: x ->", set()),
    # two of the influence region
    "III": ("A: d -> T F\n T: x = -> U\n F: x = -> U\n U: x ->", {"U"}),
    # lanes that come to the use have come through B together
    "IV": ("A: d -> B F\n B: u -> P Q\n P: x = -> U\n Q: x = -> U\n U: x -> F\n F: ->", set()),
}

LEAKING = {
    # lanes leave at different times, and all read x behind the loop
    "I": ("H: x = -> A\n A: d -> H U\n U: x ->", {"U"}),
    # the use is between one of two exits and where these meet
    "II": ("H: x = -> A\n A: d -> B U\n B: u -> H E\n E: -> M\n U: x -> M\n M: ->", {"U"}),
    # the lanes that A makes leave do not come to the use
    "III": ("H: x = -> A\n A: d -> B E\n B: u -> H U\n E: -> M\n U: x -> M\n M: ->", set()),
}

PARTLY_KILLING = {
    # A is on the loop: some lanes go on to the next iteration without defining x
    "I": ("H: -> V\n V: x -> A\n A: d -> D L\n D: x = -> E\n E: u -> L O\n L: -> H\n O: ->", {"V"}),
    # A and its influence region are inside the loop
    "II": ("H: -> V\n V: x -> A\n A: d -> D J\n D: x = -> J\n J: u -> H O\n O: ->", {"V"}),
    # the definition dominates the use
    "III": ("H: -> A\n A: d -> D J\n D: x = -> V\n V: x -> J\n J: u -> H O\n O: ->", set()),
}

ESOTERIC = {
    # the uses inside depend on the uniform B alone; the one behind A's region does not
    "I": ("A: d -> B E\n B: u -> P Q\n P: x = -> V\n Q: x = -> V\n V: x -> E\n E: ->", set()),
    # lanes that do not define x have no value
    "II": ("A: d -> T F\n T: x = -> U\n F: -> U\n U: x ->", set()),
    # a part of the lanes overwrite the other definition
    "III": ("X: x = -> B\n B: u -> A N\n A: d -> T N\n T: x = -> N\n N: -> U\n U: x ->", {"U"}),
    # the definition outside does not come through A
    "IV": ("B: u -> A X\n X: x = -> U\n A: d -> T F\n T: x = -> U\n F: -> U\n U: x ->", set()),
    # lanes that leave the inner loop wait behind it for the others
    "nested": ("X: x = -> H\n H: x -> A\n A: d -> D E\n D: x = -> H\n E: u -> X R\n R: ->", set()),
    # and so they do where the inner loop has two exits
    "two exits": ("X: x = -> H\n H: x -> A\n A: d -> D E\n D: x = -> G\n E: -> X\n G: u -> H R\n R: ->", set()),
    # a divergent latch of a loop with two exits: its influence region begins in the header
    "latch": ("H: x = -> B\n B: u -> A E\n A: d -> H F\n E: -> U\n F: -> U\n U: x ->", {"U"}),
}

FIGURES = {
    f"{name} {number}": case
    for name, cases in (
        ("two definitions", TWO_DEFINITIONS),
        ("leaking iterations", LEAKING),
        ("partly killing definitions", PARTLY_KILLING),
        ("esoteric", ESOTERIC),
    )
    for number, case in cases.items()
}


@pytest.mark.parametrize("name", FIGURES)
def test_figures(name: str) -> None:
    text, expected = FIGURES[name]
    assert tainted(text) == expected


SAME = """define i32 @f(ptr %A, i32 %d, i32 %u, i64 %k) {
a:
  %c = icmp eq i32 %d, 0
  branch %c, b, e
b:
  %x = add i32 %u, 1
  %p = elemptr i32, %A [%k]
  %v = load i32, %p
  jump f
e:
  %y = add i32 %u, 1
  %q = elemptr i32, %A [%k]
  %w = load i32, %q
  jump f
f:
  %sum = phi i32 [%x, b], [%y, e]
  %loaded = phi i32 [%v, b], [%w, e]
  %some = phi i32 [%x, b], [undef, e]
  %other = phi i32 [%x, b], [%w, e]
  jump h
h:
  %i = phi i32 [0, f], [%next, h]
  %fixed = mul i32 %u, 3
  %next = add i32 %i, 1
  %more = icmp slt i32 %i, %d
  branch %more, h, o
o:
  %outside = add i32 %fixed, 1
  %last = add i32 %i, 1
  return i32 %outside
}
"""


def test_equal_undefined_and_invariant_definitions() -> None:
    found = lane_evolution(parse_function(SAME), {"d": RANDOM})
    uniform = {"sum", "loaded", "some", "outside", "i", "next"}
    assert {name: found.of(name) for name in uniform} == dict.fromkeys(uniform, UNIFORM)
    assert found.of("other") == found.of("last") == RANDOM
    assert found.divergent == {"a.1", "h.4"}
    stored = SAME.replace("  %p = elemptr", "  store i32 0, %A\n  %p = elemptr")
    assert lane_evolution(parse_function(stored), {"d": RANDOM}).of("loaded") == RANDOM


def test_strides() -> None:
    text = """define i32 @f(ptr %A, i32 %i, i64 %j) {
a:
  %twice = shl i32 %i, 1
  %odd = add i32 %twice, 1
  %back = sub i32 7, %odd
  %p = elemptr double, %A [3, %j] extents [100]
  %far = elemptr double, %A [%j, 3] extents [100]
  %short = trunc i32 %back to i8
  %same = sub i32 %odd, %twice
  return i32 %same
}
"""
    found = lane_evolution(parse_function(text), {"i": Evolution(1), "j": Evolution(1)})
    expected = {"twice": 2, "odd": 2, "back": -2, "p": 8, "far": None, "short": -2, "same": 0}
    assert {name: found.of(name) for name in expected} == {name: Evolution(stride) for name, stride in expected.items()}


def check_block(step: Step, found: LaneEvolution, pairs: Iterator[tuple[int, int]]) -> None:
    """What is said to be uniform, or read as uniform, is the same in both lanes of every pair."""
    block = step.block
    for a, b in pairs:
        if step.running[a] and step.running[b]:
            assert step.targets[a] == step.targets[b] or found.is_divergent(terminator_of(block)), block.label
            for number, definition in enumerate((*block.phis, *block.body)):
                assert definition.result is not None
                name = definition.result.name
                defined = name in step.values[a] and name in step.values[b]
                same = not defined or step.values[a][name] == step.values[b][name]
                assert same or found.definitions[f"{block.label}.{number}"] != UNIFORM, name


def terminator_of(block: Block) -> str:
    return f"{block.label}.{len(block.phis) + len(block.body)}"


def check_program(seed: int, runs: int, kinds: Counter[str]) -> None:
    generator = random.Random(seed)
    function = random_function(generator)
    found = lane_evolution(function, {"s": RANDOM, "t": RANDOM})
    for _ in range(runs):
        uniform = {"u": generator.randrange(4), "w": generator.randrange(256)}
        threads = [{"s": generator.randrange(8), "t": generator.randrange(256), **uniform} for _ in range(3)]
        for step in LockStep(function, flow_graph(function), threads).run(generator, 60):
            check_block(step, found, combinations(range(3), 2))
    other = divergence(function, {"s", "t"})
    for block in function.blocks:
        if isinstance(block.terminator, Branch):
            kinds["branches"] += 1
            kinds["branches that only lane evolution finds uniform"] += (
                block.label in other.divergent_branches and not found.is_divergent(terminator_of(block))
            )
        for number, definition in enumerate((*block.phis, *block.body)):
            assert definition.result is not None
            varies = found.definitions[f"{block.label}.{number}"] != UNIFORM
            kinds["values"] += 1
            kinds["values that only lane evolution finds uniform"] += definition.result.name in other.varying and not varies
            kinds["values that only divergence analysis finds uniform"] += definition.result.name not in other.varying and varies


def check_kinds(kinds: Counter[str]) -> None:
    assert kinds["values that only divergence analysis finds uniform"] < 0.001 * kinds["values"]
    assert kinds["values that only lane evolution finds uniform"] < 0.01 * kinds["values"]


def test_random_programs() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(150):
        check_program(seed, 4, kinds)
    check_kinds(kinds)


@pytest.mark.long
def test_many_random_programs() -> None:
    kinds: Counter[str] = Counter()
    for seed in range(1000, 21000):
        check_program(seed, 5, kinds)
    print(kinds)
    check_kinds(kinds)
