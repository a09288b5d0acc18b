"""What gcc and clang add to C, and what is seldom used of it, against gcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorrv.frontend.c.module import parse_c
from tests.frontend.against_gcc import compare_with_gcc

STATEMENTS = """
#define MAX(a, b) ({ __typeof__(a) _a = (a); __auto_type _b = (b); _a > _b ? _a : _b; })
#define SWAP(a, b) ({ __typeof__(a) _t = (a); (a) = (b); (b) = _t; })
struct pair { int a, b; };
void maxima(int n, const double *a, const float *b, double *c)
{
    for (int i = 0; i < n; i++)
        c[i] = MAX(MAX(a[i], b[i]), MAX((float)i, 0.5f));
}
void swapped(int n, int *a, long *b) { for (int i = 0; i < n; i++) { SWAP(a[i], a[i + 1]); SWAP(b[i], b[i + 1]); } }
int counted(int n, const int *a) { return ({ int k = 0; for (int i = 0; i < n; i++) if (a[i] > 3) k++; k; }) + ({ ; 2; }); }
int leaving(int n, int *a)
{
    for (int i = 0; i < n; i++)
        a[i] += ({ if (a[i] == 7) return i; if (a[i] > 50) continue; 3; });
    return n;
}
int structs(int n) { return ({ struct pair p = {n, 2 * n}; p; }).b + ({ ({ n + 1; }); }); }
int nothing(int n) { ({ n++; }), ({ }); return n; }
"""
TYPES = """
#include <stddef.h>
typedef typeof(sizeof 0) size;
struct part { char c; struct { short s[5]; double d; } in; int tail[3]; };
#define KIND(x) _Generic((x), char: 1, signed char: 2, int: 3, unsigned: 4, long: 5, float: 6, double: 7, \
    const int *: 8, int *: 9, long double: 10, default: 11)
