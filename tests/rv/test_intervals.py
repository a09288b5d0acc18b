"""Intervals: every operation against all its members at three bits, and the accesses of small C functions."""

from __future__ import annotations

import itertools
from typing import get_args

import pytest

from rv.analysis.values.interval_arithmetic import Interval, binary, limited, whole
from rv.analysis.values.intervals import spans
from rv.ir.instructions import INT_BINARY_OPS, Binary, IntPredicate
from rv.ir.types import IntType
from rv.ir.values import Var
from rv.transform.prepare import prepare
from tensorrv.frontend.c.module import parse_c

THREE = IntType(3)
INTERVALS = [(low, high) for low in range(-4, 4) for high in range(low, 4)]


def members(interval: Interval) -> range:
    return range(interval[0], interval[1] + 1)


def wrapped(value: int) -> int:
    return (value + 4) % 8 - 4


def concrete(op: str, x: int, y: int) -> int | None:
    """The exact result; None where it is undefined."""
    match op:
        case "add" | "sub" | "mul" | "and" | "or" | "xor":
            return {"add": x + y, "sub": x - y, "mul": x * y, "and": x & y, "or": x | y, "xor": x ^ y}[op]
        case "shl" | "lshr" | "ashr":
            return None if not 0 <= y < 3 else {"shl": x << y, "lshr": (x & 7) >> y, "ashr": x >> y}[op]
        case "sadd_sat" | "ssub_sat":
            return max(-4, min(3, x + y if op == "sadd_sat" else x - y))
        case "sdiv" | "srem":
            quotient = None if y == 0 else abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
            return quotient if quotient is None or op == "sdiv" else x - quotient * y
        case _:
            return None if y == 0 else ((x & 7) // (y & 7) if op == "udiv" else (x & 7) % (y & 7))


@pytest.mark.parametrize("op", INT_BINARY_OPS)
def test_results_of_members_are_in_the_result(op: str) -> None:
    result, narrow = Var("r", THREE), 0
    for left, right in itertools.product(INTERVALS, INTERVALS):
        plain, promised = (binary(Binary(result, op, result, result, nsw=nsw), left, right) for nsw in (False, True))
        narrow += plain != whole(THREE)
        for x, y in itertools.product(members(left), members(right)):
            exact = concrete(op, x, y)
            if exact is not None:
                assert plain[0] <= wrapped(exact) <= plain[1], f"{op} {left} {right}: {x}, {y}"
                assert exact != wrapped(exact) or promised[0] <= exact <= promised[1], f"{op} nsw {left} {right}: {x}, {y}"
    assert narrow > 20, "an interval that is always the whole type says nothing"


HOLDS = {
    "eq": int.__eq__, "ne": int.__ne__, "slt": int.__lt__, "sle": int.__le__, "sgt": int.__gt__, "sge": int.__ge__,
    "ult": lambda x, y: x & 7 < y & 7, "ule": lambda x, y: x & 7 <= y & 7,
    "ugt": lambda x, y: x & 7 > y & 7, "uge": lambda x, y: x & 7 >= y & 7,
}  # fmt: skip


@pytest.mark.parametrize("predicate", get_args(IntPredicate))
def test_operands_that_compare_so_stay(predicate: IntPredicate) -> None:
    for left, right in itertools.product(INTERVALS, INTERVALS):
        true = [(x, y) for x, y in itertools.product(members(left), members(right)) if HOLDS[predicate](x, y)]
        found = limited(predicate, left, right)
        assert found is not None or not true
        for x, y in true:
            assert found[0][0] <= x <= found[0][1] and found[1][0] <= y <= found[1][1], f"{predicate} {left} {right}"


FOUND = [
    ("for (int i = 0; i < n / 2; i++) a[i] = 1;", (0, 49)),
    ("for (int i = 0; i < (n & ~7) + 16; i++) a[i] = 1;", (0, 111)),
    ("for (unsigned i = 0; i != n; i++) a[i] = 1;", (0, 99)),
    ("for (int i = n - 1; i >= 0; i--) a[2 * i] = 1;", (0, 198)),
    ("for (int i = 0; i < n; i++) { int k = i - 3 < 0 ? 0 : i - 3; a[k] = 1; }", (0, 96)),
    ("for (int i = 0; i < n; i++) a[i + 5 > n - 1 ? n - 1 : i + 5] = 1;", (5, 99)),
    ("int i = 0, j = n; while (i < j) { a[i] = 1; i++; j--; }", (0, 99)),
    ("for (int i = 0; i < n; i++) for (int j = i; j < n; j += 2) a[i * n + j] = 1;", (0, 9999)),
    ("for (int i = 0; i < n; i++) for (int k = x[i]; k < x[i + 1]; k++) a[k] = 1;", (0, 8)),
    ("for (int i = 0; i < n; i++) a[3 * x[i] + 1] = 1;", (1, 28)),
    ("for (int i = 0; i < n; i++) if (x[i] >= 0 && x[i] < 5) a[x[i]] = 1;", (0, 4)),
    ("for (int i = 0; i < n; i++) { int w[4]; w[i & 3] = i; a[w[0] & 31] = 1; }", (0, 31)),
    ("if (n > 200) a[1000] = 1; a[7] = 1;", (7, 7)),
    ("a[n % 8] = a[n % 16] = 1;", (4, 4)),
]


@pytest.mark.parametrize(("body", "expected"), FOUND)
def test_accesses_of_functions(body: str, expected: Interval) -> None:
    text = f"void f(int n, int *restrict a, const int *restrict x) {{ {body} }}"
    function = prepare(parse_c("f.c", text=text).function("f").function)
    found = spans(function, {"n": (100, 100)}, lambda place, type_: (0, 9) if place.array == "x" else whole(type_))
    offsets = [s.place.offset for s in found if s.place.array == "a"]
    assert (min(low for low, _ in offsets) // 4, max(high for _, high in offsets) // 4) == expected


@pytest.mark.parametrize(
    "body",
    [
        "for (int low = 0, high = n; low < high;) { int k = low + (high - low) / 2; if (a[k] < n) low = k + 1; else high = k; }",
        "int *p = a; while (*p) p++;",
        "for (int i = 0; i < n; i++) a[a[i]] = 1;",
    ],
)
def test_what_is_not_bounded_says_so(body: str) -> None:
    function = prepare(parse_c("f.c", text=f"void f(int n, int *a) {{ {body} }}").function("f").function)
    found = spans(function, {"n": (100, 100)}, lambda place, type_: whole(type_))
    assert any(s.place.offset[1] - s.place.offset[0] > 1 << 32 for s in found)
