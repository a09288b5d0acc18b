"""Which phis are recognised as reductions, and which only look like one."""

from __future__ import annotations

import pytest

from rv.evolution.event_order import number_changes
from rv.ir.types import IntType
from tensorrv.nest.legality.carried import carried_variable
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
        ("s = fmax(s, A[i]);", "maxnum"),
        ("s = fmin(A[i], s);", "minnum"),
        ("s = fmin(A[i], s); s = fmin(s, A[2 * i]);", "minnum"),
        ("s = fma(A[i], A[i + 1], s);", "fadd"),
        ("s += A[i]; s -= 3; if (A[i] > 2) s = fma(A[i], 2, s);", "fadd"),
        ("s /= A[i]; s *= 3;", "fmul"),
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
        "s /= A[i];",
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


def selections(text: str) -> list[str]:
    nests = nests_of(text)
    return [f"{s.predicate}: {', '.join(m.source_name for m in s.members)}" for s in nests.selections]


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("if (A[i] < s) { s = A[i]; q = i; }", ["slt: s, q"]),
        ("if (s >= A[i]) { s = A[i]; q = i; }", ["sle: s, q"]),
        ("q = A[i] > s ? i : q; s = A[i] > s ? A[i] : s;", ["sgt: s, q"]),
        ("if (i % 3 && A[i] > s) { s = A[i]; q = i; }", ["sgt: s, q"]),
        ("if (A[i] > s && i % 3) { s = A[i]; q = i; }", ["sgt: s, q"]),
        ("if (A[2 * i]) if (A[i] > s) { s = A[i]; q = i; }", ["sgt: s, q"]),
        ("if (A[i] < s) s = A[i], q = 1; if (A[i + 1] < s) s = A[i + 1], q = 2;", ["slt: s, q"]),
        ("if (A[i] > 3) q = i;", ["None: q"]),
        ("if (A[i] > 3 && s < 0) s = i;", ["first: s"]),
        ("if (A[i] > 3 && q == 1) { q = 0; s = A[i]; }", ["first: q, s"]),
        ("if (A[i] > 3) { q = i; s = A[i]; }", ["None: s, q"]),
        ("q = A[i];", ["None: q"]),
        ("if (A[i] < s) s = A[i], q = 1; if (A[i + 1] <= s) s = A[i + 1], q = 2;", ["sle: s, q"]),
    ],
)
def test_selections(body: str, found: list[str]) -> None:
    assert selections(over(body)) == found


@pytest.mark.parametrize(
    "body",
    [
        "if (A[i] < s) { s = A[i]; q = i; } A[i] = s;",
        "if (A[i] < s) { s = A[i]; q++; }",
        "if (A[i] < s) { s = A[i]; A[i] = 0; }",
        "if (A[i] < s) { s = A[i]; q = i; } else q = 0;",
        "if (A[i] < s || i == 7) { s = A[i]; q = i; }",
        "if (A[i] < s) { s = A[i]; q = i; } if (A[i] > s) { s = A[i]; q = i; }",
        "if (A[i] < s) s = A[i]; if (A[i] <= s) { s = A[i]; q = i; }",
        "if (A[i] < s) { s = 2 * A[i]; q = i; }",
        "if (A[i] < s) { q = i; }  s = A[i];",
        "if (A[i] < s) { q = i + s; s = A[i]; }",
        "if (A[i] < s) { s = A[i]; q = q + i; }",
        "if (q < s) { q = i; s = A[i]; }",
        "if (A[i] & 1 ? A[i] > s : A[i] >= s) { s = A[i]; q = i; }",
        "if (A[i] > 3 && s < 0) s = i - 1;",
        "if (A[i] > 3 && s < 1) s = i;",
        "if (A[i] > 3 && s < 0) { s = i; q++; }",
        "if (A[i] > 3 && q == 1) { q = A[i]; }",
        "if (A[i] > 3 && s < 0) { s = i; } A[i] = s;",
    ],
)
def test_what_only_looks_like_a_selection(body: str) -> None:
    """What the phi `s` or `q` is no part of must refuse the loop."""
    text = over(body)
    nests = nests_of(text)
    (loop,) = nests.loops.values()
    assert carried_variable(nests, loop, "fast") is not None, selections(text)


def test_floats_that_may_be_nan() -> None:
    assert selections(over("s = A[i] < s ? A[i] : s;", type_="double")) == ["olt: s"]
    assert selections(over("s = s > A[i] ? A[i] : s;", type_="double")) == ["olt: s"]
    assert selections(over("s = s < A[i] ? s : A[i];", type_="double")) == []


@pytest.mark.parametrize(
    ("body", "message", "hint"),
    [
        ("s = s < A[i] ? s : A[i];", "depends on the position of a NaN", "`x < s ? x : s` and `fmin` ignore NaN"),
        ("s = A[i] > s ? A[i] : s; s = s > A[i + 1] ? s : A[i + 1];", "depends on the position of a NaN", "`x > s ? x : s` and"),
        ("s = fmin(s, A[i]); if (A[i + 1] < s) s = A[i + 1];", "uses both `fmin` and comparisons", "use `fmin` everywhere"),
        ("s += A[i]; s -= 2;", "rounds differently", "--fp fast"),
    ],
)
def test_folds_whose_order_matters(body: str, message: str, hint: str) -> None:
    nests = nests_of("#include <math.h>\n" + over(body, type_="double"))
    (loop,) = nests.loops.values()
    found = carried_variable(nests, loop, "strict")
    assert found is not None and found.code == "TRV309"
    assert message in found.message and hint in found.hint
    assert carried_variable(nests, loop, "fast") is None


def test_orders_that_are_negated_have_a_bit_for_the_sign() -> None:
    """The number of an iteration is below 2**32 here, and 2**31 there."""
    body = "if (A[i] < s) { s = A[i]; q = i; } if (A[i + 1] <= s) { s = A[i + 1]; q = i; }"
    for type_, start, bits in (("unsigned", "0", 64), ("int", "0", 32), ("int", "-4", 64), ("short", "-4", 32)):
        text = over(body).replace("(int n,", f"({type_} n,").replace("int i = 0", f"{type_} i = {start}")
        nests = nests_of(text)
        (loop,) = nests.loops.values()
        function = number_changes(nests, [loop.header], "strict")
        orders = [phi.result for phi in function.block(loop.header).phis if phi.result.name.endswith("order")]
        assert [order.type for order in orders] == [IntType(bits)], (type_, start)
