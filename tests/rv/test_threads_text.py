"""What P-LLVM adds for threads: its text form, its verifier rules, and its meaning for a single thread."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rv.analysis.values.uses import use_counts
from rv.analysis.verify import IllFormed, verify
from rv.ir.function import Function
from rv.ir.instructions import HORIZONTAL_OPS, Binary, Instruction, is_total, operands
from rv.ir.parser import ParseError, parse_function
from rv.ir.printer import print_function
from rv.ir.rewrite import map_block
from rv.ir.types import I1
from rv.ir.values import TRUE, Const, Undef, Value, Var
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.semantics.undefined import UNDEFINED, Undefined
from rv.transform.loops.hoist import hoist_invariants
from rv.transform.scalar.dead import eliminate_dead_code
from rv.transform.scalar.numbering import number_values

TEXT = """\
define double @threads(ptr %A, i32 %n, double %s, i1 %live) {
entry: predicate %live
  %c = icmp slt i32 %n, 5 total
  %d = fcmp olt double %s, 0x0.0p+0 total
  branch %c, left, join
left:
  %x = fmul double %s, %s total
  %nx = fneg double %x total
  %p = elemptr double, %A [2] total
  %w = fptosi double %nx to i32 total
  %v = sdiv i32 %n, 3 total
  %k = select %d, i32 %w, %v total
  jump join
join: predicate %on hints "assumed"
  %y = phi double [%s, entry], [%x, left] shadow(%s)
  %on = phi i1 [1, entry], [%d, left] shadow(0)
  %m = mask()
  %q = xor i1 %m, 1 total
  %a = horizontal i1 any(i1 %m)
  %b = horizontal i1 all(i1 %a) total
  %i = horizontal i64 ballot(i1 %b)
  %j = horizontal i32 popcount(i1 %q)
  %l = horizontal i32 lane()
  %ls = horizontal i32 lanes()
  %f = horizontal double first(double %y)
  %g = horizontal double last(double %f)
  %h = horizontal double shuffle(double %g, i32 %l)
  %r0 = horizontal i32 reduce_add(i32 %ls)
  %r1 = horizontal i32 reduce_umin(i32 %r0)
  %r2 = horizontal double reduce_fmax(double %h)
  return double %r2
}
"""


def instruction(function: Function, name: str) -> Instruction:
    return next(i for _, i in function.instructions() if i.result is not None and i.result.name == name)


def test_every_construct_round_trips() -> None:
    function = verify(parse_function(TEXT))
    assert print_function(function) == TEXT
    assert function.block("join").predicate == Var("on", I1)
    assert function.block("left").predicate == TRUE
    assert function.block("join").phis[1].shadow == Const(I1, 0)
    totals = {i.result.name for _, i in function.instructions() if i.result is not None and is_total(i)}
    assert totals == {"c", "d", "x", "nx", "p", "w", "v", "k", "m", "q", "b"}


def test_constant_predicates_round_trip() -> None:
    text = TEXT.replace("predicate %live", "predicate 0")
    assert print_function(verify(parse_function(text))) == text


@pytest.mark.parametrize("line", ["%z = load double, %A total", "%z = mask() total", "%z = call double @sin(double %s) total"])
def test_only_what_computes_is_total(line: str) -> None:
    with pytest.raises(ParseError, match="total"):
        parse_function(TEXT.replace("  jump join\njoin", f"  {line}\n  jump join\njoin"))


def test_predicates_and_shadows_are_operands() -> None:
    function = parse_function(TEXT)
    assert use_counts(function)["on"] == 1
    assert operands(function.block("join").phis[0])[-1] == Var("s", function.parameters[2].var.type)

    def undefined(value: Value) -> Value:
        return Undef(value.type)

    changed = map_block(function.block("join"), undefined)
    assert changed.predicate == Undef(I1)
    assert changed.phis[0].shadow == Undef(function.parameters[2].var.type)
    assert [value for _, value in changed.phis[0].incoming] == [changed.phis[0].shadow] * 2


def test_a_predicate_keeps_its_definition_alive() -> None:
    function = eliminate_dead_code(parse_function(TEXT))
    assert instruction(function, "d") is not None
    assert [phi.result.name for phi in function.block("join").phis] == ["y", "on"]


BAD = [
    ("predicate %on", "predicate %y", "the predicate %y|%y is a double"),
    ("predicate %on", "predicate undef", "no truth value"),
    ("predicate %on", "predicate %nowhere", "%nowhere is not defined"),
    ("predicate %on", "predicate %z", "%z is not defined"),
    ("left:\n", "left: predicate %on\n", "does not dominate the block"),
    ("entry: predicate %live\n", "entry: predicate %on\n", "does not dominate the block"),
    ("predicate %on", "predicate %q", "`%m = mask\\(\\)` cannot run before"),
    ("predicate %on", "predicate %a", "cannot run before"),
    ("icmp slt i32 %n, 5 total\n", "icmp slt i32 %n, 5\n  %u = icmp eq i32 %n, 5 total\n", "cannot run before"),
    ("sdiv i32 %n, 3 total", "sdiv i32 %n, %w total", "total division"),
    ("sdiv i32 %n, 3 total", "srem i32 %n, -1 total", "total division"),
    ("sdiv i32 %n, 3 total", "udiv i32 %n, 0 total", "total division"),
    ("shadow(%s)", "shadow(%n)", "%n is a i32, not a double"),
    ("shadow(%s)", "shadow(%x)", "shadow %x does not dominate"),
    ("shadow(%s)", "shadow(%y)", "shadow %y does not dominate"),
    ("shadow(%s)", "shadow(%h)", "shadow %h does not dominate"),
    ("shadow(%s)", "shadow(%nowhere)", "%nowhere is not defined"),
    ("i1 any(i1 %m)", "i1 any(i32 %n)", "no any of \\(i32\\) gives a i1"),
    ("i1 all(i1 %a) total", "i1 all()", "no all"),
    ("i64 ballot(i1 %b)", "i32 ballot(i1 %b)", "no ballot"),
    ("i32 popcount(i1 %q)", "i64 popcount(i1 %q)", "no popcount"),
    ("i32 lane()", "i32 lane(i32 %n)", "no lane"),
    ("i32 lanes()", "i64 lanes()", "no lanes"),
    ("double first(double %y)", "double first(i32 %n)", "no first"),
    ("double last(double %f)", "double last(double %f, double %f)", "no last"),
    ("double %g, i32 %l", "double %g, i64 %i", "no shuffle"),
    ("i32 reduce_add(i32 %ls)", "i32 reduce_fadd(i32 %ls)", "no reduce_fadd"),
    ("double reduce_fmax", "double reduce_smax", "no reduce_smax"),
]


def bad(old: str, new: str) -> Function:
    text = TEXT
    if "entry: predicate %live" not in old and "%u = icmp" in new:
        text = text.replace("entry: predicate %live", "entry: predicate %u")
    assert old in text
    return parse_function(text.replace(old, new, 1))


@pytest.mark.parametrize(("old", "new", "problem"), BAD)
def test_the_verifier_refuses(old: str, new: str, problem: str) -> None:
    with pytest.raises(IllFormed, match=problem):
        verify(bad(old, new))


def test_constants_of_predicates_are_in_range() -> None:
    function = parse_function(TEXT)
    blocks = (replace(function.entry, predicate=Const(I1, 2)), *function.blocks[1:])
    with pytest.raises(IllFormed, match="range"):
        verify(replace(function, blocks=blocks))


def test_a_predicate_may_be_computed_at_the_start_of_its_block() -> None:
    text = TEXT.replace("entry: predicate %live", "entry: predicate %d")
    function = verify(parse_function(text))
    assert run(function, [0, 1, -2.0, 1], Memory()) == 4.0
    with pytest.raises(Undefined, match="a branch without an active thread"):
        run(function, [0, 1, 2.0, 1], Memory())


def test_passes_keep_the_new_fields() -> None:
    function = parse_function(TEXT)
    total = next(i for _, i in function.instructions() if isinstance(i, Binary))
    assert total.total and replace(total, total=False) != total


def test_one_thread() -> None:
    function = verify(parse_function(TEXT))
    assert run(function, [0, 9, 2.5, 1], Memory()) == 2.5
    assert run(function, [0, 1, -2.0, 1], Memory()) == 4.0
    with pytest.raises(Undefined, match="a branch without an active thread"):  # the block `join` is passive
        run(function, [0, 1, 2.0, 1], Memory())


@pytest.mark.parametrize("op", [op for op in HORIZONTAL_OPS if op.startswith("reduce_") and "_f" not in op])
def test_a_reduction_of_one_thread_is_its_operand(op: str) -> None:
    text = f"define i32 @f(i32 %a) {{\nentry:\n  %r = horizontal i32 {op}(i32 %a)\n  return i32 %r\n}}\n"
    assert run(verify(parse_function(text)), [-7], Memory()) == 2**32 - 7


@pytest.mark.parametrize(("operation", "expected"), [
    ("i64 ballot(i1 %t)", 1), ("i32 popcount(i1 %t)", 1), ("i32 lane()", 0), ("i32 lanes()", 1), ("i32 shuffle(i32 7, i32 0)", 7),
    ("i32 shuffle(i32 7, i32 1)", UNDEFINED), ("i1 all(i1 0)", 0), ("i32 popcount(i1 undef)", UNDEFINED),
])  # fmt: skip
def test_horizontal_operations_of_one_thread(operation: str, expected: object) -> None:
    type_ = operation.split()[0]
    text = f"define {type_} @f(i1 %t) {{\nentry:\n  %r = horizontal {operation}\n  return {type_} %r\n}}\n"
    assert run(verify(parse_function(text)), [1], Memory()) is expected or run(parse_function(text), [1], Memory()) == expected


def test_passive_instructions_do_nothing() -> None:
    text = """define i32 @f(ptr %A, i1 %p) {
entry:
  jump body
body: predicate %p
  store i32 7, %A
  %x = add i32 1, 1
  %y = add i32 1, 2 total
  %m = mask()
  jump out
out:
  %z = select %m, i32 %x, %y
  return i32 %z
}
"""
    function = verify(parse_function(text))
    memory = Memory()
    region = memory.allocate("A", 4)
    assert run(function, [region, 0], memory) == 3 and bytes(region.data) == bytes(4)
    assert run(function, [0, 0], memory) == 3
    assert run(function, [region, 1], memory) == 2 and bytes(region.data) == bytes([7, 0, 0, 0])


def test_value_numbering_and_hoisting_respect_predicates() -> None:
    """What passive threads do not compute is neither reused by others nor moved out of its block, unless it is harmless."""
    text = """define i32 @f(ptr %A, i32 %n, i1 %p) {
entry:
  jump pre
pre:
  jump loop
loop: predicate %p
  %i = phi i32 [0, pre], [%next, latch]
  %a = add i32 %i, %n
  %t = add i32 %i, 7 total
  %l = load i32, %A
  jump latch
latch:
  %b = add i32 %i, %n
  %u = add i32 %i, 7 total
  %next = add i32 %i, 1
  %c = icmp slt i32 %next, 3
  branch %c, loop, done
done:
  %r = add i32 %b, %u
  return i32 %r
}
"""
    function = verify(parse_function(text))
    numbered = verify(number_values(function))
    assert instruction(numbered, "r") == replace(instruction(function, "r"), right=Var("t", function.result))  # type: ignore[arg-type]
    assert "%l = load" in print_function(hoist_invariants(function)).partition("loop:")[2]
    assert run(numbered, [0, 5, 0], Memory()) == run(function, [0, 5, 0], Memory()) == 2 + 5 + 2 + 7
