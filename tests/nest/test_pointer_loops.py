"""Loops that pointers count: which are understood, and that counting them changes nothing."""

from __future__ import annotations

import pytest

from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.transform.prepare import prepare
from tensorrv.frontend.c.module import parse_c
from tests.nest.c_text import nests_of


@pytest.mark.parametrize(
    ("text", "count"),
    [
        ("void f(int n, int *a) { int *e = a + n; while (a < e) *a++ = 1; }", "n"),
        ("void f(int n, int *a) { int *e = a + n; while (a != e) *a++ = 1; }", "n"),
        ("void f(int n, int *a) { for (int *p = a + 2; p <= a + n; ++p) *p = 1; }", "n - 1"),
        ("void f(int n, int *a) { int *p = a + n; while (p-- > a) *p = 1; }", "n"),
        ("void f(int n, int *a) { int *p = a + n; while (p != a) *--p = 1; }", "n"),
        ("void f(int n, int *a) { int *p = a - 1, *e = a + n; while (++p < e) *p = 1; }", "n"),
        ("void f(long n, double *a) { for (double *p = a; a + n > p; p += 1) *p = 1; }", "n"),
        ("struct s { int x, y, z; }; void f(int n, struct s *a) { for (struct s *p = a; p < a + n; p++) p->y = 1; }", "n"),
    ],
)
def test_trip_counts(text: str, count: str) -> None:
    (loop,) = nests_of(text).loops.values()
    assert loop.trip is not None and loop.trip.count is not None
    assert loop.trip.count.readable() == count
    assert loop.name in ("a", "p")


@pytest.mark.parametrize(
    "text",
    [
        "void f(int *a, int *e) { while (a < e) { if (*a == 3) break; *a++ = 1; } }",
        "void f(int *a, int *e) { for (; a != e; a += 2) *a = 1; }",
        "void f(int *a, int *e) { for (; a < e; a -= 1) *a = 1; }",
        "void f(int n, int *a, int *e) { for (; a < e; a += n) *a = 1; }",
        "void f(int *a, int *e) { while (a < e) { if (*a) a++; *a++ = 1; } }",
        "void f(int *a, int *e) { while (a < e) { *a++ = 1; e--; } }",
        "void f(int *a, int *e) { while (a == e) a++; }",
    ],
)
def test_loops_that_are_not_counted(text: str) -> None:
    (loop,) = nests_of(text).loops.values()
    assert loop.trip is None


LOOPS = [
    "int f({t} *p, {t} *q) {{ int s = 0; for (; p < q; p++) s = s * 3 + (int)*p; return s; }}",
    "int f({t} *p, {t} *q) {{ int s = 0; while (p != q) {{ s++; p++; }} return s; }}",
    "int f({t} *p, {t} *q) {{ {t} *o = p; for (; p <= q; p += 3) *p = 1; return (int)(p - o); }}",
    "int f({t} *p, {t} *q) {{ {t} *o = q; while (--q >= p) *q += 1; return (int)(o - q); }}",
    "int f({t} *p, {t} *q) {{ int s = 0; do s++; while (++p < q); return s; }}",
]


OF_STRUCTS = "int f({t} *p, {t} *q) {{ int s = 0; for (; q > p; q--) s += q[-1].x; return s; }}"
PROGRAMS = [*((loop, type_) for loop in LOOPS for type_ in ("char", "short", "double")), (OF_STRUCTS, "struct s")]


@pytest.mark.parametrize(("loop", "type_"), PROGRAMS)
def test_results_stay_the_same(loop: str, type_: str) -> None:
    text = "struct s { int x; char y[3]; };\n" + loop.format(t=type_)
    function = parse_c("p.c", text=text).functions[0].function
    size = {"char": 1, "short": 2, "double": 8, "struct s": 8}[type_]
    for length in (0, 1, 2, 7):
        found = []
        for version in (function, prepare(function)):
            memory, buffer = Memory(), bytearray(size * 40)
            buffer[::size] = bytes(range(40))
            base = memory.map("A", buffer).base + 16 * size
            found.append((run(version, [base, base + length * size], memory), bytes(buffer)))
        assert found[0] == found[1]