int kinds(int n, int *a, const int *b, char c, short s, float f)
{
    return KIND(c) + 16 * KIND(s) + 256 * KIND(n) + 4096 * KIND(a) + 65536 * KIND(b) + 1048576 * KIND(f)
        + KIND(f + 1.0) + KIND(n + 1ul);
}
size offsets(int n, struct part *p)
{
    const typeof(p->in.d) x = 1.5;
    __typeof__(p->tail) t = {n, 2};
    return offsetof(struct part, in.s[3]) + 100 * offsetof(struct part, tail) + 10000 * _Alignof(struct part) + __alignof__(p->c)
        + sizeof t + t[1] + (size)x + __alignof__(int);
}
int compatible(int n, const float *f)
{
    return __builtin_types_compatible_p(typeof(n), int) + 2 * __builtin_types_compatible_p(int, unsigned)
        + 4 * __builtin_types_compatible_p(typeof(f[0]), float) + 8 * __builtin_types_compatible_p(float *, const float *);
}
int chosen(int n)
{
    return __builtin_choose_expr(sizeof(n) == 4, n, 1.0) + __builtin_constant_p(3) + 2 * __builtin_constant_p(n);
}
"""
BUILT_IN = """
void counts(int n, const unsigned *a, const unsigned long *b, int *c)
{
    for (int i = 0; i < n; i++)
        c[i] = __builtin_popcount(a[i]) + 64 * __builtin_popcountl(b[i]) + 4096 * __builtin_parity(a[i])
            + __builtin_ffs((int)a[i])
            + (a[i] ? __builtin_clz(a[i]) + 32 * __builtin_ctz(a[i]) : 7)
            + (b[i] ? __builtin_clzl(b[i]) - __builtin_ctzl(b[i]) : 9)
            + __builtin_popcountll(b[i]) - __builtin_ffsl((long)b[i]);
}
void swaps(int n, unsigned *a, unsigned long *b, unsigned short *c)
{
    for (int i = 0; i < n; i++) {
        a[i] = __builtin_bswap32(a[i] * 0x9e3779b9u);
        b[i] = __builtin_bswap64(b[i] * 0x9e3779b97f4a7c15ul);
        c[i] = __builtin_bswap16(c[i]);
    }
}
void numbers(int n, double *a, float *b)
{
    for (int i = 0; i < n; i++) {
        a[i] = __builtin_fabs(a[i]) < 2 ? __builtin_inf() : __builtin_sqrt(__builtin_fabs(a[i])) + (double)__builtin_huge_valf();
        b[i] = __builtin_expect(b[i] > 1, 0) ? (__builtin_inff ()) : __builtin_copysignf(b[i], -1);
        __builtin_prefetch(&a[i + 8], 1);
    }
}
long labels(int n) { if (n < 0) __builtin_unreachable(); return __builtin_labs(-n) + __builtin_expect(n, 1) + __builtin_abs(-n); }
void aligned(int n, const double *a, double *b)
{
    const double *restrict x = __builtin_assume_aligned(a, 8);
    double *restrict y = (double *)__builtin_assume_aligned(b, 8);
    for (int i = 0; i < n; i++) y[i] = x[i] + 1;
}
"""
CLASSES = """
#include <math.h>
#include <float.h>
#include <tgmath.h>
static const double special[12] = {0, -0.0, 1, -1, 5e-324, -2e-310, 1e-40, 1e300, -INFINITY, INFINITY, NAN, 2.5};
void classes(int n, double *a, float *f, int *c)
{
    for (int i = 0; i < n; i++) {
        const double x = special[i % 12], y = special[i / 12 % 12];
        const float g = (float)x, h = (float)y;
        c[i] = isnan(x) + 2 * !!isinf(x) + 4 * isfinite(x) + 8 * isnormal(x) + 16 * !!signbit(x) + 32 * fpclassify(x)
            + 256 * isinf(x)
            + 1024 * (isnan(g) + 2 * !!isinf(g) + 4 * isfinite(g) + 8 * isnormal(g) + 16 * !!signbit(g)) + 65536 * fpclassify(g);
        a[i] = isgreater(x, y) + 2 * isgreaterequal(x, y) + 4 * isless(x, y) + 8 * islessequal(x, y) + 16 * islessgreater(x, y)
            + 32 * isunordered(x, y) + 64 * isgreater(g, y) + 128 * isunordered(g, h) + 256 * islessgreater(h, g)
            + 512 * isless(3, x);
        f[i] = (x < DBL_TRUE_MIN) + 2 * (g < FLT_TRUE_MIN) + isnan((x > 0 ? x : 1));
    }
}
void generic(int n, double *a, float *f, int *k)
{
    for (int i = 0; i < n; i++) {
        f[i] = sqrt(fabs(f[i])) + fmax(f[i], 1.0f) / 3 + sizeof(floor(f[i])) + sizeof(fmin(f[i], 1.0));
        a[i] = sqrt(fabs(a[i])) + ceil(f[i]) + sizeof(rint(k[i])) + fma(a[i], f[i], 2);
    }
}
"""
SELDOM = """
int old(n, a, x) int n; int *a; { int k = 0; for (int i = 0; i < n; i++) k += a[i] * x; return k; }
int unnamed(int, int n, double *) { return n; }
int ranges(int n, int *a)
{
    int k = 0;
    for (int i = 0; i < n; i++)
        switch (a[i]) {
        case -100 ... -1: k += 3; break;
        case 0 ... 9: case 20: k += 5;
        case 'A' ... 'C': k *= 2; break;
        default: k--;
        }
    return k;
}
struct inner { int x, y[3]; };
struct outer { int a; struct inner in[2]; int z; };
int designated(int n)
{
    struct outer o = {.in[1].y[2] = 7, .z = n, .a = 1};
    struct outer p = {a: 3, z: n + 1};
    int v[8] = {[2 ... 5] = 4, [7] = 1}, w[4] = {[1] 2, 3};
    return o.in[1].y[2] + 10 * o.z + o.a + p.a + 100 * p.z + v[2] + v[5] + v[6] + v[7] + w[1] + 2 * w[2] + p.in[0].x;
}
int either(int n, int *a) { return (a[0]++ ?: n) + (n ?: 5) + a[0]; }
int literals(int n) { const int *p = (int[]){n, 2, 3}; return (int){n} + p[1] + ((int[3]){1, n})[1]; }
extern int renamed(int) __asm__("another") __attribute__((nothrow));
__extension__ static __inline__ int __attribute__((always_inline)) inlined(__const int x) { return x + 1; }
_Noreturn void stop(int); _Thread_local extern int thread; extern __thread int old_thread;
int called(int n) { return (*inlined)(n) + (&inlined)(n); }
_Static_assert(sizeof(int) == 4, "size");
int asserted(int n) { _Static_assert(sizeof(n) == 4); return n; }
enum trailing { FIRST, SECOND, };
int alternative(int n) { return n + SECOND; }
_Alignas(64) static const int table[3] = {1, 2, 3};
int aligned(int n) { _Alignas(32) int k = n; return k + table[1]; }
"""


TEXTS = {"statements": STATEMENTS, "types": TYPES, "built in": BUILT_IN, "classes": CLASSES, "seldom": SELDOM}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS.keys())
def test_means_what_it_means_to_gcc(text: str, tmp_path: Path) -> None:
    compare_with_gcc(text, tmp_path, (0, 1, 20))


OUTSIDE = {
    "int exp(int);\nvoid g(int *a) { a[0] = exp(1); }": ("TRV038", "'exp' is declared with another type"),
    "double sqrt();\nvoid g(double *a) { a[0] = sqrt(a[1]); }": ("TRV038", "'sqrt' is declared with another type"),
    'int mine(double) __asm__("cos");\nvoid g(int *a) { a[0] = mine(1); }': ("TRV038", "'cos' is declared with another type"),
    "_Float128 f(_Float128 x);\nvoid g(int *a) { a[0] = (int)f(1); }": ("TRV032", "'f' cannot be used: _Float128"),
    "void g(int *a) { a[0] = __sync_fetch_and_add(a, 1); }": ("TRV044", "the compiler builtin '__sync_fetch_and_add'"),
    "void g(int *a) { a[0] = __builtin_apply_args(); }": ("TRV044", "the compiler builtin '__builtin_apply_args'"),
    "void g(int *a) { a[0] = _Generic(a[0], float: 1, double *: 2); }": ("TRV012", "_Generic has no choice for a 'int'"),
    "void g(int n, int *a) { switch (n) { case 0 ... 100000: a[0] = 1; } }": ("TRV044", "more than 256 cases"),
    "void g(float x, int *a) { a[0] = __builtin_isnan(a); }": ("TRV012", "a 'int *' is not a floating-point number"),
    "int g(x) float x; { return x; }": ("TRV044", "float parameters of old-style definitions"),
    "static int x = ({ 1; });\nvoid g(int *a) { a[0] = x; }": ("TRV037", "'x' cannot be used"),
}


@pytest.mark.parametrize("text", OUTSIDE)
def test_what_is_outside_is_named(text: str) -> None:
    module = parse_c("g.c", text=text + "\nvoid other(int *a) { a[0] = 1; }\n")
    ((name, reason),) = module.passed_over
    code, message = OUTSIDE[text]
    assert (name, reason.code) == ("g", code) and message in reason.message, reason
