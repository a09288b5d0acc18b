"""The module that the front end gives: signatures, prototypes, pragmas, spans, and how files are read."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from rv.ir.hints import hint_texts
from rv.ir.instructions import ElementPointer, Store
from rv.ir.source import Span
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.c.preprocess.preprocessor import HEADERS, preprocess
from tensorrv.frontend.shipped import INCLUDE
from tensorrv.report.diagnostics import Refused, render
from tensorrv.unit.elements import Record
from tensorrv.unit.unit import Module

KERNELS = Path(__file__).parents[2] / "kernels"


def module(text: str, name: str = "m.c") -> Module:
    return parse_c(name, text=text)


def test_parameters_say_what_callers_need() -> None:
    text = """
        typedef double real;
        enum { K = 5 };
        void f(int n, unsigned long m, const real A[restrict n + 2][2 * m][K], float *restrict p, unsigned char (*q)[n],
               short *const r, const long s, double w[static 3], _Bool b, double v[n % 7][n]) { p[0] = 1; }
    """
    (function,) = module(text).functions
    rows = {
        p.name: (p.element.c_type, p.rank, [None if e is None else str(e) for e in p.extents], p.const, p.restrict)
        for p in function.parameters
    }
    assert rows == {
        "n": ("int", 0, [], False, False),
        "m": ("unsigned long", 0, [], False, False),
        "A": ("double", 3, ["2 + %n", "2*u%m", "5"], True, True),
        "p": ("float", 1, [None], False, True),
        "q": ("unsigned char", 2, [None, "%n"], False, False),
        "r": ("short", 1, [None], False, False),
        "s": ("long", 0, [], False, False),
        "w": ("double", 1, ["3"], False, False),
        "b": ("_Bool", 0, [], False, False),
        "v": ("double", 2, [None, "%n"], False, False),
    }
    assert [p.restrict for p in function.function.parameters] == [row[4] for row in rows.values()]
    assert function.result is None and not function.internal
    assert function.prototype == (
        "void f(int n, unsigned long m, const double A[restrict n + 2][2 * m][5], float *restrict p, "
        "unsigned char (*q)[n], "
        "short *r, long s, double w[static 3], _Bool b, double v[n % 7][n]);"
    )


SIGNATURES = """
#include <stdint.h>
#include <stddef.h>
typedef float pixel;
static const int border = 2;
int a(size_t n, int32_t rows, uint8_t A[rows + border * 2][n - 1], const pixel *restrict p) { return A[0][0] + n; }
void b(int n, int m, double (*A)[n ? m : 1], int64_t B[4][n * (m + 1)][-(-3)], const _Bool *c, signed char d) { A[0][0] = d; }
unsigned long long c(void) { return 1; }
float d(unsigned n, float A[(long)n + 1][(unsigned char)n]) { return A[1][0]; }
static void e(const double A[const restrict 10], double *const restrict b) { b[0] = A[0]; }
"""


def test_prototypes_agree_with_the_source_for_a_c_compiler(tmp_path: Path) -> None:
    functions = module(SIGNATURES).functions
    assert [f.name for f in functions] == ["a", "b", "c", "d", "e"]
    assert [f.internal for f in functions] == [False, False, False, False, True]
    header = "\n".join(("static " if f.internal else "") + f.prototype for f in functions)
    (tmp_path / "both.c").write_text(header + SIGNATURES)
    options = ["-std=c99", "-Wall", "-Werror", "-Wno-unused", "-Wno-vla-parameter"]
    subprocess.run(["gcc", *options, "-c", "both.c"], cwd=tmp_path, check=True)
    (tmp_path / "wrong.c").write_text(header.replace("signed char d", "char *d") + SIGNATURES)
    assert subprocess.run(["gcc", "-c", "wrong.c"], cwd=tmp_path, capture_output=True).returncode


def test_prototypes_of_the_shipped_kernels_compile(tmp_path: Path) -> None:
    for path in sorted(KERNELS.glob("*.c")):
        functions = [f for f in parse_c(path).functions if not f.internal]
        structs = {p.element.c_type for f in functions for p in f.parameters if isinstance(p.element, Record)}
        text = "".join(f"{line}\n" for line in (*(f"{name};" for name in structs), *(f.prototype for f in functions)))
        (tmp_path / "all.c").write_text(text + f'#include "{path}"\n')
        subprocess.run(["gcc", "-std=c11", "-Werror", f"-I{INCLUDE}", "-c", "all.c"], cwd=tmp_path, check=True)


def test_pragmas_belong_to_the_loop_that_follows() -> None:
    text = """void f(int n, double *A) {
        A[0] = 1;
        for (int i = 0; i < n; i++) A[i] = 1;
        #pragma omp simd
        #pragma GCC ivdep
        for (int k = 0; k < n; k++) A[k] = 2;
        _Pragma("omp simd") while (n--) A[n] = 3;
    }"""
    (f,) = module(text).functions
    assert {b.label: hint_texts(b.hints) for b in f.function.blocks if b.label in ("for.i", "for.k", "while.n")} == {
        "for.i": (), "for.k": ("lanes", "simd"), "while.n": ("lanes", "simd"),
    }  # fmt: skip


def test_spans_are_places_in_the_users_text() -> None:
    text = "#define AT(i) A[2 * (i)]\nvoid f(int n, double *A) {\n\tfor (int i = 0; i < n; i++)\n\t\tAT(i) = A[i + 1];\n}\n"
    (f,) = module(text).functions
    assert f.function.span == Span("m.c", 2, 6, 1)
    assert f.function.block("for.i").span == Span("m.c", 3, 2, 27)
    instructions = [i for _, i in f.function.instructions()]
    (store,) = [i for i in instructions if isinstance(i, Store)]
    assert store.span == Span("m.c", 4, 3, 16)
    loaded, stored = [i for i in instructions if isinstance(i, ElementPointer)]
    assert loaded.span == Span("m.c", 4, 11, 8)
    assert stored.span == Span("m.c", 4, 3, 4)  # the use of the macro
    assert all(i.span is not None for i in instructions)
    assert all(phi.span is not None for block in f.function.blocks for phi in block.phis)


def test_includes_and_macros(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub" / "size.h").write_text("#ifndef SIZE_H\n#define SIZE_H\n#define SIZE 3\n#endif\n")
    (tmp_path / "local.h").write_text("#include <size.h>\nstatic int three(void) { return SIZE; }\n")
    (tmp_path / "k.c").write_text(
        '#include "local.h"\n#include <size.h>\n#if SIZE == 3 && defined(FAST)\nint f(void) { return three() + FAST; }\n#endif\n'
    )
    found = parse_c(tmp_path / "k.c", defines=[("FAST", "4")], include_dirs=[tmp_path / "sub"])
    assert [f.name for f in found.functions] == ["three", "f"]
    assert [Path(name).name for name in found.sources] == ["k.c", "local.h", "size.h"]
    with pytest.raises(Refused) as caught:
        parse_c(tmp_path / "k.c")
    (finding,) = caught.value.diagnostics
    assert finding.code == "TRV003" and finding.span is not None and Path(finding.span.file).name == "local.h"


PASTING = """
#define R(number) number##f
#define MINUS(x) -x
#define GLUE(a, b) a##b
float f(float x) { return MINUS(MINUS(x)) * R(0.5) + R(0x1p-13) + GLUE(1.5, e2) + GLUE(x, ) - R(.5) -R(1.)+R(2.); }
int g(int xy) { return GLUE(x, y) + GLUE(0x, 10) + GLUE(1, u) + GLUE(1, 2) MINUS(MINUS(1)); }
"""


def test_pasted_tokens_are_one() -> None:
    """As gcc -E has it: 0.5 ## f is a number, and two minus signs that meet are no decrement."""
    wanted = subprocess.run(["gcc", "-E", "-P", "-"], input=PASTING, capture_output=True, text=True, check=True).stdout
    found = preprocess("m.c", PASTING, [], [], Path(), {}).text
    for text in ("0.5f", "0x1p-13f", "1.5e2", ".5f", "1.f", "2.f", "xy", "0x10", "1u", "12"):
        assert re.search(rf"(?<![\w.]){re.escape(text)}(?![\w.])", wanted) and text in found.split()
    assert "".join(found.split()) == "".join(wanted.split()) and "--" not in found
    assert len(parse_c("m.c", text=PASTING).functions) == 2


