"""Which loops a brush goes to."""

from __future__ import annotations

import pytest

from rv.evolution.facts import Legal
from tensorrv.nest.choice.choose import Choice, Request, choose_brushes, unknown_loops
from tensorrv.report.diagnostics import Diagnostic
from tests.nest.c_text import nests_of

FDTD = (
    "void f(int T, int n, double A[restrict n][n], double B[restrict n][n]) { for (int t = 0; t < T; t++) {"
    " for (int j = 1; j < n - 1; j++) for (int i = 1; i < n - 1; i++) B[j][i] = A[j - 1][i] + A[j][i + 1];"
    " for (int y = 1; y < n - 1; y++) for (int x = 1; x < n - 1; x++) A[y][x] = B[y][x]; } }"
)
FILTER = (
    "void f(int h, int w, float A[restrict h + 2][w + 2], float B[restrict h][w], float c[restrict 3][3]) {"
    " for (int y = 0; y < h; y++) for (int x = 0; x < w; x++) { float s = 0;"
    " for (int dy = 0; dy < 3; dy++) for (int dx = 0; dx < 3; dx++) s += A[y + dy][x + dx] * c[dy][dx]; B[y][x] = s; } }"
)
PRODUCT = (
    "void f(int n, double A[restrict n][n], double B[restrict n][n], double C[restrict n][n]) { for (int i = 0; i < n; i++)"
    " for (int j = 0; j < n; j++) for (int k = 0; k < n; k++) C[i][j] += A[i][k] * B[k][j]; }"
)
HEAT = (
    "void f(int n, double A[restrict n][n][n], double B[restrict n][n][n]) { for (int z = 1; z < n - 1; z++)"
    " for (int y = 1; y < n - 1; y++) for (int x = 1; x < n - 1; x++) B[z][y][x] = A[z - 1][y][x] + A[z][y][x + 1]; }"
)
SUM = "int f(int n, int A[n][n]) { int s = 0; for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) s += A[j][i]; return s; }"
ROWS = (
    "void f(int n, double A[restrict n][n], double x[restrict n], double y[restrict n]) { for (int i = 0; i < n; i++)"
    " { double s = 0; for (int j = 0; j < n; j++) s += A[i][j] * x[j]; y[i] = s; } }"
)
COLUMNS = "void f(int n, double A[n][n]) { for (int j = 1; j < n; j++) for (int i = 0; i < n; i++) A[j][i] += A[j - 1][i]; }"
SIDE_BY_SIDE = (
    "void f(int n, int A[restrict n][n], int B[restrict n], int C[restrict n]) { for (int j = 0; j < n; j++) { int s = 0, p = 1;"
    " for (int i = 0; i < n; i++) { s += A[j][i]; B[0] = s; }"
    " for (int k = 0; k < n; k++) { p *= A[j][k]; B[0] = p; } C[j] = s + p; } }"
)


def chosen(text: str, sizes: tuple[int, ...], names: tuple[str, ...] = (), *, promoted: bool = False) -> list[str]:
    """Per nest "j=4,i=8", or the code of the refusal."""
    nests = nests_of(text, promoted=promoted)

    def shown(choice: Choice) -> str:
        brush = ",".join(f"{nests.loops[header].name}={size}" for header, size in choice.brush)
        return brush if isinstance(choice.outcome, Legal) else choice.outcome.code

    return [shown(choice) for choice in choose_brushes(nests, Request(sizes, names))]


@pytest.mark.parametrize(
    ("text", "sizes", "expected"),
    [
        (FDTD, (4, 8), ["j=4,i=8", "y=4,x=8"]),
        (FDTD, (2, 4, 8), ["j=4,i=8", "y=4,x=8"]),
        (FDTD, (8,), ["i=8", "x=8"]),
        (FILTER, (4, 8), ["y=4,x=8"]),
        (PRODUCT, (4, 8), ["i=4,j=8"]),
        (PRODUCT, (8,), ["j=8"]),
        (HEAT, (4, 8), ["y=4,x=8"]),
        (HEAT, (2, 2, 4), ["z=2,y=2,x=4"]),
        (HEAT, (8, 1), ["y=8,x=1"]),
        (SUM, (4, 8), ["j=4,i=8"]),
        (ROWS, (4, 8), ["i=8"]),
        (COLUMNS, (4, 8), ["i=8"]),
        (COLUMNS, (1, 8), ["j=1,i=8"]),
        (COLUMNS, (8, 1), ["TRV305"]),
    ],
)
def test_innermost_parallel_loops(text: str, sizes: tuple[int, ...], expected: list[str]) -> None:
    assert chosen(text, sizes) == expected


