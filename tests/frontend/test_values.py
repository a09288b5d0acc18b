"""Bits of numbers, distances of pointers, walking pointers and constant arrays mean to us what they mean to gcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from rv.ir.instructions import Binary, Convert, Load, Select, Store
from tensorrv.frontend.c.module import parse_c
from tensorrv.report.diagnostics import Diagnostic
from tests.frontend.against_gcc import compare_with_gcc

BITS = """
#include <string.h>
#include <stdint.h>
unsigned bits(int n, float *F) { float f = F[n & 7] * n; unsigned u; memcpy(&u, &f, sizeof u); return u; }
double back(int n, long *L)
{
    uint64_t u = (L[n & 7] & 0xfffffffffffff) | 0x3ff0000000000000;
    double d;
    memcpy(&d, &u, 8);
    return d;
}
float quick_rsqrt(int n, float *F)
{
    float x = F[n & 3] * F[n & 3] + 0.5f, half = 0.5f * x;
    int32_t i;
    memcpy((void *)&i, (const void *)&x, sizeof(float));
    i = 0x5f3759df - (i >> 1);
    memcpy(&x, &i, sizeof x);
    return x * (1.5f - half * x * x);
}
void load_and_store(int n, float *F, double *D, unsigned *U)
{
    for (int k = 0; k < 8; k++) {
        unsigned u, v = U[k] & 0x3fffffff;
        long long bits;
        memcpy(&u, &F[k], sizeof u);
        U[k] = u ^ 0x80000000u;
        memcpy(F + 8 + k, &v, 4);
        memcpy(&bits, D + k, sizeof(double));
        bits &= ~1ll;
        memcpy(&D[8 + k], &bits, 8);
        memcpy(&U[16 + k], &F[k], 4);
    }
}
int signs(int n) { int x = n; unsigned y; memcpy(&y, &x, sizeof x); return y > 5; }
int same_object(int n, int *I) { int x = I[0], *p = &*&I[n & 3]; memcpy(&x, p, sizeof *p); return x + *&x; }
"""

POINTERS = """
#include <stddef.h>
long distance(int n, double *D) { double *p = D + n, *q = &D[3]; return p - q; }
long walked(int n, short *S) { short *p = S; while (*p < 60 && p - S < 20) p += 2; return (p - S) * 100 + (S + 20 - p); }
int words(int n, int (*T)[3]) { int *p = &T[1][2], *q = T[0]; return (p - q) + 10 * (int)(&T[n & 3] - T); }
double copied(int n, double *D, float *F)
{
    double *d = D;
    const float *f = F, *const end = F + (n & 15);
    double s = 0;
    for (; f != end; d++, ++f) *d = *f;
    while (d > D) s = s * 0.5 + *--d;
    for (const float *p = F, *q = F + 30; p < q; p++, q--) s += *p * *q;
    return s;
}
static double next(double *p) { double *q = p++; return *q + *p; }
double passed(int n, double *D) { double s = 0; for (int i = 0; i < n; i++) s += next(&D[i]) + next(D + i + 1); return s; }
int first(int n, unsigned char *C) { unsigned char *p = C; do if (*p++ > 70) break; while (p < C + 30); return p - C; }
int order(int n, int *I) { int *p = I + n, *q = I + 5; return (p < q) + 2 * (p <= q) + 4 * (p == q) + 8 * (p != q) + 16 * !p; }
int bytes(int n, int *I) { int *p = I + n; void *v = p, *w = v; signed char *c = w; unsigned char *d = v; return c[1] + d[2]; }
void two_steps(int n, double *D) { int i, j; for (i = 0, j = 20; i < j; i++, j -= 2) D[i] = D[j] * i, D[j] += i; }
"""

TABLES = """
static const double weights[3] = {0.25, 0.5, 0.25};
const int square[2][3] = {{1, 2, 3}, {4, 5}}, flat[][2] = {1, 2, 3, 4, 5}, sparse[8] = {[2] = 7, 8, [6] = -1};
enum { K = sizeof weights / sizeof weights[0] };
double smooth(int n, double *D)
{
    double s = 0;
    for (int k = 0; k < K; k++) s += weights[k] * D[n + k + 1];
    return s * weights[1];
}
int all(int n)
{
    static const unsigned char bytes[] = {200, 255, 256 + 1};
    const float local[2] = {1.5f, 1 / 3.0};
    int s = sizeof flat + sizeof bytes + sizeof(local);
    for (int i = 0; i < 2; i++)
        for (int j = 0; j < 3; j++) s = s * 7 + square[i][j];
    for (int k = 0; k < 8; k++) s = s * 3 + sparse[k] + flat[k % 3][k & 1] + bytes[k % 3] + *(local) * 2 + local[k & 1];
    return s + square[1][2] + flat[2][1] + *square[1] + 1[sparse];
}
"""


@pytest.mark.parametrize("text", [BITS, POINTERS, TABLES], ids=["bits", "pointers", "tables"])
def test_values_agree_with_gcc(text: str, tmp_path: Path) -> None:
    assert compare_with_gcc(text, tmp_path, sizes=range(12)) == set()


def only(text: str) -> list[object]:
    (function,) = parse_c("f.c", text=text).functions
    return [i for _, i in function.function.instructions()]


def test_the_bits_of_an_element_are_loaded_as_they_are() -> None:
    found = only("#include <string.h>\nunsigned f(float *F) { unsigned u; memcpy(&u, F + 3, sizeof u); return u; }")
    assert [str(i.result.type) for i in found if isinstance(i, Load)] == ["i32"]
    assert not any(isinstance(i, Convert) for i in found)
    found = only("#include <string.h>\nvoid f(float *F, unsigned u) { memcpy(F + 3, &u, 4); }")
    assert [str(i.value.type) for i in found if isinstance(i, Store)] == ["i32"]


def test_distances_of_one_array_need_no_addresses() -> None:
    found = only("long f(double *D, int n) { double *p = D + n; return p - (D + 2); }")
    assert not any(isinstance(i, Convert) and i.op == "ptrtoint" for i in found)
    assert [i.op for i in found if isinstance(i, Binary)] == ["sub"]


def test_constant_subscripts_of_tables_fold() -> None:
    text = "static const int t[4] = {1, 1, 1, 9}; int f(int n) { return t[3] + %s; }"
    assert not only(text % "t[2]")[1:]
    assert len([i for i in only(text % "t[n]") if isinstance(i, Select)]) == 1


def reason(text: str) -> Diagnostic:
    ((_, found),) = parse_c("f.c", text="#include <string.h>\n" + text).passed_over
    return found


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("static const int t[2] = {1, 2}; int f(int *A) { const int *p = t; return *p; }", "TRV037", "is used as a pointer"),
        ("static const int t[2] = {1, 2}; int f(int k) { return *&t[k] + (&t[k] == 0); }", "TRV037", "the address of a part"),
        ("static const int t[70] = {1, 2}; int f(int k) { return t[k]; }", "TRV037", "has 70 elements, too many"),
        ("long f(int n, int (*p)[n], int (*q)[n]) { return p - q; }", "TRV043", "differences of pointers to rows"),
    ],
)
def test_what_stays_outside(text: str, code: str, message: str) -> None:
    found = reason(text)
    assert found.code == code and message in found.message and found.span is not None
