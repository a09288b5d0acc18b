"""Structs mean to us what they mean to gcc: members, arrays of structs, nesting, copies, arguments and results, layout."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from tensorrv.frontend.c.module import parse_c
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.elements import Record
from tests.frontend.against_gcc import compare_with_gcc

TYPES = """
struct point { double x, y; };
typedef struct { float pos[3]; int id; struct point q[2]; } body;
typedef struct node node;
struct node { float split; short dim; signed char kind; unsigned char flags[5]; _Bool leaf; int left, right; long long count; };
struct small { char c; struct { short s; char t; } in; unsigned u; struct { int v, w; }; };
struct one { double value; };
struct matrix { double m[3][2]; struct point rows[2][2]; };
"""

MEMBERS = (
    TYPES
    + """
double read(int n, struct point *p, const node *t, body *b)
{
    double s = p[n].x + p->y + (*p).x + (p + n)->y + (&p[n])->x + n[p].y;
    for (int i = 0; i < n; i++) s += t[i].split * t[i].dim + t[i].kind - t[i].flags[i % 5] + t[i].leaf + (t[i].count & 7);
    for (int i = 0; i < n; i++) s += b[i].pos[i % 3] * b[i].q[i & 1].x + b[i].q[1].y + b[i].id;
    return s;
}
void write(int n, struct point *p, node *t, struct small *z, struct one *o)
{
    for (int i = 0; i < n; i++) {
        p[i].x += p[i].y;
        p[i].y = -p[i].x;
        t[i].flags[i % 5]++;
        t[i].leaf = t[i].dim > 10;
        t[i].left = t[i].right-- - i;
        t[i].count *= 3;
        z[i].in.s = z[i].c + z[i].in.t;
        z[i].v ^= z[i].w;
        (&z[i])->u <<= 3;
        o[i].value *= 2;
    }
}
int pointers(int n, struct point *p, body *b)
{
    struct point *q = p + 3, *end = &p[n];
    double *x = &p[2].x, *in = b[1].q + 1 == &b[1].q[1] ? &b[1].q[1].y : 0;
    for (struct point *r = p; r != end; r++) { r->x = r - p; (*r).y += 1; }
    for (; q < p + 10; ) q++->y = 4;
    x[1] = 7;
    *in = 9;
    float *f = b[2].pos;
    for (int k = 0; k < 3; k++) *f++ += k;
    body *c = b + n;
    c--;
    c->pos[1] = 2;
    struct point *qs = b[n].q;
    qs[1].x = 5;
    void *v = b + 2;
    body *again = v;
    again[1].id = -1;
    return (int)(q - p) * 100 + (int)(end - p) + (int)(&p[n].y - &p[1].y);
}
double two(int n, struct matrix *a, body g[][3], struct point (*pairs)[2])
{
    double s = 0;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 2; j++) { a[n].m[i][j] += i; s = s * 0.5 + a[1].m[2 - i][j] + a->rows[j][i & 1].y; }
    double (*row)[2] = a[2].m, *flat = a[2].m[1];
    row[2][1] = 11;
    flat[-1] = 12;
    g[n & 3][2].q[1].x = s;
    g[1][n % 3].id++;
    pairs[n][1].x += pairs[n & 3][n & 1].y;
    return s + g[2][1].pos[2] + pairs[2]->x + (*pairs)[1].y;
}
int sizes(int n, body *b, struct small *z)
{
    return sizeof(body) * 10000 + sizeof *z * 100 + sizeof z->in + sizeof b->q + sizeof(node);
}
"""
)

VALUES = (
    TYPES
    + """
