"""Shapes of whole functions: the thesis's examples, and random programs that threads run in lock step."""

import random

import pytest

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.strides.readings import Facts
from rv.analysis.strides.shape_analysis import vector_shapes
from rv.analysis.strides.shape_lattice import shape, uniform, varying
from rv.ir.parser import parse_function
from rv.ir.types import IntType
from rv.ir.values import Var
from tests.rv_divergence.threads import LockStep, random_function
from tests.rv_shapes.concrete import signed


def analyzed(text, lanes=4, **given):
    return vector_shapes(parse_function(text), given, lanes)


def written(found, *names):
    return [str(found.found.values[name]) for name in names]


def test_strided_accesses():  # figure 10.1
    found = analyzed(
        """define void @f(i32 %tid, ptr %A, ptr %B) {
        e:
          %i = mul nsw i32 -2, %tid
          %wide = sext i32 %i to i64
          %p = elemptr float, %B [%wide]
          %x = load float, %p
          %tid64 = sext i32 %tid to i64
          %q = elemptr float, %A [%tid64]
          store float %x, %q
          return void
        }""",
        tid=shape(32, 1, 4, Facts.SIGNED),
        A=shape(64, 0, 4),
        B=shape(64, 0, 4),
    )
    assert written(found, "i", "wide", "p", "q", "x") == ["(-2, 8)", "(-2, 8)", "(-8, 4)", "(4, 4)", "v"]


def test_a_comparison_with_an_aligned_bound():  # figure 10.2
    text = """define void @f(i32 %tid, i32 %k) {
        e:
          %c = icmp sge i32 %tid, %k
          branch %c, a, b
        a:
          jump b
        b:
          return void
        }"""
    tid = shape(32, 1, 4, Facts.SIGNED)
    assert analyzed(text, tid=tid, k=shape(32, 0, 8)).divergent_branches == frozenset()
    assert analyzed(text, tid=tid, k=shape(32, 0, 2)).divergent_branches == {"e"}
    assert analyzed(text, lanes=8, tid=tid, k=shape(32, 0, 8)).divergent_branches == {"e"}


def test_the_other_side_of_a_bound_is_not_uniform():  # 8 >= 8 + t, where the thesis's figure 10.12 says uniform
    text = "define i1 @f(i32 %tid, i32 %k) {{\ne:\n  %c = icmp {} i32 {}\n  return i1 %c\n}}\n"
    tid, k = shape(32, 1, 4, Facts.SIGNED), shape(32, 0, 8)
    for predicate, operands, expected in (
        ("sge", "%tid, %k", "u"),
        ("slt", "%tid, %k", "u"),
        ("sgt", "%tid, %k", "v"),
        ("sle", "%tid, %k", "v"),
        ("sge", "%k, %tid", "v"),
        ("sgt", "%k, %tid", "u"),
        ("sle", "%k, %tid", "u"),
        ("slt", "%k, %tid", "v"),
    ):
        assert written(analyzed(text.format(predicate, operands), tid=tid, k=k), "c") == [expected], (predicate, operands)


def test_multiples_of_unrelated_numbers():  # figure 10.3
    found = analyzed(
        """define void @f(i64 %tid, ptr %Idx, ptr %B) {
        e:
          %p = elemptr i32, %Idx [%tid]
          %x = load i32, %p
          %j = mul nsw i32 4, %x
          return void
        }""",
        tid=shape(64, 1, 4),
    )
    assert written(found, "x", "j") == ["v", "4"]


@pytest.mark.parametrize("lines", [("mul nsw i64 2, %i", "add nsw i64 %x, 1"), ("shl i64 %i, 1", "or i64 %x, 1")])
def test_obscured_address_arithmetic(lines):  # figure 10.5
    first, second = lines
    found = analyzed(
        f"""define void @f(i64 %i, ptr %A) {{
        e:
          %x = {first}
          %j = {second}
          %p0 = elemptr double, %A [%x]
          %p1 = elemptr double, %A [%j]
          return void
        }}""",
        lanes=8,
        i=shape(64, 1, 8, Facts.SIGNED),
        A=shape(64, 0, 8),
    )
    assert written(found, "x", "j", "p0", "p1") == ["(2, 16)", "(2, 1)", "(16, 8)", "(16, 8)"]


def test_more_is_uniform_than_the_basic_lattice_knows():  # as in figure 10.7: a division of what only looks varying
    found = analyzed(
        """define void @f(i64 %i, ptr %A, ptr %B) {
        e:
          %p = elemptr double, %A [%i]
          %q = elemptr double, %B [%i]
          %a = ptrtoint ptr %p to i64
          %b = ptrtoint ptr %q to i64
          %n = sub i64 %b, %a
          %d = sdiv i64 %n, 32
          %r = udiv i64 %i, 4
          %Aptr = elemptr double, %A [%d]
          return void
        }""",
        i=shape(64, 1, 4),
        A=shape(64, 0, 32),
        B=shape(64, 0, 32),
    )
    assert written(found, "p", "q", "n", "d", "r") == ["(8, 32)", "(8, 32)", "(0, 32)", "u", "u"]
    assert found.of(Var("Aptr", IntType(64))).is_uniform


