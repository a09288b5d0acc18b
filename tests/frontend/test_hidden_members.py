"""Structs with members that cannot be accessed: the others are where gcc has them."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorrv.frontend.c.module import parse_c
from tests.frontend.against_gcc import compare_with_gcc

STRUCTS = """
#include <stddef.h>
struct a { char c; unsigned x : 3, y : 7; double d; };
struct b { unsigned x : 30, y : 3; char c; long z : 40; short s; };
struct c { char c; union { char b[9]; double d; } u; short s; };
struct d { int n; union { int i; float f; }; volatile int v; double *p; void (*call)(int); char c; };
struct e { char c; long double l; float f[3]; volatile short s[3]; int i; };
struct f { _Bool b : 1; unsigned char k : 7; unsigned long m : 33; struct a inside[2]; int i; };
struct g { enum { X, Y } kind : 2; __int128 w; int i; union { struct { short x, y; } s; int both; } u[3]; float f; };
"""
PLACES = "a.c a.d b.c b.s c.c c.s d.n d.p d.c e.f[1] e.i f.inside[1].d f.i g.i g.f".split()


def test_the_other_members_are_where_gcc_has_them(tmp_path: Path) -> None:
    places = [f"offsetof(struct {place[0]}, {place[2:]})" for place in PLACES]
    values = places + [f"{what}(struct {tag})" for tag in "abcdefg" for what in ("sizeof", "_Alignof")]
    text = STRUCTS + "".join(f"long value_{k}(void) {{ return {value}; }}\n" for k, value in enumerate(values))
    compare_with_gcc(text, tmp_path, (0,), repeat=1)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("int f(struct b *p) { return p->x; }", "'x' of 'struct b' cannot be used: bit-fields"),
        ("float f(struct d *p) { return p->f; }", "'f' of 'struct d' cannot be used: unions"),
        ("int f(struct d *p) { return p->v; }", "'v' of 'struct d' cannot be used: volatile"),
        ("void f(struct a *p) { p[0] = p[1]; }", "with members outside the subset is copied"),
        ("double f(struct a p) { return p.d; }", "'p' cannot be passed by value"),
        ("double f(void) { struct a p = {1}; return p.d; }", "is initialised"),
        ("struct z { int x : 3; int : 0; int y; }; int f(struct z *p) { return p->y; }", "bit-fields are not supported"),
    ],
)
def test_what_they_cannot_do(text: str, message: str) -> None:
    ((name, reason),) = parse_c("s.c", text=STRUCTS + text).passed_over
    assert name == "f" and message in reason.message, reason
