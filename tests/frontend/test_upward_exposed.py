"""Which variables an iteration may use before it assigns to them."""

from __future__ import annotations

import pytest

from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.c.pragmas import divided_loops
from tensorrv.frontend.c.tree.nodes import Statement
from tensorrv.frontend.c.tree.upward_exposed import upward_exposed


@pytest.mark.parametrize(
    ("body", "exposed"),
    [
        ("t = x[i]; o[i] = t + s;", "s"),
        ("if (x[i]) t = x[i]; o[i] = t;", "t"),
        ("if (x[i]) t = x[i]; else t = 3; o[i] = t;", ""),
        ("if (x[i]) { t = 2; o[i] = t; }", ""),
        ("t += x[i];", "t"),
        ("o[i] = t++;", "t"),
        ("o[i] = (t = x[i]) + t;", ""),
        ("x[i] && (t = 3); o[i] = t;", "t"),
        ("(t = x[i]) && (s = t); o[i] = t;", ""),
        ("o[i] = x[i] ? (t = 1) : (t = 2); o[i] += t;", ""),
        ("for (k = 0; k < 4; k++) o[i] += k;", ""),
        ("for (k = 0; k < 4; k++) t = k; o[i] = t;", "t"),
        ("k = 0; do { t = k; } while (++k < 4); o[i] = t;", "t"),  # as if the body could run not at all
        ("for (k = 0; k < 4; k += s) { if (x[k]) continue; s = 1; }", "s"),
        ("while (t) t = 0;", "t"),
        ("for (k = 0; k < 4; k++) { t = k; if (x[k]) break; o[i] = t; }", ""),
        ("switch (x[i]) { case 1: t = 2; break; case 2: o[i] = t; break; }", "t"),
        ("t = 1; goto out; out: o[i] = t;", "t"),
        ("{ int t = x[i]; o[i] = t; }", ""),
        ("a[0] = x[i]; o[i] = a[0];", "a"),
        ("{ int a[2]; a[0] = x[i]; o[i] = a[0]; }", ""),
        ("p.low = x[i]; o[i] = p.low;", "p"),
        ("p = (pair){1, 2}; o[i] = p.low;", "p"),  # structs are not followed
        ("t = 3; { int *q = &t; o[i] = *q; }", ""),
        ("{ int *q = &t; *q = 3; } o[i] = t;", "t"),
        ("o[i] = ({ t = x[i]; t + s; });", "s"),
    ],
)
def test_exposed(body: str, exposed: str, monkeypatch: pytest.MonkeyPatch) -> None:
    found: list[frozenset[str]] = []

    def recorded(statement: Statement) -> frozenset[object]:
        result = upward_exposed(statement)
        found.append(frozenset(v.name for v in result) - {"x", "o", "i"})
        return result

    monkeypatch.setattr(divided_loops, "upward_exposed", recorded)
    text = f"""typedef struct {{ int low, high; }} pair;
void f(int n, const int *x, int *o) {{
    int t, s, k, a[2], own; pair p;
    #pragma omp parallel private(own)
    {{
        #pragma omp for
        for (int i = 0; i < n; i++) {{ {body} }}
    }}
}}"""
    parse_c("exposed.c", text=text).function("f")
    assert found[-1] == frozenset(exposed.split())