@pytest.mark.parametrize("flag", [" nsw", ""])
def test_thread_numbers_beside_aligned_values(flag):  # figure 10.11
    found = analyzed(
        f"""define void @f(i32 %k, i32 %l) {{
        e:
          %tid = horizontal i32 lane()
          %x = mul{flag} i32 4, %l
          %y = add{flag} i32 %x, %tid
          %z = mul{flag} i32 36, %k
          %b = icmp sge i32 %y, %z
          return void
        }}"""
    )
    assert written(found, "tid", "x", "y", "b") == ["(1, 0)", "(0, 4)", "(1, 4)", "u"]
    # without the promise that it does not overflow, 36k is a multiple of 4 and no more
    assert written(found, "z") == ["(0, 36)" if flag else "(0, 4)"]


def test_narrow_counters_that_wrap():
    body = "  %w = zext i8 %i to i64\n  %x = add i8 %i, 1\n  %v = zext i8 %x to i64\n"
    text = f"define void @f(i8 %i) {{\ne:\n{body}  return void\n}}\n"
    found = analyzed(text, i=shape(8, 1, 4))
    assert written(found, "w", "x", "v") == ["(1, 4)", "(1, 1)", "v"]  # 255, 0, 1, 2 is a vector of %x


def test_control_flow_leaves_the_alignment():
    found = analyzed(
        """define void @f(i32 %tid, i32 %n) {
        e:
          %c = icmp eq i32 %tid, %n
          %four = mul i32 %n, 4
          branch %c, a, b
        a:
          jump b
        b:
          %x = phi i32 [8, a], [%four, e]
          return void
        }""",
        tid=varying(32),
    )
    assert written(found, "x") == ["4"]


def check_step(step, found):
    """What threads that run a block together define there has the shape that was found."""
    running = [t for t, runs in enumerate(step.running) if runs]
    for definition in (*step.block.phis, *step.block.body):
        name = definition.result.name
        words = {t: step.values[t][name] for t in running if name in step.values[t]}
        if definition.result.type == IntType(1):
            of = found.of(definition.result)
            assert not of.is_uniform or len(set(words.values())) <= 1, name
        elif words:
            assert holds(found.of(definition.result), words), (name, found.of(definition.result), words)


def holds(of, words):
    """Whether some vector of the shape has these words in these threads."""
    if of.stride is None:
        return all(word % of.alignment == 0 if of.alignment else word == 0 for word in words.values()) and sign_holds(of, words)
    firsts = {(word - of.stride * t) % 256 for t, word in words.items()}
    if len(firsts) > 1 or not sign_holds(of, words):
        return False
    for fact, reading in ((Facts.SIGNED, lambda word: signed(word, 8)), (Facts.UNSIGNED, lambda word: word)):
        exact = {reading(word) - of.stride * t for t, word in words.items()}
        if fact in of.facts and (len(exact) > 1 or any(x % of.alignment if of.alignment else x for x in exact)):
            return False
    (first,) = firsts
    power = of.alignment & -of.alignment
    return first % power == 0 if of.alignment else first == 0


def sign_holds(of, words):
    return Facts.NONNEGATIVE not in of.facts or all(word < 128 for word in words.values())


def check_program(seed, runs):
    generator = random.Random(seed)
    function = random_function(generator)
    given = {"s": shape(8, 1, 4), "t": varying(8), "u": shape(8, 0, 4), "w": uniform(8)}
    found = vector_shapes(function, given, 3)
    for _ in range(runs):
        same = {"u": 4 * generator.randrange(64), "w": generator.randrange(256)}
        start = 4 * generator.randrange(64)
        threads = [{"s": start + t, "t": generator.randrange(256), **same} for t in range(3)]
        for step in LockStep(function, flow_graph(function), threads).run(generator, 60):
            check_step(step, found)
    shapes = [found.of(d.result) for b in function.blocks for d in (*b.phis, *b.body)]
    return len(shapes), sum(of.stride is not None for of in shapes)


def test_random_programs():
    counts = [check_program(seed, 4) for seed in range(150)]
    assert 0.2 < sum(s for _, s in counts) / sum(n for n, _ in counts) < 0.9


@pytest.mark.long
def test_many_random_programs():
    for seed in range(1000, 21000):
        check_program(seed, 5)