def test_all_own_headers_parse_together() -> None:
    names = sorted(str(path.relative_to(HEADERS)) for path in HEADERS.rglob("*.h"))
    assert "math.h" in names and "sys/time.h" in names
    text = "".join(f"#include <{name}>\n" for name in names) * 2 + "int f(void) { return INT_MAX; }\n"
    assert [f.name for f in module(text).functions] == ["f"]


def test_declarations_outside_the_subset_do_not_matter_unless_used() -> None:
    text = """
        #include <stdio.h>
        #include <complex.h>
        struct grid { int n : 3; double *data; };
        typedef struct grid grid_t;
        typedef double (*function)(double);
        extern double table[100];
        double _Complex z;
        void opaque(grid_t *g, function f, ...);
        union u { int a; float b; };
        double *rows[3];
        void f(double *A) { A[0] = 1; }
        int main(void) { printf("%d", 1); return (int)z; }
        void g(grid_t *g) { g->n = 1; }
        void h(double *A) { opaque(0, 0); A[0] = table[1] + *rows[1]; }
    """
    found = module(text)
    assert [f.name for f in found.functions] == ["f", "h"]
    assert [(name, d.code) for name, d in found.passed_over] == [("main", "TRV032"), ("g", "TRV030")]


def test_rendering_shows_line_caret_related_places_and_hint() -> None:
    text = "#define BAD(x) (x + nn)\nvoid f(int n) {\n\tn = BAD(1);\n}\n"
    with pytest.raises(Refused) as caught:
        module(text)
    (finding,) = caught.value.diagnostics
    assert render(finding, caught.value.sources) == (
        "m.c:3:6: error[TRV010]: 'nn' is not declared\n"
        "    3 | \tn = BAD(1);\n"
        "      | \t    ^^^ not declared\n"
        "m.c:1:9: note: in the expansion of macro 'BAD'\n"
        "    1 | #define BAD(x) (x + nn)\n"
        "      |         ^^^\n"
        "      = hint: did you mean 'n'?"
    )


def test_long_lines_are_cut_around_the_caret() -> None:
    text = "void f(int n) { " + "n = 1; " * 100 + "m = 1; " + "n = 1; " * 100 + "}"
    with pytest.raises(Refused) as caught:
        module(text)
    _, line, carets = render(caught.value.diagnostics[0], caught.value.sources).split("\n")[:3]
    assert len(line) < 180
    assert line[carets.index("^")] == "m"
