"""Calls on alternative ways become one; every thread computes what it computed before."""

from __future__ import annotations

import math
import struct

from hypothesis import given, settings
from hypothesis import strategies as st

from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.instructions import Call
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.transform.linearize.merge_calls import merge_calls
from rv.transform.simplify import simplify
from tensorrv.frontend.c.module import parse_c

CASCADE = """
#include <math.h>
double f(double x, double y, int n)
{
    double total = y;
    for (int i = 0; i < n; ++i) {
        x += 0.75;
        if (x > 8)
            continue;
        if (x > 6)
            total -= y * log(x + i);
        else if (x > 4)
            total += x;
        else if (x > 2) {
            double s = x * y;
            total += s / (1 + log(s * s + 1) * 2);
        } else if (x > 0)
            total = log(x);
    }
    return total;
}
"""


def function_of(text: str) -> Function:
    return simplify(parse_c("f.c", text=text).function("f").function)


def calls(function: Function, callee: str) -> int:
    return sum(isinstance(i, Call) and i.callee == callee for _, i in function.instructions())


def bits(value: object) -> bytes:
    assert isinstance(value, float)
    return b"nan" if math.isnan(value) else struct.pack("<d", value)


def assert_same(before: Function, after: Function, points: list[tuple[float, float]], n: int) -> None:
    for x, y in points:
        assert bits(run(before, (x, y, n), Memory())) == bits(run(after, (x, y, n), Memory()))


def test_a_cascade_has_one_call() -> None:
    before = function_of(CASCADE)
    after = verify(merge_calls(before, ["log"]))
    assert (calls(before, "log"), calls(after, "log")) == (3, 1)
    assert calls(verify(simplify(after)), "log") == 1
    assert_same(before, after, [(k / 4 - 3, 1.5) for k in range(50)], 12)


def test_calls_that_both_are_made_stay() -> None:
    before = function_of("""
#include <math.h>
double f(double x, double y, int n)
{
    double r = 0;
    if (x > 0)
        r = log(x);
    if (y > 0)
        r += log(y);
    return r + n;
}
""")
    assert merge_calls(before, ["log"]) == before


def test_a_way_through_a_loop_stays() -> None:
    before = function_of("""
#include <math.h>
double f(double x, double y, int n)
{
    double r = 0;
    if (x > 0)
        for (int i = 0; i < n; ++i)
            r += log(x + i);
    else
        r = log(y);
    return r;
}
""")
    assert merge_calls(before, ["log"]) == before


EXPRESSIONS = st.sampled_from(
    "x|y|r|s|r + x|x * s|log(x)|log(r * r + y)|exp(y) + s|r / (1 + log(s + 3))|pow(x, s)|pow(r, y) - x".split("|")
)
CONDITIONS = st.sampled_from(["x > y", "r > 1", "s < x", "n > 2", "y > 0.5", "r == s"])
ASSIGNMENTS = st.tuples(st.sampled_from("rs"), st.sampled_from(["=", "+=", "-="]), EXPRESSIONS).map(lambda t: " ".join(t) + ";")


def statements(depth: int) -> st.SearchStrategy[str]:
    """Assignments, loops, jumps out, and cascades of conditions with such in them."""
    if depth == 0:
        return ASSIGNMENTS
    inner = st.lists(statements(depth - 1), min_size=0, max_size=2).map(" ".join)
    straight = st.lists(ASSIGNMENTS, min_size=0, max_size=3).map(" ".join)
    way = st.one_of(straight, straight, straight, inner)
    cascade = st.tuples(st.lists(st.tuples(CONDITIONS, way), min_size=1, max_size=4), st.one_of(st.none(), way)).map(
        lambda t: " else ".join(f"if ({c}) {{ {w} }}" for c, w in t[0]) + ("" if t[1] is None else f" else {{ {t[1]} }}")
    )
    leaving = CONDITIONS.map(lambda c: f"if ({c}) goto out;")
    looping = inner.map(lambda body: f"for (int i = 0; i < n; ++i) {{ x += 0.5; {body} }}")
    return st.one_of(ASSIGNMENTS, cascade, cascade, cascade, leaving, looping)


@settings(max_examples=80, deadline=None)
@given(st.lists(statements(2), min_size=1, max_size=3).map(" ".join))
def test_meaning(body: str) -> None:
    text = f"#include <math.h>\ndouble f(double x, double y, int n)\n{{ double r = 1, s = 2; {body}\nout: return r + 4 * s; }}\n"
    before = function_of(text)
    after = verify(merge_calls(before, ["log", "pow", "exp"]))
    points = [(0.25, 0.75), (3.5, 0.25), (-1.0, 2.0), (1.5, 1.5), (0.9, -0.5)]
    assert_same(before, after, points, 3)
    assert_same(before, verify(simplify(after)), points, 2)
