"""One malformed function for each rule of the verifier."""

from __future__ import annotations

from dataclasses import replace

import pytest

from rv.analysis.verify import IllFormed, verify
from rv.ir.function import Function
from rv.ir.instructions import Binary, Jump, Return
from rv.ir.parser import parse_function
from rv.ir.types import I32, PTR, VOID
from rv.ir.values import Const, Var

GOOD = """\
define i32 @f(ptr %A, i32 %n, double %x, i64 %k) {
entry:
  %c = icmp slt i32 %n, 5
  %w = sext i32 %n to i64
  %p = elemptr i32, %A [%w, 1] extents [3]
  branch %c, yes, no
yes:
  %a = add i32 %n, 1
  jump join
no:
  %y = fadd double %x, %x
  %t = fptosi double %y to i32
  jump join
join:
  %r = phi i32 [%a, yes], [%t, no]
  store i32 %r, %p
  return i32 %r
}
"""

BAD = [
    ("%t = fptosi", "%a = fptosi", "the name %a is malformed or defined twice"),
    ("no:\n", "yes:\n", "label"),
    ("branch %c, yes, no", "branch %c, yes, nowhere", "there is no block nowhere"),
    ("branch %c, yes, no", "jump yes", "does not reach"),
    ("jump join\nno", "jump entry\nno", "entry has predecessors"),
    ("[%t, no]", "[%t, no], [0, entry]", "does not match the predecessors"),
    (", [%t, no]", "", "does not match the predecessors"),
    ("[%t, no]", "[%a, no]", "the definition of %a does not dominate"),
    ("store i32 %r", "store i32 %t", "the definition of %t does not dominate"),
    ("%a = add i32 %n, 1", "%a = add i32 %a, 1", "the definition of %a does not dominate"),
    ("add i32 %n, 1", "add i32 %unknown, 1", "%unknown is not defined"),
    ("add i32 %n, 1", "add i32 %x, 1", "%x is a double, not a i32"),
    ("add i32 %n, 1", "fadd i32 %n, 1", "fadd does not work on i32"),
    ("%y = fadd double", "%y = fadd nsw double", "fadd does not work"),
    ("fptosi double %y to i32", "trunc i32 %n to i32", "no trunc from i32 to i32"),
    ("fptosi double %y to i32", "fptrunc double %x to i32", "no fptrunc"),
    ("icmp slt i32 %n, 5", "icmp slt double %x, %x", "icmp compares integers"),
    ("[%w, 1] extents [3]", "[%w, 1]", "an extent for every further index"),
    ("[%w, 1] extents [3]", "[]", "an index"),
    ("return i32 %r", "return void", "the function returns a value"),
    ("return i32 %r", "return double %x", "the returned value must be i32"),
]


def test_good_function() -> None:
    assert verify(parse_function(GOOD)).name == "f"


@pytest.mark.parametrize(("old", "new", "message"), BAD)
def test_rule(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(IllFormed) as caught:
        verify(parse_function(GOOD.replace(old, new, 1)))
    assert message in caught.value.problem
    assert "@f" in str(caught.value)


CALLS = """\
define double @f(double %x, float %y, i32 %n) {
entry:
  %a = call double @sin(double %x)
  %b = call i32 @counted(double %a, i32 %n)
  call void @noted(i32 %b)
  call void @counted(double %x, i32 3)
  return double %a
}
"""


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("@sin(double %x)", "@sin(double %x, double %x)", "sin takes (double) and gives double"),
        ("@sin(double %x)", "@sin(float %y)", "sin takes (double) and gives double"),
        ("double @sin(double %x)", "double @sinf(float %y)", "sinf takes (float) and gives float"),
        ("void @counted(double %x, i32 3)", "void @counted(double %x)", "counted takes (double, i32) and gives i32"),
        ("@noted(i32 %b)", "@counted(i32 %b)", "counted takes (double, i32) and gives i32"),
    ],
)
def test_calls_have_the_types_of_what_they_call(old: str, new: str, message: str) -> None:
    """Definition 11.2, as far as one function shows."""
    assert verify(parse_function(CALLS)) and old in CALLS
    with pytest.raises(IllFormed) as caught:
        verify(parse_function(CALLS.replace(old, new, 1)))
    assert message in caught.value.problem


def only(*body: Binary, result: Return) -> Function:
    function = parse_function("define i32 @f(i32 %n) {\nentry:\n  return i32 %n\n}\n")
    return replace(function, blocks=(replace(function.entry, body=body, terminator=result),))


def test_constants_are_in_range() -> None:
    with pytest.raises(IllFormed, match="out of the range"):
        verify(only(result=Return(Const(I32, 1 << 32))))
    with pytest.raises(IllFormed, match="not null"):
        verify(only(result=Return(Const(PTR, 8))))


def test_names_and_void() -> None:
    addition = Binary(Var("a b", I32), "add", Const(I32, 1), Const(I32, 1))
    with pytest.raises(IllFormed, match="malformed"):
        verify(only(addition, result=Return(addition.result)))
    with pytest.raises(IllFormed, match="has no type"):
        verify(only(replace(addition, result=Var("a", VOID)), result=Return(Const(I32, 0))))


def test_no_blocks_and_entry_loop() -> None:
    function = parse_function(GOOD)
    with pytest.raises(IllFormed, match="no blocks"):
        verify(replace(function, blocks=()))
    with pytest.raises(IllFormed, match="entry has predecessors"):
        verify(replace(function, blocks=(replace(function.entry, terminator=Jump("entry")),)))
