"""Variables that live in memory mean to us what they mean to gcc: local arrays, and variables whose address is taken."""

from __future__ import annotations

from pathlib import Path

import pytest

from rv.ir.instructions import Alloca
from tensorrv.frontend.c.module import parse_c
from tests.frontend.against_gcc import compare_with_gcc

ARRAYS = """
int stack(int n, const int *I)
{
    int stack[64], top = 0, sum = 0;
    stack[top++] = n;
    while (top > 0) {
        int v = stack[--top];
        sum = sum * 3 + v;
        if (v > 1 && top < 60) { stack[top++] = v / 2; stack[top++] = v - 1 - v / 2 - (I[v & 63] & 1); }
        if (sum > 100000) break;
    }
    return sum;
}
double private(int n, double *D)
{
    double s = 0;
    for (int i = 0; i < n; i++) {
        double q[3];
        for (int d = 0; d < 3; d++) q[d] = D[i + d] * 2;
        q[i % 3] += 1;
        for (int d = 0; d < 3; d++) s += q[d] * (d + 1);
        D[i] = q[2];
    }
    return s;
}
void sorted(int n, short *S)
{
    short copy[64];
    for (int i = 0; i < n; i++) copy[i] = S[i];
    for (int i = 1; i < n; i++) {
        short v = copy[i];
        int j = i;
        for (; j > 0 && copy[j - 1] > v; j--) copy[j] = copy[j - 1];
        copy[j] = v;
    }
    for (int i = 0; i < n; i++) S[i] = copy[i];
}
float matrix(int n, const float *F)
{
    float a[3][4], b[4][3], s = 0;
    for (int i = 0; i < 3; i++) for (int j = 0; j < 4; j++) { a[i][j] = F[4 * i + j]; b[j][i] = a[i][j] + i; }
    for (int i = 0; i < 3; i++) for (int j = 0; j < 3; j++) {
        float c = 0;
        for (int k = 0; k < 4; k++) c += a[i][k] * b[k][j];
        if ((i + j + n) & 1) s += c; else s -= c;
    }
    float *row = a[n % 3];
    return s + row[1] + *(a[1] + 2) + (&b[0][0])[n % 12] + (*(a + 2))[n & 3];
}
int ranks(int n)
{
    char c[2][3][2];
    for (int k = 0; k < 12; k++) c[k / 6][k / 2 % 3][k % 2] = k * n;
    return c[1][n % 3][n & 1] + (int)sizeof c;
}
int every_type(int n)
{
    _Bool b[2]; unsigned char u[4]; unsigned short h[4]; long l[4]; unsigned long long w[4]; signed char s[3];
    float f[2];
    double d[2];
    b[n & 1] = n; b[!(n & 1)] = 0;
    for (int k = 0; k < 4; k++) { u[k] = n * 77 + k; h[k] = n * 7777; l[k] = -n; w[k] = n - 1; }
    s[1] = n * 99; f[n & 1] = n / 3.0; d[0] = n; d[0] /= 7;
    return b[0] + 2 * b[1] + u[n & 3] + h[n & 1] + (int)l[3] + (w[2] > 5) + s[1] + (int)(f[n & 1] * 10) + (int)(d[0] * 100);
}
"""

