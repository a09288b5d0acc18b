"""Which stack objects become variables, which loops are unrolled for that, and that unrolled loops do the same."""

from __future__ import annotations

import pytest

from rv.analysis.cfg.loops import find_loops
from rv.analysis.values.uses import definitions
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.instructions import Alloca
from rv.ir.parser import parse_function
from rv.ir.printer import print_function
from rv.semantics.memory import Memory
from rv.semantics.scalar import run
from rv.semantics.undefined import UNDEFINED
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from rv.transform.loops.unroll import constant_trips, unroll
from rv.transform.scalar.promote_objects import promote_objects
from rv.transform.simplify import simplify
from tensorrv.frontend.c.module import parse_c


def lowered(text: str) -> Function:
    (function,) = parse_c("f.c", text=text).functions
    return verify(function.function)


def objects(text: str) -> list[str]:
    """The names of the objects that stay."""
    return [i.result.source_name for _, i in verify(promote_objects(lowered(text))).instructions() if isinstance(i, Alloca)]


def test_places_become_variables() -> None:
    function = lowered("int f(int n, int c) { int a[2] = {n, 7}; if (c) a[0] = a[1]; else a[1] = c; return a[0] + a[1]; }")
    assert print_function(promote_objects(function)) == """\
define i32 @f(i32 %n, i32 %c) {
entry:
  %t.2 = icmp ne i32 %c, 0
  branch %t.2, if.end, if.else
if.else:
  jump if.end
if.end:
  %a.4 = phi i32 [7, entry], [%c, if.else]
  %a.0 = phi i32 [7, entry], [%n, if.else]
  %t.11 = add nsw i32 %a.0, %a.4
  return i32 %t.11
}
"""


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        ("int a[4]; for (int k = 0; k < 4; k++) a[k] = n * k; return a[1] + a[3];", []),
        ("int a[2][3]; for (int i = 0; i < 2; i++) for (int j = 2; j >= 0; j--) a[i][j] = n; return a[1][2];", []),
        ("int a[4]; for (int k = 0; k < n; k++) { a[1] = k; a[2] = a[1]; } return a[2];", []),
        ("int a[4]; for (int k = 0; k < 4; k++) { if (k == n) break; a[k] = n; a[0] = k; } return a[0];", []),
        ("struct { int n; double d; short s[2]; } a; a.n = n; a.s[n & 1] = 2; return a.n + a.s[0];", ["a"]),
        ("int x = n, *p = &x; *p += 1; return x;", []),
        ("int x = n, y = 3, *p = n > 2 ? &x : &y; return *p;", ["x", "y"]),
        ("int a[4] = {0}; return a[n & 3];", ["a"]),
        ("int a[4] = {0}; a[n & 3] = 5; return n;", []),
        ("int a[40]; for (int k = 0; k < 40; k++) a[k] = n; return a[3];", ["a"]),
        ("int a[9]; _Pragma(\"omp simd\") for (int k = 0; k < 9; k++) a[k] = n; return a[3];", ["a"]),
        ("int a[4]; for (int k = 0; k < n; k++) a[k] = n; return a[1];", ["a"]),
        ("int a[2]; for (int k = 0; k < 3; k++) a[k & 1] = k; return a[1];", []),
    ],
)  # fmt: skip
def test_which_objects_become_variables(body: str, kept: list[str]) -> None:
    assert objects(f"int f(int n) {{ {body} }}") == kept


def test_parts_that_overlap_stay() -> None:
    text = "define i64 @f(i32 %n) {{\nentry:\n  %a = alloca i64 x 2\n  store i32 %n, %a\n  {}\n  return i64 %x\n}}\n"
    overlapping = verify(parse_function(text.format("%x = load i64, %a")))
    assert "alloca" in print_function(promote_objects(overlapping))
    outside = verify(parse_function(text.format("%p = elemptr i64, %a [2]\n  %x = load i64, %p")))
    assert "alloca" in print_function(promote_objects(outside))
    apart = verify(parse_function(text.format("%p = elemptr i32, %a [2]\n  %x = load i64, %p")))
    assert "alloca" not in print_function(promote_objects(apart))
    assert run(promote_objects(apart), [1], Memory()) is UNDEFINED


@pytest.mark.parametrize(
    ("body", "kept"),
    [
        (
            """struct { int node; double d; } s[8]; int top = 1; s[0].node = n; s[0].d = 2;
            while (top < n) { s[top & 7].d = s[(top - 1) & 7].d * 2; s[top & 7].node = top; top++; }
            return s[n & 7].node + s[n & 3].d;""",
            [("i32", 8), ("double", 8)],
        ),
        ("struct { int a; float b, c; } s[4] = {{n}}; s[n & 3].c += 1; return s[1].c;", [("float", 4)]),
        ("struct { int a; int v[2]; } s[4]; s[n & 3].v[n & 1] = 1; return s[2].v[0];", [("i32", 12)]),
        ("double a[8][2]; a[n & 7][0] = n; a[n & 7][1] = 2; return a[3][0] + a[2][1];", [("double", 8), ("double", 8)]),
        ("short a[3][2][2]; a[n % 3][n & 1][1] = n; return a[1][0][1];", [("i16", 6)]),
        ("struct { short k; struct { int x, y; } p; } s[2][2]; s[n & 1][1].p.y = n; return s[0][n & 1].p.y;", [("i32", 4)]),
        ("int a[4][2]; a[n & 3][n & 1] = n; return a[3][0];", [("i32", 8)]),
    ],
)
def test_arrays_of_structs_are_split(body: str, kept: list[tuple[str, int]]) -> None:
    function = lowered(f"int f(int n) {{ {body} }}")
    changed = verify(promote_objects(function))
    assert [(str(i.element), i.count) for _, i in changed.instructions() if isinstance(i, Alloca)] == kept
    for n in range(12):
        expected = run(function, [n], Memory())
        assert expected is UNDEFINED or run(changed, [n], Memory()) == expected


def test_a_declaration_in_a_loop_forgets() -> None:
    body = "for (int i = 0; i < n; i++) { int a[1]; if (i == 0) a[0] = 5; s = a[0]; }"
    function = lowered(f"int f(int n) {{ int s = 0; {body} return s; }}")
    changed = promote_objects(function)
    assert "alloca" not in print_function(changed)
    assert run(changed, [1], Memory()) == run(function, [1], Memory()) == 5
    assert run(function, [2], Memory()) is UNDEFINED


@pytest.mark.parametrize(
    ("head", "trips"),
    [
        ("int i = 0; i < 5; i++", 5), ("int i = 5; i > 0; i -= 2", 3), ("int i = 1; i < 100; i *= 3", 5),
        ("int i = 0; i < 0; i++", 0),
        ("int i = 0; i < 9; i++", None), ("int i = 0; i < n; i++", None), ("unsigned char i = 250; i > 5; i++", 6),
        ("int i = 0, j = 7; i < j; i++, j--", 4),
    ],
)  # fmt: skip
def test_trips_and_unrolled_loops(head: str, trips: int | None) -> None:
    """The result depends on the order of iterations, and on leaving early."""
    text = f"int f(int n) {{ int s = n; for ({head}) {{ if (s % 7 == 3) break; s = s * 3 + i; }} return s; }}"
    function = close_loops(simplify_loops(simplify(lowered(text))))
    (loop,) = find_loops(function).loops.values()
    assert constant_trips(function, loop, definitions(function), 8) == trips
    if trips is not None:
        unrolled = simplify(verify(unroll(function, loop, trips)))
        assert not find_loops(unrolled).loops
        for n in range(40):
            assert run(unrolled, [n], Memory()) == run(function, [n], Memory())
