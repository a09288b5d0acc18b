"""Stack objects: text form, rules of the verifier, meaning for one thread and for several, and which pointers lead to them."""

from __future__ import annotations

import pytest

from rv.analysis.memory.alias import alias_analysis
from rv.analysis.memory.stack_objects import stack_objects
from rv.analysis.verify import IllFormed, verify
from rv.ir.function import Function
from rv.ir.parser import ParseError, parse_function
from rv.ir.printer import print_function
from rv.ir.types import F64, I32
from rv.ir.values import Var
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import run_lockstep
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import run
from rv.semantics.undefined import UNDEFINED, Undefined
from rv.transform.linearize.control_uniform import control_uniform
from rv.transform.prepare import canonicalize
from rv.transform.scalar.memory import forward_loads

COUNT = """\
define i32 @f(i32 %k, i32 %n) {
entry:
  jump head
head:
  %i = phi i32 [0, entry], [%i.1, latch]
  %more = icmp slt i32 %i, %n
  branch %more, body, done
body:
  %a = alloca i32 x 4
  %w = sext i32 %k to i64
  %p = elemptr i32, %a [%w]
  %q = elemptr i32, %a [1]
  %first = icmp eq i32 %i, 0
  branch %first, write, latch
write:
  store i32 %k, %p
  jump latch
latch:
  %x = load i32, %q
  %i.1 = add nsw i32 %i, 1
  jump head
done:
  %s = phi i32 [%i, head]
  return i32 %s
}
"""


def program(text: str) -> Function:
    return verify(parse_function(text))


def straight(*lines: str, result: str = "i32", parameters: str = "i32 %k, ptr %A") -> Function:
    body = "".join(f"  {line}\n" for line in lines)
    return program(f"define {result} @f({parameters}) {{\nentry:\n{body}}}\n")


def test_text_form() -> None:
    assert print_function(program(COUNT)) == COUNT


@pytest.mark.parametrize(("old", "new"), [("x 4", "x -4"), ("x 4", "4"), ("x 4", "x %n"), ("x 4", "x 4 total")])
def test_malformed_text(old: str, new: str) -> None:
    with pytest.raises(ParseError):
        parse_function(COUNT.replace(old, new))


@pytest.mark.parametrize(
    ("lines", "message"),
    [
        (["%a = alloca i32 x 0", "return void"], "a positive number"),
        (["%a = alloca void x 1", "return void"], "a positive number"),
        (["%a = alloca i32 x 1", "store ptr %a, %A", "return void"], "leaves the function"),
        (["%a = alloca i32 x 1", "call void @g(ptr %a)", "return void"], "leaves the function"),
        (
            ["%a = alloca i32 x 2", "%p = elemptr i32, %a [1]", "%c = icmp eq i32 %k, 0", "%q = select %c, ptr %A, %p",
             "store ptr %q, %A", "return void"],
            "leaves the function",
        ),
    ],
)  # fmt: skip
def test_rules(lines: list[str], message: str) -> None:
    with pytest.raises(IllFormed, match=message):
        straight(*lines, result="void")


def test_returned_address_leaves() -> None:
    with pytest.raises(IllFormed, match="leaves the function"):
        straight("%a = alloca i32 x 1", "return ptr %a", result="ptr")


def test_no_alloca_before_the_predicate() -> None:
    with pytest.raises(IllFormed, match="before the block's predicate"):
        program("""
define void @f(i1 %c) {
A:
  jump B
B: predicate %p
  %a = alloca i32 x 1
  %p = xor i1 %c, 1 total
  return void
}
""")


