"""Legality of brushes over arrays of structs: members do not overlap, whatever their sizes; equal members do."""

from __future__ import annotations

import pytest

from rv.evolution.facts import Legal
from tensorrv.nest.legality.proof import check_brush
from tests.nest.c_text import brush_of, nests_of

TYPES = """
struct point { double x, y; };
struct mixed { float f; short a, b; double d; float v[2]; };
"""


def legal(body: str, parameters: str = "") -> bool:
    text = f"{TYPES} void f(int n, struct point *restrict p, struct mixed *restrict m, double *restrict A{parameters})"
    nests = nests_of(f"{text} {{ for (int i = 4; i < n - 4; i++) {{ {body} }} }}")
    return isinstance(check_brush(nests, brush_of(nests, i=8)), Legal)


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("p[i].x = p[i].y;", True),
        ("p[i].x = p[i - 1].y;", True),
        ("p[i].x = p[i + 1].x;", True),
        ("p[i].x = p[i - 1].x;", False),
        ("p[i].x = p[i - 8].x;", True),
        ("p[i].x = p[i].y; p[i].y = p[i + 1].x;", False),
        ("p[i].x = p[i + 1].y; p[i].y = A[i];", True),
        ("p[0].y = p[i].x;", True),  # stored in the order of iterations
        ("p[0].y += p[i].x;", False),
        ("struct point q = p[i]; p[i] = p[i + 1]; p[i].x += q.y;", True),
        ("p[i] = p[i - 1];", False),
        ("m[i].f = m[i - 1].a + m[i].b;", True),
        ("m[i].f = m[i - 1].f + m[i].b;", False),
        ("m[i].a = m[i - 1].b; m[i].d = m[i].f;", True),
        ("m[i].a = m[i].f; m[i].d = m[i - 1].d;", False),
        ("m[i].a = m[i].f; m[i].f = m[i - 1].a;", True),
        ("m[i].a = m[i].f; m[i].f = m[i + 1].a;", False),
        ("m[i].v[0] = m[i - 1].v[1] + m[i - 2].d;", True),
        ("m[i].v[0] = m[i - 1].v[0] + m[i - 2].d;", False),
        ("for (int k = 0; k < 2; k++) m[i].v[k] = m[i].d;", True),
        ("for (int k = 0; k < 2; k++) m[i].v[k] = m[i - 1].v[k];", False),
        ("m[i].v[n & 1] = m[i - 1].v[0];", False),
    ],
)
def test_members(body: str, expected: bool) -> None:
    assert legal(body) == expected