static struct point add(struct point a, struct point b) { struct point r; r.x = a.x + b.x; r.y = a.y + b.y; return r; }
static struct point scale(struct point a, double k) { return (struct point){a.x * k, .y = a.y * k}; }
static inline struct point clamp(struct point a) { if (a.x < 0) return (struct point){0}; a.y = a.x; return a; }
static double dot(const struct point *a, struct point b) { return a->x * b.x + a->y * b.y; }
static body move(body b, float by) { for (int k = 0; k < 3; k++) ; b.pos[0] += by; b.q[1] = add(b.q[0], b.q[1]); return b; }
double vectors(int n, struct point *p)
{
    struct point sum = {0}, last = p[n];
    for (int i = 0; i < n; i++) {
        struct point d = add(p[i], scale(p[i + 1], -1)), e;
        e = d;
        e.x++;
        sum = add(sum, clamp(e));
        if (dot(&p[i], d) > 3) { p[i] = last = e; continue; }
        p[i + 20] = clamp(add(d, e));
    }
    return sum.x * 3 + sum.y + last.x + add(sum, last).y;
}
void bodies(int n, body *b)
{
    int i = 0;
    while (i < n) b[i++ + 20] = move(b[i], 2);
    body c = b[1], d = {{1, 2}, 3, {{4, 5}, {.y = 6}}}, e = {.q = {[1] = c.q[0]}, .id = c.id};
    b[2] = d;
    b[3] = e;
    b[4].q[1] = c.q[1], b[5] = b[4];
}
int branches(int n, struct small *z)
{
    struct small a = z[0], b = z[1], m;
    if (n & 1) m = a; else { m = b; m.in.t = 3; }
    for (int k = 0; k < n; k++) { if (z[k].u > m.u) m = z[k]; if (z[k].c == 99) goto done; }
done:
    z[n] = m;
    return m.v + m.in.s;
}
double array_arguments(int n, struct one *o) { struct one a = o[n], b = a; b.value++; return a.value * b.value; }
"""
)

RECURSIVE = """
struct list { struct list *next; double value; };
struct grid { int n; double *data; };
double last(int n, struct grid *g, double *D) { double s = 0; (void)g; for (int i = 0; i < n; i++) s += D[i]; return s; }
"""


@pytest.mark.parametrize("text", [MEMBERS, VALUES], ids=["members", "values"])
def test_structs_agree_with_gcc(text: str, tmp_path: Path) -> None:
    assert compare_with_gcc(text, tmp_path, sizes=range(1, 12)) == set()


def test_layout_is_that_of_gcc(tmp_path: Path) -> None:
    module = parse_c("t.c", text=TYPES + "void f(body *a, node *b, struct small *c, struct matrix *d, struct one *e) {}")
    lines = ["#include <stddef.h>", TYPES]
    for parameter in module.functions[0].parameters:
        assert isinstance(parameter.element, Record)
        record = parameter.element
        lines.append(f'_Static_assert(sizeof({record.c_type}) == {record.size}, "");')
        lines.append(f'_Static_assert(_Alignof({record.c_type}) == {record.alignment}, "");')
        for m in record.fields:
            if m.name:
                lines.append(f'_Static_assert(offsetof({record.c_type}, {m.name}) == {m.offset}, "");')
    (tmp_path / "t.c").write_text("\n".join(lines))
    subprocess.run(["gcc", "-std=c11", "-c", "t.c"], cwd=tmp_path, check=True)
    assert len(lines) > 25


def test_prototypes_name_the_struct() -> None:
    text = TYPES + "void f(const struct point *restrict p, node t[4], body *b, struct one q[][2], int n) {}"
    prototype = parse_c("t.c", text=text).functions[0].prototype
    assert prototype == "void f(const struct point *restrict p, struct node *t, void *b, struct one q[][2], int n);"


def outcome(text: str) -> Diagnostic:
    try:
        ((_, found),) = parse_c("f.c", text=TYPES + text).passed_over
    except Refused as refusal:
        (found,) = refusal.diagnostics
    return found


@pytest.mark.parametrize(
    ("text", "code", "message"),
    [
        ("double f(struct point *p) { return p->z; }", "TRV010", "'struct point' has no member 'z'"),
        ("double f(struct point *p) { return p.x; }", "TRV012", "has no members"),
        ("double f(double *p) { return p->x; }", "TRV012", "has no members"),
        ("double f(struct hidden *p) { return p->x; }", "TRV012", "the members of 'struct hidden' are not declared"),
        ("void f(const struct point *p) { p->x = 1; }", "TRV014", "const"),
        ("void f(const struct point *p) { p[0] = p[1]; }", "TRV014", "const"),
        ("void f(struct point *p, body *b) { p[0] = b[0]; }", "TRV016", "has type 'struct point', but the value is a 'body'"),
        ("void f(struct point *p) { p[0] += p[1]; }", "TRV012", "'+' is not defined"),
        ("struct point { int x; };", "TRV011", "'struct point' is defined twice"),
        ("struct twice { int x; double x; };", "TRV011", "the struct has two members 'x'"),
        ("struct point f(struct point p) { return p; }", "TRV030", "returns a struct"),
        ("void f(double *D) { struct point p = {1, 2, 3}; D[0] = p.x; }", "TRV016", "'struct point' has 2 elements"),
        ("union u { int i; float f; }; void f(union u *p) { p->i = 1; }", "TRV030", "unions are not supported"),
        ("struct b { int x : 3; }; void f(struct b *p) { p->x = 1; }", "TRV030", "bit-fields are not supported"),
        ("struct __attribute__((packed)) b { int x; }; void f(struct b *p) { p->x = 1; }", "TRV030", "whose layout an attribute"),
        ("struct v { volatile int x; }; void f(struct v *p) { p->x = 1; }", "TRV031", "volatile"),
        ("double f(struct point *p, double *q) { return *(double *)p + *q; }", "TRV043", "reinterprets memory"),
        ("void f(struct point *p, int n) { p[0] = n ? p[1] : p[2]; }", "TRV030", "?: between structs"),
    ],
)
def test_what_is_refused(text: str, code: str, message: str) -> None:
    found = outcome(text)
    assert found.code == code and message in found.message, found
    assert found.span is not None


def test_structs_that_are_not_looked_into_do_not_matter() -> None:
    assert [f.name for f in parse_c("r.c", text=RECURSIVE).functions] == ["last"]
