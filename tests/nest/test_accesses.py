"""Subscripts and extents of accesses in C kernels, over counters that start at 0."""

from __future__ import annotations

import pytest

from tests.nest.c_text import accesses, nests_of

FLAT = "for (int i = 0; i < n; i++) for (int j = 0; j < m; j++)"
UNSIGNED = "for (unsigned i = 0; i < n; i++) for (unsigned j = 0; j < m; j++)"
ROW = "for (int j = 0; j < m; j++) r[j] = 0;"
CUBE = "for (long i = 0; i < n; i++) for (long j = 0; j < m; j++) for (long k = 0; k < l; k++)"

CASES = {
    "declared": (
        "void f(int n, int m, double A[n][m]) { for (int i = 1; i < n; i++) for (int j = 0; j < m; j++) A[i][j] = A[i - 1][j]; }",
        ["A[i][j] of [m]", "A[i + 1][j] of [m] ="],
    ),
    "constant extents": (
        "void f(double A[8][16]) { for (int i = 0; i < 8; i++) for (int j = 0; j < 15; j++) A[i][j + 1] = 1; }",
        ["A[i][j + 1] of [16] ="],
    ),
    "flattened": (
        f"void f(int n, int m, double *A) {{ {FLAT} A[(i + 1) * m + j] = A[i * m + j]; }}",
        ["A[i][j] of [m]", "A[i + 1][j] of [m] ="],
    ),
    "flattened, unsigned": (
        f"void f(unsigned n, unsigned m, double *A) {{ {UNSIGNED} A[i * m + j] = 1; }}",
        ["A[i][j] of [m] ="],
    ),
    "flattened, three dimensions": (
        f"void f(long n, long m, long l, float *A) {{ {CUBE} A[i * m * l + j * l + k] = A[(i * m + j) * l + k]; }}",
        ["A[i][j][k] of [m][l]", "A[i][j][k] of [m][l] ="],
    ),
    "flattened, padded rows": (
        f"void f(int n, int m, double *A) {{ {FLAT} A[i * (m + 2) + j + 1] = 0; }}",
        ["A[i][j + 1] of [m + 2] ="],
    ),
    "flattened, constant pitch": (
        f"void f(int n, int m, double *restrict A, double *restrict B) {{ {FLAT} B[i * 1024 + j] = A[j * 1024 + i]; }}",
        ["A[j][i] of [1024]", "B[i][j] of [1024] ="],
    ),
    "flattened, last column first": (
        f"void f(int n, int m, double *A) {{ {FLAT} A[i * m + m - 1 - j] = 0; }}",
        ["A[i][m - j - 1] of [m] ="],
    ),
    "three bytes per pixel": (
        f"void f(int n, int m, unsigned char *A) {{ {FLAT} {{ A[3 * (i * m + j)] = 0; A[3 * (i * m + j) + 2] = 1; }} }}",
        ["A[i][3*j] of [3*m] =", "A[i][3*j + 2] of [3*m] ="],
    ),
    "a stride is no row": (
        f"void f(int n, int m, double *A, double *B) {{ {FLAT} A[i] += B[2 * i + j]; }}",
        ["B[2*i + j]", "A[i]", "A[i] ="],
    ),
    "pointers walk through two loops": (
        f"void f(int n, int m, double *A, const double *B) {{ double *p = A; const double *q = B; {FLAT} *p++ = *q++; }}",
        ["B[i][j] of [m]", "A[i][j] of [m] ="],
    ),
    "row pointer": (
        "void f(int n, int m, double *A) { for (int i = 0; i < n; i++) { double *r = A + i * m; " + ROW + " } }",
        ["A[i][j] of [m] ="],
    ),
    "second counter": (
        "void f(int n, double *A, double *B) { int k = 3; for (int i = 0; i < n; i += 2) { A[k++] = B[i]; } }",
        ["B[2*i]", "A[i + 3] ="],
    ),
    "down": ("void f(int n, double *A) { for (int i = n - 1; i >= 0; i--) A[i] = 1; }", ["A[n - i - 1] ="]),
    "while (i-- > 0)": ("void f(unsigned n, double *A) { unsigned i = n; while (i-- > 0) A[i] = 1; }", ["A[n - i - 1] ="]),
    "through an array": (
        "void f(int n, const int *at, double *A) { for (int i = 0; i < n; i++) A[at[i] + i] = 1; }",
        ["at[i]", "A[?] ="],
    ),
    "remainder": ("void f(int n, double *A) { for (int i = 0; i < n; i++) A[i % 8] = 1; }", ["A[?] ="]),
    "quadratic": ("void f(int n, double *A) { for (int i = 0; i < n; i++) A[i * i] = 1; }", ["A[?] ="]),
}


@pytest.mark.parametrize("name", CASES)
def test_subscripts(name: str) -> None:
    text, expected = CASES[name]
    assert accesses(text) == expected


def test_conditions_where_bounds_do_not_follow() -> None:
    nests = nests_of(f"void f(int n, int m, int p, double *A) {{ {FLAT} A[i * p + j] = 1; }}")
    (store,) = nests.accesses
    assert [c.polynomial.readable() for c in store.in_bounds] == ["p - m"]


def test_unsigned_subscripts_must_not_wrap() -> None:
    nests = nests_of(f"void f(unsigned n, unsigned m, double *A) {{ {UNSIGNED} A[i * m + j] = 1; }}")
    (store,) = nests.accesses
    assert [c.polynomial.readable() for c in store.conditions] == ["-m*n + 4294967296"]
