"""The text form: what it looks like, that it round-trips, and where its errors point."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from rv.analysis.verify import verify
from rv.ir.hints import LoopHints
from rv.ir.parser import ParseError, parse_function, parse_functions
from rv.ir.printer import print_function, print_functions
from rv.ir.types import F32, F64, I8, I64
from rv.ir.values import Const, FloatType, IntType, Value
from rv.semantics.memory import Memory
from rv.semantics.scalar import Program

TEXT = """\
define float @all(ptr restrict %A, i32 %n, double %s, i1 %t) {
entry:
  jump loop
loop: hints "lanes", "simd", "safelen 8", "aligned A:64", "withdrawn say \\"hi\\""
  %i = phi i32 [0, entry], [%i.next, body]
  %more = icmp slt i32 %i, %n
  branch %more, body, done
body:
  %w = sext i32 %i to i64
  %p = elemptr double, %A [%w, 2] extents [7]
  %x = load double, %p
  %y = fmul double %x, %s
  %z = fneg double %y
  %c = fcmp une double %z, nan(0x7ff8000000000001)
  %d = select %c, double %z, -inf
  %e = call double @pow(double %d, double 0x1.8000000000000p+1)
  call void @note(i32 -5, ptr null)
  store double %e, %p
  %i.next = add nsw i32 %i, 1
  jump loop
done:
  return float undef
}
"""


def test_every_construct_round_trips() -> None:
    function = verify(parse_function(TEXT))
    assert print_function(function) == TEXT
    assert function.block("loop").hints == LoopHints("lanes", 8, (("A", 64),), simd=True, withdrawn='say "hi"')


FROZEN = """\
define i64 @frozen(double %x) {
entry:
  %k = fptosi double %x to i64
  %known = freeze i64 %k
  return i64 %known
}
"""


def test_what_is_frozen_is_defined() -> None:
    function = verify(parse_function(FROZEN))
    assert print_function(function) == FROZEN
    assert Program(function).run([1e300], Memory()) == 0


def test_several_functions() -> None:
    text = print_functions(parse_functions(TEXT + "; comment\n" + TEXT.replace("@all", "@other")))
    assert text == TEXT + "\n" + TEXT.replace("@all", "@other")


@given(st.sampled_from([I8, I64, F32, F64]), st.integers(0, 2**64 - 1))
def test_constants_keep_their_bits(type_: IntType | FloatType, bits: int) -> None:
    constant: Value = Const(type_, bits & ((1 << type_.bits) - 1))
    text = f"define {type_} @f() {{\nentry:\n  return {type_} {constant}\n}}\n"
    assert parse_function(text).entry.terminator.value == constant  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("old", "new", "place", "message"),
    [
        ("jump loop\nloop", "jump\nloop", "4:5", "expected a word, found ':'"),
        ("add nsw", "plus nsw", "19:13", "unknown operation 'plus'"),
        ("fcmp une", "fcmp lt", "14:13", "expected one of oeq"),
        ("i32 %i, 1", "i32 %i, 0x1p0", "19:29", "expected a value of type i32"),
        ("restrict", "restrict?", "1:31", "unexpected character '?'"),
        ("}", "", "24:1", "found 'the end'"),
        ("float undef", "real undef", "22:10", "expected a type"),
    ],
)
def test_errors_name_their_place(old: str, new: str, place: str, message: str) -> None:
    with pytest.raises(ParseError) as caught:
        parse_function(TEXT.replace(old, new, 1))
    assert str(caught.value).startswith(place), caught.value
    assert message in str(caught.value)


@given(st.integers(0, len(TEXT)), st.text("%@[]{}(),:=ab0-\"\n", max_size=3))
def test_damaged_text_is_refused_or_parsed(position: int, insertion: str) -> None:
    try:
        parse_function(TEXT[:position] + insertion + TEXT[position + 2 :])
    except ParseError as error:
        assert error.line >= 1 and error.column >= 1


def test_decimal_numbers() -> None:
    texts = ("1.5", "0x1.8000000000000p+0"), ("-0.0", "-0x0.0p+0"), ("2.5e-1", "0x1.0p-2"), ("12", "0x1.8p3")
    for decimal, hexadecimal in texts:
        text = "define double @f() {{\nstart:\n  return double {}\n}}".format
        assert parse_function(text(decimal)) == parse_function(text(hexadecimal))
