"""The divergence analysis against programs that several threads execute in lock step, and on written programs."""

from __future__ import annotations

import random
from collections.abc import Iterator
from itertools import combinations

import pytest

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.divergence.control_divergence import control_divergence
from rv.analysis.divergence.divergence_analysis import Divergence, divergence
from rv.analysis.divergence.explanation import Explanation
from rv.analysis.divergence.propagation import Semilattice, Shapes, Site, propagate
from rv.analysis.values.uses import Definition
from rv.ir.function import Function
from rv.ir.instructions import Horizontal, Mask, Phi
from rv.ir.parser import parse_function
from rv.ir.values import Var
from tests.rv_divergence.threads import LockStep, Step, random_function, with_shadow


def check_step(step: Step, found: Divergence, pairs: Iterator[tuple[int, int]]) -> None:
    """What is said to be uniform is the same for both threads of every pair, as far as they define it together."""
    label = step.block.label
    for a, b in pairs:
        both = step.running[a] and step.running[b]
        assert step.running[a] == step.running[b] or label in found.varying_predicates, label
        assert not both or step.targets[a] == step.targets[b] or label in found.divergent_branches, label
        for definition in (*step.block.phis, *step.block.body):
            if definition.result is not None and (both or with_shadow(definition)):
                name = definition.result.name
                defined = name in step.values[a] and name in step.values[b]
                assert not defined or step.values[a][name] == step.values[b][name] or name in found.varying, name


def check_program(seed: int, runs: int) -> tuple[int, int]:
    """How many variables there are, and how many are found varying."""
    generator = random.Random(seed)
    function = random_function(generator)
    found = divergence(function, {"s", "t"})
    for _ in range(runs):
        uniform = {"u": generator.randrange(4), "w": generator.randrange(256)}
        threads = [{"s": generator.randrange(8), "t": generator.randrange(256), **uniform} for _ in range(3)]
        for step in LockStep(function, flow_graph(function), threads).run(generator, 60):
            check_step(step, found, combinations(range(3), 2))
    names = {d.result.name for b in function.blocks for d in (*b.phis, *b.body) if d.result is not None}
    return len(names), len(names & found.varying)


def test_uniform_values_are_uniform() -> None:
    counts = [check_program(seed, 5) for seed in range(250)]
    assert 0.2 < sum(v for _, v in counts) / sum(n for n, _ in counts) < 0.9


@pytest.mark.long
def test_many_programs() -> None:
    for seed in range(1000, 21000):
        check_program(seed, 6)


DIMENSIONS: Semilattice[frozenset[int]] = Semilattice(frozenset(), lambda a, b: a | b, lambda shape: shape)


def dimensions_of(definition: Definition, site: Site[frozenset[int]]) -> frozenset[int]:
    operands = frozenset[int]().union(*site.operands)
    match definition:
        case Mask():
            return site.activation
        case Phi(shadow=shadow):
            return operands | site.activation if shadow is not None else operands
        case Horizontal():
            return frozenset()
        case _:
            return operands


def analyze_dimensions(function: Function) -> Shapes[frozenset[int]]:
    control = control_divergence(function)
    return propagate(function, control, DIMENSIONS, {"s": frozenset({0}), "t": frozenset({1})}, dimensions_of)


def check_dimensions(seed: int) -> None:
    """A grid of 2 x 2 threads, %s different in the rows and %t in the columns; threads of one row differ in dimension 1 only."""
    generator = random.Random(seed)
    function = random_function(generator)
    shapes = analyze_dimensions(function)
    for _ in range(4):
        rows, columns = [[generator.randrange(8) for _ in range(2)] for _ in range(2)]
        uniform = {"u": generator.randrange(4), "w": generator.randrange(256)}
        threads = [{"s": s, "t": t, **uniform} for s in rows for t in columns]
        for step in LockStep(function, flow_graph(function), threads).run(generator, 60):
            for dimension, pairs in enumerate((((0, 2), (1, 3)), ((0, 1), (2, 3)))):
                check_step(step, along(shapes, dimension), iter(pairs))


def along(shapes: Shapes[frozenset[int]], dimension: int) -> Divergence:
    def varying(found: dict[str, frozenset[int]]) -> frozenset[str]:
        return frozenset(key for key, shape in found.items() if dimension in shape)

    return Divergence(
        varying(dict(shapes.values)),
        varying(dict(shapes.objects)),
        varying(dict(shapes.branches)),
        varying(dict(shapes.loops)),
        frozenset(),
        varying(dict(shapes.activations)),
        None,  # type: ignore[arg-type]
    )


def test_dimensions_are_sets_of_their_own() -> None:
    for seed in range(150):
        check_dimensions(seed)


def analyzed(body: str, varying: set[str], **options: frozenset[str]) -> tuple[Function, Divergence]:
    function = parse_function(body)
    return function, divergence(function, varying, **options)


LOOP = """define i32 @f(i32 %t, i32 %n) {
entry:
  jump head
head:
  %i = phi i32 [0, entry], [%i.next, latch]
  %twice = add i32 %i, %i
  %kill = icmp eq i32 %twice, %n
  branch %kill, killed, body
body:
  %more = icmp slt i32 %i, %t
  branch %more, latch, done
latch:
  %i.next = add i32 %i, 1
  jump head
killed:
  %k = phi i32 [%i, head]
  jump end
done:
  %d = phi i32 [%i, body]
  %five = phi i32 [5, body]
  jump end
end:
  %r = phi i32 [%k, killed], [%d, done]
  %same = phi i32 [7, killed], [7, done]
  return i32 %r
}
"""