def test_contents_are_undefined_until_they_are_stored() -> None:
    function = straight(
        "%a = alloca i32 x 2", "%p = elemptr i32, %a [1]", "store i32 %k, %p", "%w = sext i32 %k to i64",
        "%q = elemptr i32, %a [%w]", "%x = load i32, %q", "return i32 %x",
    )  # fmt: skip
    memory = Memory()
    assert run(function, [1, 0], memory) == 1
    assert run(function, [0, 0], memory) is UNDEFINED
    for outside in (2, -1):
        with pytest.raises(Fault, match="of %a of thread 0"):
            run(function, [outside & 0xFFFFFFFF, 0], memory)
    assert len(memory.regions) == 1


def test_part_of_a_value_is_undefined() -> None:
    function = straight(
        "%a = alloca i32 x 2", "store i32 %k, %a", "%x = load i64, %a", "%y = trunc i64 %x to i32", "return i32 %y"
    )
    assert run(function, [1, 0], Memory()) is UNDEFINED


def test_undefined_values_are_stored_in_stack_objects_only() -> None:
    into = straight("%a = alloca i32 x 1", "store i32 %k, %a", "store i32 undef, %a", "%x = load i32, %a", "return i32 %x")
    assert run(into, [1, 0], Memory()) is UNDEFINED
    memory = Memory()
    array = memory.map("A", bytearray(4))
    with pytest.raises(Undefined):
        run(straight("store i32 undef, %A", "return i32 0"), [1, array], memory)


def test_executing_an_alloca_again_makes_the_contents_undefined() -> None:
    carried = COUNT.replace("%more =", "%l = phi i32 [0, entry], [%x, latch]\n  %more =")
    function = program(carried.replace("[%i, head]", "[%l, head]"))
    assert run(function, [1, 1], Memory()) == 1
    assert run(function, [1, 2], Memory()) is UNDEFINED


@pytest.mark.parametrize("interpretation", Interpretation)
def test_every_thread_has_its_own_object(interpretation: Interpretation) -> None:
    function = straight(
        "%a = alloca i32 x 1", "store i32 %k, %a", "%all = horizontal i32 reduce_add(i32 %k)", "%x = load i32, %a",
        "%y = add i32 %x, %all", "return i32 %y",
    )  # fmt: skip
    assert run_lockstep(function, [(1, 0), (20, 0), (3, 0)], Memory(), interpretation=interpretation) == (25, 44, 27)


@pytest.mark.parametrize("interpretation", Interpretation)
def test_passive_threads_know_the_address_and_keep_the_contents(interpretation: Interpretation) -> None:
    """Thread 0 leaves the loop first; the second iteration of thread 1 leaves thread 0's object alone."""
    function = program("""
define i32 @f(i32 %n) {
entry:
  jump loop
loop:
  %i = phi i32 [0, entry], [%i.1, loop]
  %on = phi i1 [1, entry], [%more, loop]
  jump body
body: predicate %on
  %a = alloca i32 x 1
  store i32 %n, %a
  jump latch
latch:
  %i.1 = add i32 %i, 1 total
  %less = icmp slt i32 %i.1, %n total
  %more = and i1 %on, %less total
  %any = horizontal i1 any(i1 %more) total
  branch %any, loop, done
done:
  %x = load i32, %a
  return i32 %x
}
""".replace("[%i.1, loop]", "[%i.1, latch]").replace("[%more, loop]", "[%more, latch]"))
    assert run_lockstep(function, [(1,), (3,)], Memory(), interpretation=interpretation) == (1, 3)


