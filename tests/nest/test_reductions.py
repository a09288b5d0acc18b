"""Which phis are recognised as reductions, and which only look like one."""

from __future__ import annotations

import pytest

from tests.nest.c_text import nests_of


def reductions(text: str) -> list[str]:
    nests = nests_of(text)
    return [f"{r.phi.source_name} over {nests.loops[r.header].name}: {r.operation}" for r in nests.reductions]


def over(body: str, *, type_: str = "int") -> str:
    return f"{type_} f(int n, {type_} *A) {{ {type_} s = 0, q = 1; for (int i = 0; i < n; i++) {{ {body} }} return s + q; }}"


@pytest.mark.parametrize(
    ("body", "operation"),
    [
        ("s += A[i];", "add"),
        ("s = A[i] + s;", "add"),
        ("s -= A[i];", "add"),
        ("s += A[i]; s += A[i + 1];", "add"),
        ("s *= A[i];", "mul"),
        ("s |= A[i];", "or"),
        ("s &= A[i];", "and"),
        ("s ^= A[i];", "xor"),
        ("s = A[i] < s ? A[i] : s;", "smin"),
        ("s = s <= A[i] ? s : A[i];", "smin"),
        ("s = s > A[i] ? s : A[i];", "smax"),
        ("if (A[i] > s) s = A[i];", "smax"),
        ("if (A[i] > 3) s += A[i];", "add"),
    ],
)
def test_folds(body: str, operation: str) -> None:
    assert reductions(over(body)) == [f"s over i: {operation}"]


@pytest.mark.parametrize(
    ("body", "operation"),
    [
        ("s += A[i];", "fadd"),
        ("s *= A[i];", "fmul"),
        ("s = A[i] < s ? A[i] : s;", "fmin"),
        ("s = A[i] > s ? A[i] : s;", "fmax"),
        ("s = fmax(s, A[i]);", "fmax"),
        ("s = fmin(A[i], s);", "fmin"),
    ],
)
def test_floating_folds(body: str, operation: str) -> None:
    assert reductions("#include <math.h>\n" + over(body, type_="double")) == [f"s over i: {operation}"]


@pytest.mark.parametrize(
    "body",
    [
        "s = A[i] - s;",
        "s += s;",
        "s = s * 3 + A[i];",
        "s += A[i]; A[i] = s;",
        "s += A[s & 7];",
        "s = A[i];",
        "s = A[i] < s ? s : 7;",
        "s = s < A[i] ? A[i] + 1 : s;",
        "if (s < 10) s += A[i];",
        "q = A[i] > s ? i : q; s = A[i] > s ? A[i] : s;",
        "s = s / 2;",
        "s <<= 1;",
        "s += A[i]; s *= 2;",
        "s += q; q += s;",
    ],
)
def test_what_only_looks_like_a_fold(body: str) -> None:
    assert reductions(over(body)) == []


def test_a_fold_over_two_loops_is_one_in_each() -> None:
    text = (
        "int f(int n, int A[n][n]) { int s = 0; for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) s += A[j][i]; return s; }"
    )
    assert reductions(text) == ["s over j: add", "s over i: add"]
    scaled = text.replace("for (int i", "{ for (int i").replace("s += A[j][i];", "s += A[j][i]; s *= 2; }")
    assert reductions(scaled) == ["s over i: add"]


def test_two_folds_side_by_side() -> None:
    assert reductions(over("s += A[i]; q = A[i] > q ? A[i] : q;")) == ["s over i: add", "q over i: smax"]


def test_a_long_chain() -> None:
    assert reductions(over(" ".join(f"s += A[i + {k}];" for k in range(600)))) == ["s over i: add"]
