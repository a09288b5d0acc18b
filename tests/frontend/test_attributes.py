"""Attributes, pragmas and predefined macros that change what a program means are followed or refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorrv.frontend.c.module import parse_c
from tensorrv.report.diagnostics import Diagnostic, Refused
from tests.frontend.against_gcc import compare_with_gcc

HARMLESS = """
__attribute__((noinline, const)) static int twice(int x) { return 2 * x; }
static int thrice(int x) __attribute((__unused__, optimize(1)));
static int thrice(int x) { return 3 * x; }
__extension__ typedef int number __attribute__((__may_alias__));
enum { STEP = 3 };
void f(int n, number *__restrict__ a) __attribute__((hot));
void f(int n, number *__restrict__ a)
{
    int __attribute__((unused)) k = 0, t[4] __attribute__((aligned(64))) = {0};
    for (int i = 0; i < n; i++)
        switch (a[i] & 3) {
        case 0: k++; __attribute__((fallthrough));
        case 1: t[1] += STEP;
        default: a[i] = twice(k) + thrice(t[1]);
        }
}
"""
MACROS = """
#if __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ || __FLOAT_WORD_ORDER__ != __BYTE_ORDER__ || __SIZEOF_LONG__ != 8
#define LIMIT 1
#else
#define LIMIT __INT_MAX__
#endif
void f(int n, long *a) { for (int i = 0; i < n; i++) a[i] = LIMIT + __SCHAR_MAX__ + __LONG_MAX__ / 3 + __SIZEOF_POINTER__; }
"""


@pytest.mark.parametrize("text", [HARMLESS, MACROS])
def test_means_what_it_means_to_gcc(text: str, tmp_path: Path) -> None:
    compare_with_gcc(text, tmp_path, (0, 1, 20))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("typedef float v __attribute__((vector_size(16)));\nvoid f(int n, v *a) { a[n] = a[0]; }", (1, 32)),
        ("typedef int w __attribute__((aligned(8), __mode__(__DI__)));\nvoid f(int n, w *a) { a[n] = 1; }", (1, 42)),
        ("#define PUT(x) __attribute__((x))\nenum PUT(packed) e { A };\nvoid f(enum e *a) { a[1] = A; }", (2, 10)),
        ("typedef enum x { A = 1, B } __attribute((__packed__)) e;\nvoid f(e *a) { a[1] = A; }", (1, 42)),
        ("void __attribute__((ms_abi)) f(int n, int *a) { a[n] = 1; }", (1, 21)),
        ("void end(int *p);\nvoid f(int *a) { int x __attribute__((cleanup(end))) = 1; a[0] = x; }", (2, 39)),
        ('#define K 1\n#pragma push_macro("K")\n#undef K\nvoid f(int *a) { a[0] = 1; }', (2, 1)),
    ],
)  # fmt: skip
def test_other_meanings_are_refused(text: str, place: tuple[int, int]) -> None:
    found = refusal(text)
    assert found.span is not None and (found.span.line, found.span.column) == place, found


@pytest.mark.parametrize(
    "text",
    [
        "#define PUT(x) __attribute__((x))\nstruct PUT(packed) s { char c; int x; };",
        '_Pragma("pack(1)") struct s { char c; int x; };',
        "#pragma scalar_storage_order big-endian\nstruct s { char c; int x; };",
        "struct s { char c; int x __attribute((__aligned__(16))); };",
    ],
)
def test_structs_whose_members_move_are_not_used(text: str) -> None:
    found = refusal(text + "\nvoid f(int n, struct s *p) { p[n].x = 1; }")
    assert found.code == "TRV030" and "layout" in found.message, found


def test_layouts_on_the_command_line(tmp_path: Path) -> None:
    text = "struct PACKED s { char c; int x; };\nvoid f(int n, struct s *p) { p[n].x = 1; }"
    module = parse_c("test.c", text=text, defines=[("PACKED", "__attribute__((packed))")])
    assert [name for name, _ in module.passed_over] == ["f"]


def refusal(text: str) -> Diagnostic:
    """What is said about the file, or about f."""
    try:
        module = parse_c("test.c", text=text)
    except Refused as refusal:
        return refusal.diagnostics[0]
    return dict(module.passed_over)["f"]