INITIALISERS = """
struct point { double x, y; };
struct body { int id; float v[3]; struct point at; };
int lists(int n)
{
    int a[5] = {n, 2}, b[] = {1, n, 3, [5] = n + 1, 7}, z[4] = {0}, m[2][3] = {{1, 2}, {n}}, flat[2][3] = {1, 2, 3, n};
    int one[1] = {{4}}, again[3] = {[0] = n, [2] = 5, [0] = 6};
    int s = 0;
    for (int k = 0; k < 5; k++) s = 3 * s + a[k];
    for (int k = 0; k < (int)(sizeof b / sizeof *b); k++) s = 3 * s + b[k];
    for (int k = 0; k < 4; k++) s += z[k];
    for (int k = 0; k < 6; k++) s = 3 * s + m[k / 3][k % 3] + 5 * flat[k / 3][k % 3];
    return s + one[0] + again[0] + again[1] + again[2];
}
double large(int n)
{
    double t[300] = {1, [7] = n, 3}, s = 0;
    unsigned char flags[1000] = {0};
    flags[n * 7] = 3;
    for (int k = 0; k < 300; k++) s += t[k] * k;
    for (int k = 0; k < 1000; k++) s += flags[k] * k;
    return s;
}
int in_loops(int n)
{
    int s = 0;
    for (int i = 0; i < n; i++) {
        int seen[100] = {i}, two[2] = {0};
        two[i & 1]++;
        for (int k = 0; k < i; k++) seen[k * 5 % 100] += k;
        for (int k = 0; k < 100; k++) s = (s * 3 + seen[k]) & 0xffff;
        s += two[0];
    }
    return s;
}
double constants(int n)
{
    const double w[3] = {1, n, 3};
    const int k[4] = {1, 2, 3, 4};
    double s = 0;
    for (int i = 0; i < 3; i++) s += w[i] * k[(i + n) & 3];
    return s;
}
double structs(int n)
{
    struct body b[2] = {{1, {2, n}, {4, 5}}, 6, 7, 8, 9, {.y = n}}, c = {n, {1}, .at = {2, 3}};
    struct point p = {n, 2}, q[3] = {p, [2] = {1}};
    double s = 0;
    for (int k = 0; k < 2; k++) s = 2 * s + b[k].id + b[k].v[0] + b[k].v[1] * 2 + b[k].v[2] * 3 + b[k].at.x * 5 + b[k].at.y * 7;
    for (int k = 0; k < 3; k++) s = 2 * s + q[k].x - q[k].y + c.v[k];
    return s + c.at.y + c.id;
}
"""

POINTERS = """
struct pair { int a; double b[2]; };
static void swap(int *a, int *b) { int t = *a; *a = *b; *b = t; }
static double sum(const double *p, const double *end) { double s = 0; while (p < end) s += *p++; return s; }
static void fill(double *p, int n, double v) { for (int i = 0; i < n; i++) *p++ = v + i; }
static int first(const int *p, int n) { for (int i = 0; i < n; i++) if (p[i] > 3) return i; return -1; }
static void divide(int a, int b, int *quotient, int *remainder) { *quotient = a / b; *remainder = a % b; }
static int changed(int x) { int *p = &x; *p += 2; return x; }
static double norm(struct pair p) { double *b = p.b; return b[0] * b[1] + p.a; }
int addresses(int n)
{
    int a = n, b = 3, q, r;
    swap(&a, &b);
    divide(100, n + 1, &q, &r);
    int *p = n & 1 ? &a : &b;
    *p += 5;
    ++*p;
    return a * 1000 + b * 100 + q * 10 + r + changed(n) + (p == &a);
}
double walks(int n)
{
    double a[16], b[16];
    fill(a, n & 15, 1);
    fill(b, 16, n);
    double *p = n > 5 ? a : b, *last = &b[16];
    for (double *q = b; q != last; q += 3) { *q += 1; if (last - q < 3) break; }
    return sum(a, a + (n & 15)) + sum(b, last) + *p + p[n > 7];
}
int positions(int n, const int *I)
{
    int c[8];
    for (int k = 0; k < 8; k++) c[k] = I[(k + n) & 63];
    int where = first(c, 8), least = 0;
    const int *best = c;
    for (const int *p = c + 1; p < c + 8; p++) if (*p < *best) best = p;
    least = best - c;
    return where * 100 + least * 10 + (*best == c[least]);
}
double struct_pointers(int n)
{
    struct pair p = {n, {1, 2}}, q[4], *r = &p;
    for (int i = 0; i < 4; i++) { q[i] = p; q[i].b[i & 1] = i; q[i].a += i; }
    r->b[n & 1] += 3;
    r = &q[n & 3];
    r->a *= 2;
    double s = 0;
    for (r = q; r < q + 4; r++) s = 2 * s + r->a + r->b[0] * 3 + r->b[1];
    q[1] = *(q + 2);
    return s + norm(p) + norm(q[1]) + p.b[n & 1];
}
int pointers_to_parameters(int n, int *A, int *B)
{
    int *p[2] = {A, B}, s = 0;
    for (int i = 0; i < n; i++) { s += *p[i & 1]; p[i & 1]++; }
    *p[0] = s;
    return s + (int)(p[1] - B);
}
static void step(const int **p, int by) { *p += by; }
static void exchange(int **rows, int n) { int *t = rows[n & 1]; rows[n & 1] = rows[2]; rows[2] = t; }
int pointers_to_pointers(int n, int *A, int *B)
{
    const int *p = A, **q = &p;
    int *rows[3] = {A, B, A + 5};
    step(&p, n); step(q, 2); exchange(rows, n);
    **rows = *p + n;
    return rows[2][n] + **q + *rows[1];
}
float merged(int n, const float *F)
{
    float local[4] = {1, 2, 3, 4};
    const float *p = n < 4 ? local : F;
    float s = 0;
    for (int i = 0; i < 4; i++) s += p[i];
    for (; n > 2; n--, p = local) s += p[n & 3];
    return s;
}
"""

