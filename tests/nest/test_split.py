"""Which loops are put in pieces, where, and what stands in the way."""

from __future__ import annotations

import pytest

from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.split.split import Split, split
from tensorrv.schedule.plan import Plan
from tests.nest.c_text import prepared

LINE = "void f(int n, int k, const double a[restrict n], double b[restrict n])"
GRID = "void f(int n, int m, double A[restrict m][n], double B[restrict m][n])"
SWEEP = "for (int j = 0; j < m; j++) for (int i = 0; i < n; i++)"


def divided(text: str) -> Split:
    return split(prepared(text), Plan())


@pytest.mark.parametrize(
    ("body", "pieces"),
    [
        ("for (int i = 0; i < n; i++) if (i < k) b[i] = a[i]; else b[i] = 1;", "i: 0 .. min(n, k) | max(0, k) .. n"),
        ("for (int i = 0; i < n; i++) b[i] = i == 0 ? 0 : a[i - 1];", "i: 0 .. min(n, 1) | 1 .. n"),
        ("for (int i = n - 1; i >= 0; i--) b[i] = i > 0 ? a[i - 1] : 0;", "i: n - 1 .. 0 | min(n - 1, 0) .. -1"),
        ("for (int i = 0; i < n; i++) b[i] = a[(i + 2) % n];", "i: 0 .. n - 2 | max(0, n - 2) .. n"),
        ("for (int i = 0; i < n; i++) b[i] = i < 2 || i >= n - 2 ? 0 : i < 1 ? 3 : a[i];",
         "i: 0 .. min(n, 2) | 2 .. n - 2 | max(2, n - 2) .. n"),
        ("for (int i = 0; i < n; i++) b[i] = i == k ? 0 : a[i];",
         "i: 0 .. min(n, k) | max(0, k) .. min(n, k + 1) | max(0, k + 1) .. n"),
    ],
)  # fmt: skip
def test_pieces_of_one_loop(body: str, pieces: str) -> None:
    assert [str(one) for one in divided(f"{LINE} {{ {body} }}").divided] == [pieces]


@pytest.mark.parametrize(
    "body",
    [
        "for (int i = 0; i < n; i++) if (a[i] < k) b[i] = 1;",
        "for (int i = 0; i < n; i += 2) if (i < k) b[i] = 1;",
        "for (int i = 0; i < n; i++) b[i] = a[i % 8];",
        "int i; for (i = 0; i < n; i++) if (i < k) b[i] = 1; b[0] = i;",
        "for (int i = 0; i < n; i++) b[i] = i < 1 ? 1 : i < k ? 2 : i < k * k ? 3 : i < k + n * k ? 4 : i < 3 * k ? 5 : 6;",
    ],
)
def test_whole_loops(body: str) -> None:
    assert not divided(f"{LINE} {{ {body} }}").divided


def test_a_piece_without_effect_is_left_out() -> None:
    result = divided(f"{LINE} {{ for (int i = 0; i < n; i++) if (i < k) b[i] = a[i]; }}")
    (loop,) = analyze_nests(result.function).loops.values()
    assert loop.trip is not None


def test_the_interior_is_a_perfect_nest() -> None:
    body = "B[j][i] = A[j][i - 1] + A[j - 1][i] + A[j + 1][i + 1]; else B[j][i] = 0;"
    result = divided(f"{GRID} {{ {SWEEP} if (i > 0 && j > 0 && i < n - 1 && j < m - 1) {body} }}")
    loops = analyze_nests(result.function).loops
    inner = {header: [loop for loop in loops.values() if loop.parent == header] for header in loops}
    assert sorted(len(found) for header, found in inner.items() if loops[header].parent is None) == [1, 1, 1, 2]
    assert len(result.schedules) == 1


def test_pieces_stay_in_their_rows_where_rows_depend_on_each_other() -> None:
    result = divided(f"{GRID} {{ {SWEEP} A[j][i] = j > 0 ? (i > 0 ? A[j][i - 1] : A[j - 1][i + 1]) : 1; }}")
    assert result.divided and not result.schedules


def test_sizes_of_64_bits_get_a_second_version() -> None:
    text = "void f(long n, long k, double b[restrict n]) { for (long i = 0; i < n; i++) if (i + 1 < k) b[i] = 1; else b[i] = 2; }"
    result = divided(text)
    assert result.divided and any(block.hints.novector for block in result.function.blocks)