def test_targets() -> None:
    function = straight(
        "%a = alloca i32 x 4", "%b = alloca double x 4", "%c = icmp eq i32 %k, 0", "%p = elemptr i32, %a [2]",
        "%q = select %c, ptr %p, %b", "%r = select %c, ptr %b, %A", "%s = load ptr, %A", "%t = select %c, ptr %a, null",
        "%n = ptrtoint ptr %p to i64", "return i32 0",
    )  # fmt: skip
    objects = stack_objects(function)
    found = {name: objects.of(Var(name, I32)) for name in "abpqrst"}
    assert {name: sorted(targets.objects) for name, targets in found.items()} == {
        "a": ["a"], "b": ["b"], "p": ["a"], "q": ["a", "b"], "r": ["b"], "s": [], "t": ["a"],
    }  # fmt: skip
    assert {name for name, targets in found.items() if targets.elsewhere} == {"r", "s"}
    assert found["p"].only_object == found["t"].only_object == "a"
    assert found["q"].only_object is found["r"].only_object is found["s"].only_object is None
    aliases = alias_analysis(function)
    meeting = {(a, b) for a in "apqrst" for b in "apqrst" if aliases.may_alias((Var(a, F64), F64), (Var(b, F64), F64))}
    assert meeting == {(x, x) for x in "apqrst"} | {
        (x, y) for pair in ("ap", "aq", "at", "pq", "pt", "qr", "qt", "rs") for x, y in (pair, pair[::-1])
    }


def test_targets_through_loops() -> None:
    function = program("""
define i32 @f(i32 %n, ptr %A) {
entry:
  %a = alloca i32 x 9
  jump loop
loop:
  %p = phi ptr [%a, entry], [%q, loop]
  %r = phi ptr [%A, entry], [%s, loop]
  %s = phi ptr [%A, entry], [%q, loop]
  %q = elemptr i32, %p [1]
  %x = load i32, %q
  %c = icmp slt i32 %x, %n
  branch %c, loop, done
done:
  return i32 %x
}
""")
    objects = stack_objects(function)
    assert objects.of(Var("p", I32)).only_object == objects.of(Var("q", I32)).only_object == "a"
    assert objects.of(Var("r", I32)).elsewhere and objects.of(Var("r", I32)).objects == {"a"}


def test_loads_are_forwarded_past_other_stores_but_not_past_the_alloca() -> None:
    function = straight(
        "%a = alloca i32 x 1", "store i32 %k, %a", "store i32 7, %A", "%x = load i32, %a", "return i32 %x"
    )
    assert "load" not in print_function(forward_loads(function))
    again = program(COUNT.replace("branch %first, write, latch", "%z = load i32, %q\n  branch %first, write, latch"))
    assert print_function(forward_loads(again)).count("load") == 2


def test_allocas_stay_in_loops_and_are_not_merged() -> None:
    function = straight(
        "%a = alloca i32 x 1", "%b = alloca i32 x 1", "store i32 %k, %a", "store i32 1, %b", "%w = load i32, %A",
        "%x = load i32, %a", "store i32 %x, %A", "%y = load i32, %b", "%z = add i32 %x, %y", "return i32 %z",
    )  # fmt: skip
    assert print_function(canonicalize(function)).count("alloca") == 2
    looped = canonicalize(program(COUNT.replace("store i32 %k, %p", "store i32 %k, %p\n  call void @g(i32 %k)")))
    (block,) = [block.label for block, i in looped.instructions() if "alloca" in str(type(i)).lower()]
    assert block != looped.entry.label


def test_threads_that_left_a_loop_keep_their_objects_in_linear_code() -> None:
    """The alloca is alone in its block, and the object is read after the loop: the block still needs its predicate."""
    function = program("""
define i32 @f(i32 %n) {
entry:
  jump loop
loop:
  %i = phi i32 [0, entry], [%i.1, fill]
  %a = alloca i32 x 1
  %u = icmp slt i32 %i, 9
  branch %u, fill, out
fill:
  store i32 %n, %a
  %i.1 = add i32 %i, 1
  %c = icmp slt i32 %i.1, %n
  branch %c, loop, done
out:
  return i32 77
done:
  %x = load i32, %a
  return i32 %x
}
""")
    lanes = verify(control_uniform(function, ["n"]))
    arguments = [(1,), (4,), (2,), (20,)]
    for found in (function, lanes):
        assert run_lockstep(found, arguments, Memory(), interpretation=Interpretation.OBLIVIOUS) == (1, 4, 2, 77)