JUMPS = """
int switched(int n)
{
    int s = 0;
    for (int i = 0; i < 5; i++)
        switch ((n + i) & 3) {
            int a[2];
        case 0:
            a[0] = n; a[1] = i; s += a[i & 1]; break;
        case 1:
            a[1] = 7; s += a[1];
        default:
            a[0] = s; s ^= a[0] + 1;
        }
    return s;
}
int skipped(int n)
{
    int s = 0;
    if (n > 3) goto inside;
    {
        int a[4] = {1, 2, 3, 4};
        s = a[n & 3];
    inside:
        a[n & 3] = n;
        s += a[n & 3];
    }
    return s;
}
int again(int n, const int *I)
{
    int i = 0, s = 0;
next:;
    int a[3];
    a[0] = i; a[1] = I[i & 63]; a[2] = a[1] & 1;
    if (a[2]) { s += a[0]; }
    if (++i < n) goto next;
    return s + a[i % 3 ? 0 : 1];
}
int left(int n, const int *I)
{
    for (int i = 0; i < n; i++) {
        int a[2] = {I[i], i};
        if (a[0] > 40) continue;
        if (a[0] < -20) return a[1];
        if (a[i & 1] == 3) break;
    }
    return n;
}
"""


@pytest.mark.parametrize("text", [ARRAYS, INITIALISERS, POINTERS, JUMPS], ids=["arrays", "initialisers", "pointers", "jumps"])
def test_same_as_gcc(text: str, tmp_path: Path) -> None:
    compare_with_gcc(text, tmp_path, sizes=[0, 1, 2, 3, 4, 6, 9, 14])


def allocas(text: str) -> dict[str, tuple[str, int]]:
    (function,) = parse_c("f.c", text=text).functions
    return {
        i.result.name: (str(i.element), i.count) for _, i in function.function.instructions() if isinstance(i, Alloca)
    }


def test_objects_are_arrays_of_their_scalars() -> None:
    found = allocas("""
        struct same { float a, b[2]; }; struct mixed { double d; int i; };
        void f(int n, int *A, float *F) {
            int grid[2][3]; struct same s[4]; struct mixed m[2]; const int *p[3]; int scalar, other = n; int *q = &scalar;
            *q = n; grid[n][n] = n; p[n] = A; s[n].b[1] = n; m[n].i = other;
            A[0] = grid[1][n] + *p[0] + m[0].i + scalar; F[0] = s[1].b[n];
        }""")
    assert found == {"grid": ("i32", 6), "s": ("float", 12), "m": ("i64", 4), "p": ("ptr", 3), "scalar": ("i32", 1)}


def test_constant_subscripts_keep_structs_out_of_memory() -> None:
    assert not allocas("struct s { double v[3]; }; double f(double x) { struct s a = {{x}}, b = a; b.v[1] = x; return b.v[1]; }")
    assert not allocas("int f(int n) { static const int t[3] = {1, 2, 3}; const int u[2] = {4, 5}; return t[n] + u[n]; }")