def test_values_that_leave_a_divergent_loop() -> None:
    _, found = analyzed(LOOP, {"t"})
    # the loop's values are uniform inside; one exit is taken by all remaining threads at once, the other one is not
    assert found.varying == {"t", "more", "d", "r"}
    assert found.divergent_branches == {"body"}
    assert found.divergent_loops == {"head"}
    assert {(e.source, e.target) for e in found.divergent_exits} == {("body", "done")}
    assert found.varying_predicates == {"head", "body", "latch", "killed", "done"}


def test_no_source_no_divergence() -> None:
    _, found = analyzed(LOOP, set())
    assert not found.varying and not found.divergent_branches and not found.varying_predicates


def test_values_read_after_the_loop_without_phis() -> None:
    text = LOOP.replace("  %k = phi i32 [%i, head]\n", "  %k = add i32 %i, 0\n")
    text = text.replace("%d = phi i32 [%i, body]", "%x = phi i32 [5, body]")
    text = text.replace("  %five = phi i32 [5, body]\n", "  %d = add i32 %twice, 0\n")
    _, found = analyzed(text, {"t"})
    assert {"d", "k"} <= found.varying  # without a phi at the exit nothing distinguishes the exits
    assert not {"i", "twice", "x"} & found.varying


def test_one_iteration_per_thread() -> None:
    inside = frozenset({"head", "body", "latch"})
    _, found = analyzed(LOOP, set(), region=inside)
    assert found.varying == {"i", "twice", "kill", "more", "i.next"}
    assert found.divergent_branches == {"head", "body"}
    assert found.leaving_apart == {("head", "killed"), ("body", "done"), ("latch", "head")}
    _, found = analyzed(LOOP, set(), region=inside, uniform=frozenset({"i"}))
    assert not found.varying


SHADOW = """define i32 @f(i32 %v, i32 %u) {
a:
  %p = icmp eq i32 %v, 0
  branch %p, b, e
b:
  %q = icmp eq i32 %u, 0
  branch %q, c, d
c:
  jump d
d:
  %z = phi i32 [0, b], [1, c]
  %y = phi i32 [0, b], [1, c] shadow(2)
  %m = mask()
  %some = horizontal i1 any(i1 %p)
  %lane = horizontal i32 lane()
  jump e
e:
  %x = phi i32 [5, a], [%z, d]
  %w = mask()
  %unknown = call i32 @something()
  %root = call double @sqrt(double 0x1.0p+1)
  return i32 %x
}
"""


def test_shadows_and_activation() -> None:  # figures 6.4c and 6.9
    _, found = analyzed(SHADOW, {"v"})
    assert found.varying == {"v", "p", "y", "m", "lane", "x", "unknown"}
    assert found.varying_predicates == {"b", "c", "d"}
    assert found.divergent_branches == {"a"}


def test_predicates_are_activations() -> None:
    _, found = analyzed(SHADOW.replace("e:\n", "e: predicate %p\n"), {"v"})
    assert "w" in found.varying and "e" in found.varying_predicates


SPANS = """define i32 @f(ptr %A, i64 %i, i32 %n) {
entry:
  %p = elemptr i32, %A [%i]
  %x = load i32, %p
  %c = icmp slt i32 %x, %n
  branch %c, then, end
then:
  jump end
end:
  %r = phi i32 [0, entry], [1, then]
  %d = icmp eq i32 %r, 0
  branch %d, last, out
last:
  jump out
out:
  return i32 %r
}
"""


def test_chain_of_causes() -> None:
    function, found = analyzed(SPANS, {"i"})
    assert [str(link) for link in Explanation(function, found.shapes).branch("end")] == [
        "the branch in end is divergent: its condition is %d",
        "%d varies: it compares %r",
        "%r varies: it merges different values from the two sides of the branch in entry",
        "the branch in entry is divergent: its condition is %c",
        "%c varies: it compares %x",
        "%x varies: it is loaded through %p",
        "%p varies: it is an address computed from %i",
        "%i varies: its values differ between threads on entry",
    ]
    assert Explanation(function, found.shapes).value("n") == ()


def test_chains_end_at_a_source() -> None:
    for seed in range(60):
        function = random_function(random.Random(seed))
        found = divergence(function, {"s", "t"})
        for name in found.varying:
            assert Explanation(function, found.shapes).value(name)[-1].subject in ("s", "t")
        for label in found.divergent_branches:
            assert Explanation(function, found.shapes).branch(label)[-1].subject in ("s", "t")
    for seed in range(60):
        function = random_function(random.Random(seed))
        shapes = analyze_dimensions(function)
        for name, dimensions in shapes.values.items():
            for d in dimensions:
                chain = Explanation(function, shapes).value(name, lambda shape, d=d: d in shape)  # type: ignore[misc]
                assert chain[-1].subject == "st"[d]


def test_results_of_one_variable() -> None:
    _, found = analyzed(SPANS, {"i"})
    function = parse_function(SPANS)
    assert found.varies(Var("x", function.block("entry").body[1].result.type))  # type: ignore[union-attr]
    assert not found.varies(function.parameters[2].var)


def test_only_values_that_meet_are_mixed() -> None:
    _, found = analyzed(
        """define i32 @f(i1 %u, i1 %v) {
a:
  branch %u, b, e
b:
  branch %v, c, d
c:
  jump end
d:
  jump end
e:
  jump end
end:
  %same = phi i32 [5, c], [5, d], [7, e]
  %other = phi i32 [5, c], [6, d], [7, e]
  return i32 %same
}
""",
        {"v"},
    )
    assert found.varying == {"v", "other"}