def test_accumulators_in_variables_change_nothing() -> None:
    assert chosen(PRODUCT, (4, 8), promoted=True) == ["i=4,j=8"]


def test_named_loops() -> None:
    assert chosen(HEAT, (4, 8), ("z", "x")) == ["z=4,x=8"]
    assert chosen(HEAT, (8, 4), ("x", "z")) == ["z=4,x=8"]
    assert chosen(FDTD, (4, 8), ("j", "x")) == ["j=4", "x=8"]
    assert chosen(FDTD, (8,), ("x",)) == ["x=8"]
    assert chosen(SUM, (8,), ("j",)) == ["j=8"]
    assert chosen(COLUMNS, (4, 8), ("j", "i")) == ["TRV305"]


def test_names_that_no_loop_has() -> None:
    assert unknown_loops(nests_of(HEAT), Request((4, 8), ("q", "x"))) == ("q",)


def test_loops_around_several_loops_are_brushed_only_if_nothing_inside_can_be() -> None:
    inside_only = SIDE_BY_SIDE.replace("B[0] = s;", "B[i] = A[j][i];").replace("B[0] = p;", "")
    assert chosen(inside_only, (4, 8)) == ["i=8", "k=8"]
    around = SIDE_BY_SIDE.replace("B[0] = s;", "s *= 3;").replace("B[0] = p;", "p += 2;")
    assert chosen(around, (4, 8)) == ["j=8"]
    assert chosen(SIDE_BY_SIDE, (4, 8)) == ["TRV302", "TRV302"]


TWO_SUMS = """
void f(int n, int m, const int *restrict a, const int *restrict b, int *restrict c)
{
    for (int i = 0; i < n; i++) {
        int s = 0, t = b[i];
        for (int k = 0; k < m; k++)
            s += a[i * m + k];
        while (t > 3)
            t--;
        c[i] = s + t;
    }
}
"""


def test_loops_inside_that_only_find_a_value_do_not_come_before_a_parallel_one_around_them() -> None:
    assert chosen(TWO_SUMS, (8,)) == ["i=8"]
    assert chosen(TWO_SUMS, (8,), ("k",)) == ["k=8"]
    assert chosen(TWO_SUMS.replace("c[i] = s", "c[0] += s"), (8,)) == ["k=8", "t=8"]
    assert chosen(TWO_SUMS.replace("c[i] = s", "c[c[0] & 3] = s"), (8,)) == ["k=8", "t=8"]


def test_every_loop_has_a_reason() -> None:
    nests = nests_of(PRODUCT)
    (choice,) = choose_brushes(nests, Request((4, 8)))
    reasons = {nests.loops[header].name: reason for header, reason in choice.reasons.items()}
    assert reasons["i"] == "brushed by 4" and reasons["j"] == "brushed by 8"
    assert reasons["k"].startswith("sequential inside the brush, all lanes in lock step: ")


def test_choices_are_deterministic() -> None:
    assert choose_brushes(nests_of(FDTD), Request((4, 8))) == choose_brushes(nests_of(FDTD), Request((4, 8)))


MARKED = """
void f(int n, int m, const float *restrict a, float *restrict b)
{
    #pragma omp simd
    for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
            b[i * n + j] = a[i * n + j] * 2;
}
"""


@pytest.mark.parametrize(("sizes", "expected"), [((8,), ["j"]), ((4, 8), ["j", "i"])])
def test_marked_loops_come_first_if_they_are_enough(sizes: tuple[int, ...], expected: list[str]) -> None:
    nests = nests_of(MARKED)
    (choice,) = choose_brushes(nests, Request(sizes))
    assert [nests.loops[header].name for header, _ in choice.brush] == expected


def test_loops_with_one_lane_do_not_stand_in_the_way() -> None:
    """`j < (i < n ? i : n)` has no closed form in `i`, but is the same for lanes along `j`; those along `i` have their own."""
    text = """void f(int n, int m, double A[restrict m][n]) {
        for (int i = 0; i < m; i++) for (int j = 0; j < (i < n ? i : n); j++) A[i][j] *= 2; }"""
    nests = nests_of(text)
    for sizes, brushed in (((1, 4), ["j"]), ((4, 1), ["i"]), ((2, 4), None)):
        (choice,) = choose_brushes(nests, Request(sizes))
        if brushed is None:
            assert isinstance(choice.outcome, Diagnostic) and choice.outcome.code == "TRV303"
        else:
            assert isinstance(choice.outcome, Legal) and [nests.loops[h].name for h, _ in choice.brush] == brushed
