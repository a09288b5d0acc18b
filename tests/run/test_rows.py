"""Arrays as tables of pointers to their rows: rows that overlap are found when the loop over them starts."""

from __future__ import annotations

from pathlib import Path

import pytest

import tensorrv as trv
from tensorrv.cli.gen import main
from tensorrv.report.diagnostics import Refused
from tests.run.toolchain import REFERENCE, TARGETS, installed

FUNCTION = """
void resid(int n, double **u, double **r)
{
    for (int i = 1; i < n; i++) {
        double *to = r[i];
        const double *from = u[i], *above = u[i - 1];
        for (int j = 1; j < n; j++)
            to[j] = from[j] - 2 * above[j - 1];
    }
}
"""
DIRECT = """
void resid(int n, double **u, double **r)
{
    for (int i = 1; i < n; i++)
        for (int j = 1; j < n; j++)
            r[i][j] = u[i][j] - 2 * u[i - 1][j - 1];
}
"""
PROGRAM = """
#include <stdio.h>
enum { N = 37 };
void resid(int n, double **u, double **r);
int main(void)
{
    static double a[N * N + 9], b[N * N + 9];
    double *u[N], *r[N];
    for (int form = 0; form < 5; form++) {
        for (int i = 0; i < N * N + 9; i++)
            a[i] = i % 13 / 4.0, b[i] = i % 7 / 8.0;
        for (int i = 0; i < N; i++) {
            u[i] = a + N * i;
            r[i] = form == 0 ? b + N * i : form == 1 ? u[i] : form == 2 ? u[i] + 1 : form == 3 ? u[N - 1 - i] : b + 2 * (i % 3);
        }
        resid(N, u, r);
        for (int i = 0; i < N * N + 9; i++)
            printf("%a %a\\n", a[i], b[i]);
    }
    printf("done\\n");
    return 0;
}
"""


@pytest.mark.parametrize("function", [FUNCTION, DIRECT], ids=["rows first", "subscripts"])
@pytest.mark.parametrize("target", TARGETS)
def test_rows_may_be_anywhere(target: str, function: str, tmp_path: Path) -> None:
    tools = installed(target)
    (tmp_path / "function.c").write_text(function)
    (tmp_path / "program.c").write_text(PROGRAM)
    assert main([str(tmp_path / "function.c"), "--brush", "j=8", "--target", target, "--emit", "obj", "-o", str(tmp_path)]) == 0
    objects = {name: tmp_path / f"{name}.o" for name in ("function", "program")}
    for name, path in objects.items():
        tools.compile(tmp_path / f"{name}.c", path, *REFERENCE)
    tools.link(list(objects.values()), tmp_path / "expected")
    tools.link([objects["program"], tmp_path / f"resid.{target}.o"], tmp_path / "found")
    assert tools.run(tmp_path / "found") == tools.run(tmp_path / "expected")


def test_python_cannot_give_rows() -> None:
    with pytest.raises(Refused, match="takes pointers to pointers"):
        trv.compile(FUNCTION, brush=8, target="avx2")
