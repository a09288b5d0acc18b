"""Functions that call others and use variables of the program: their objects are linked with the rest of it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from rv.target.machine import resolve_target, runs_here
from tensorrv.cli.gen import main
from tensorrv.report.diagnostics import Refused
from tests.run.toolchain import REFERENCE, TARGETS, installed

FUNCTIONS = """
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>

typedef struct { double x, y; } point;
enum { N = 40 };
double grid[N][N + 3], result[N][N + 3], unused;
int rows = N, columns = N - 1;
float scale;
point points[N];
extern int outside[];
extern long called;
double *made;

int note(int line, const char *what, short s, unsigned char c, double x);
float half(float x, signed char c, _Bool b);
short narrow(void);
double *pick(double *a, double *b, int which);
void fill(double *a, int n);

static double seconds(void) { struct timeval t; gettimeofday(&t, 0); return t.tv_sec + 1e-6 * t.tv_usec; }

void smooth(void)
{
    for (int i = 1; i < rows - 1; i++)
        for (int j = 1; j < columns; j++)
            result[i][j] = grid[i - 1][j] + grid[i + 1][j] + scale * grid[i][j - 1];
    called++;
}
int axpy(int n, double s, const double *restrict x, double *restrict y, char c, float f)
{
    assert(n > 0);
    double before = seconds();
    for (int i = 0; i < n; i++)
        y[i] += s * x[i];
    char buffer[80];
    int k = snprintf(buffer, sizeof buffer, "%d %g %c %g %s\\n", n, y[n - 1], c, f, __func__);
    fputs(buffer, stdout);
    if (seconds() - before > 1e3)
        printf("slow\\x41\\101\\n");
    k += note(__LINE__ * 0 + 7, "a \\"text\\"\\t", -3, 200, 1.5f) + narrow();
    return k + (int)(8 * half(f, -4, n));
}
double *make(int n, double first)
{
    double *a = malloc(n * sizeof *a), *b = calloc(n, sizeof *b);
    if (!a || !b)
        exit(3);
    for (int i = 0; i < n; i++)
        a[i] = first + i;
    memcpy(b, a, n * sizeof *b);
    memset(a, 0, n / 2 * sizeof *a);
    for (int i = 0; i < n; i++)
        b[i] += a[i];
    free(a);
    made = b;
    return pick(b, b + 1, first > 2);
}
double local(int n, double *restrict out)
{
    double values[N] = {1};
    int count = n;
    fill(values, N);
    fill(&out[0], n);
    scanf("", &count);
    for (int i = 0; i < N; i++)
        values[i] *= 2;
    fill(values, 3);
    for (int i = 0; i < count; i++)
        out[i] += values[i];
    return values[N - 1] + values[0];
}
void shared(int n, double *p, int *q)
{
    for (int i = 0; i < n; i++)
        grid[0][i] = 2 * p[i];
    for (int i = 0; i < n; i++)
        q[i] = outside[i] + rows;
    for (int i = 0; i < N; i++) {
        points[i].x += points[i].y;
        points[i].y = i;
    }
}
"""
PROGRAM = """
#include <stdio.h>
#include <string.h>
enum { N = 40 };
typedef struct { double x, y; } point;
extern double grid[N][N + 3], result[N][N + 3], *made;
extern int rows, columns;
extern float scale;
extern point points[N];
int outside[100];
long called;
void smooth(void);
int axpy(int n, double s, const double *restrict x, double *restrict y, char c, float f);
double *make(int n, double first), local(int n, double *restrict out);
void shared(int n, double *p, int *q);
int note(int line, const char *what, short s, unsigned char c, double x)
{
    return printf("%d %s %d %d %g\\n", line, what, s, c, x);
}
float half(float x, signed char c, _Bool b) { return x / 2 + c + b; }
short narrow(void) { return -12345; }
double *pick(double *a, double *b, int which) { return which ? b : a; }
void fill(double *a, int n) { for (int i = 0; i < n; i++) a[i] += i; }
static void show(const char *name, const double *a, int n) { for (int i = 0; i < n; i++) printf("%s %a\\n", name, a[i]); }
int main(void)
{
    double x[N], y[N];
    int q[N];
    for (int i = 0; i < N; i++) {
        x[i] = 1.0 / (i + 1), y[i] = i, outside[i] = 3 * i, points[i] = (point){i, 2 * i};
        for (int j = 0; j < N + 3; j++)
            grid[i][j] = (i * 7 + j) % 11 / 3.0;
    }
    scale = 0.3f, columns = 37;
    smooth();
    show("result", result[0], N * (N + 3));
    printf("%d\\n", axpy(N, 3, x, y, 'q', 1.5f));
    show("y", y, N);
    show("make", make(N, 2), N);
    show("made", make(N, 4), 30);
    printf("%d\\n", (int)(made != 0));
    for (int i = 0; i < N; i++) x[i] = i;
    printf("%a\\n", local(N, y));
    show("local", y, N);
    shared(N - 1, grid[0] + 1, q), shared(N - 1, y, q);
    show("grid", grid[0], N + 3);
    for (int i = 0; i < N - 1; i++) printf("%d %a %a\\n", q[i], points[i].x, points[i].y);
    printf("%ld\\ndone\\n", called);
    return 0;
}
"""
DEFINITIONS = "enum { N = 40 };\ntypedef struct { double x, y; } point;\n" + "\n".join(
    line
    for line in FUNCTIONS.split("\n")
    if line.startswith(("double grid", "int rows", "float scale;", "point points", "double *made"))
)


@pytest.mark.parametrize("target", TARGETS)
def test_objects_are_linked_with_the_rest_of_the_program(target: str, tmp_path: Path) -> None:
    tools = installed(target)
    (tmp_path / "functions.c").write_text(FUNCTIONS)
    (tmp_path / "program.c").write_text(PROGRAM)
    (tmp_path / "definitions.c").write_text(DEFINITIONS + "\n")
    assert main([str(tmp_path / "functions.c"), "--brush", "4", "--target", target, "--emit", "obj", "-o", str(tmp_path)]) == 0
    ours = sorted(tmp_path.glob(f"*.{target}.o"))
    assert [path.name.split(".")[0] for path in ours] == ["axpy", "local", "make", "shared", "smooth"]
    objects: dict[str, Path] = {}
    for name in ("functions", "program", "definitions"):
        objects[name] = tmp_path / f"{name}.o"
        tools.compile(tmp_path / f"{name}.c", objects[name], *REFERENCE)
    tools.link([objects["program"], objects["functions"]], tmp_path / "expected")
    tools.link([objects["program"], objects["definitions"], *ours], tmp_path / "found")
    expected, found = tools.run(tmp_path / "expected"), tools.run(tmp_path / "found")
    assert found == expected and len(expected) > 1000


def test_variables_are_parameters_from_python() -> None:
    kernel = trv.compile(FUNCTIONS, function="smooth", brush={"j": 8}, target="avx512" if runs("avx512") else "avx2")
    generator = np.random.default_rng(3)
    grid, result = generator.random((40, 43)), np.zeros((40, 43))
    rows, columns, scale = np.array([40], np.int32), np.array([37], np.int32), np.array([0.5], np.float32)
    expected = result.copy()
    expected[1:39, 1:37] = grid[0:38, 1:37] + grid[2:40, 1:37] + np.float64(0.5) * grid[1:39, 0:36]
    given = {"rows": rows, "columns": columns, "grid": grid, "result": result, "scale": scale}
    with pytest.raises(RuntimeError, match="code that uses called does not run here"):
        kernel(**given)
    alone = FUNCTIONS.replace("called++;", "")
    kernel = trv.compile(alone, function="smooth", brush={"j": 8}, target="avx512" if runs("avx512") else "avx2")
    kernel(**given)
    assert np.array_equal(result, expected)
    with pytest.raises(ValueError, match="grid"):
        kernel(**{**given, "grid": grid[:, :40].copy()})


CALLS = """
#include <stdio.h>
#include <unistd.h>
int g; extern int elsewhere(int), faraway;
void f(int n, int a[n]) { BODY; for (int i = 0; i < n; i++) a[i] *= 2; }
"""


@pytest.mark.parametrize(
    ("body", "message"),
    [
        ("g = n", ""),
        ("elsewhere(n)", "calls 'elsewhere', which is not to be done on random data"),
        ("n = faraway", "uses 'faraway', which is defined elsewhere"),
        ("close(n)", "calls 'close', which is not to be done on random data"),
        ("printf(\"\")", ""),
    ],
)
def test_verification_does_not_run_what_does_more_than_compute(
    body: str, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "f.c").write_text(CALLS.replace("BODY", body))
    command = [str(tmp_path / "f.c"), "--function", "f", "--brush", "4", "--verify", "--emit", "asm", "-o", str(tmp_path)]
    assert main(command) == (1 if message else 0)
    assert message in capsys.readouterr().err


LOOPS = """
#include <stdio.h>
#include <assert.h>
int f(int n, int *a) { for (int i = 0; i < n; i++) { a[i] *= 2; STATEMENT; } return n; }
"""


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        ('printf("%d", i)', "calls `printf`, which may do anything"),
        ("assert(a[i] > 0)", "holds an assertion, which may end the program"),
        ("putchar(a[i])", "calls `putchar`, which may do anything"),
    ],
)
def test_calls_in_brushed_loops_are_refused(statement: str, message: str) -> None:
    with pytest.raises(Refused, match=message):
        trv.compile(LOOPS.replace("STATEMENT", statement), brush=8, target="avx2")


def runs(name: str) -> bool:
    return runs_here(resolve_target(name)) is None
