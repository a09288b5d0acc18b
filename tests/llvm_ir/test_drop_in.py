"""clang -emit-llvm -> tensorrv-gen -> clang, as in a makefile: the IR of one file is compiled here, and the program linked."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.llvm_ir.test_kernels import CLANG, FLAGS

KERNEL = """\
double weights[3] = {.25, .5, .25};
static double mixed(double a, double b, double c) { return weights[0] * a + weights[1] * b + weights[2] * c; }
void smooth(int rows, int cols, const double *restrict A, double *restrict B)
{
    for (int j = 0; j < rows; ++j)
        for (int i = 1; i < cols - 1; ++i)
            B[j * cols + i] = mixed(A[j * cols + i - 1], A[j * cols + i], A[j * cols + i + 1]);
}
"""
MAIN = """\
#include <stdio.h>
double weights[3] = {.25, .5, .25};
void smooth(int rows, int cols, const double *restrict A, double *restrict B);
double A[1000], B[1000];
int main(void)
{
    unsigned long hash = 0;
    for (int k = 0; k < 1000; ++k) A[k] = 1. / (k + 1);
    smooth(20, 50, A, B);
    for (int k = 0; k < 1000; ++k) hash = hash * 31 + *(unsigned long *)&B[k];
    printf("%lx\\n", hash);
}
"""
MAKEFILE = """\
program: main.o smooth.native.o
\t$(CC) $^ -o $@
%.ll: %.c
\t$(CC) $(IR) -O1 -g $< -o $@
smooth.native.o: kernel.ll
\t$(GEN) $< --brush 2x8 --emit obj
"""


@pytest.mark.skipif(CLANG is None, reason="clang is not installed")
def test_a_makefile(tmp_path: Path) -> None:
    (tmp_path / "kernel.c").write_text(KERNEL.replace("double weights[3] = {.25, .5, .25};", "extern double weights[3];"))
    (tmp_path / "main.c").write_text(MAIN)
    (tmp_path / "Makefile").write_text(MAKEFILE)
    variables = [f"CC={CLANG}", f"IR={' '.join(FLAGS)}", f"GEN={sys.executable} -m tensorrv.cli.gen"]
    subprocess.run(["make", "-s", *variables], cwd=tmp_path, check=True)
    subprocess.run([str(CLANG), "-O0", "-ffp-contract=off", "main.c", "kernel.c", "-o", "plain"], cwd=tmp_path, check=True)
    found, expected = (
        subprocess.run([tmp_path / name], check=True, capture_output=True, text=True).stdout for name in ("program", "plain")
    )
    assert found == expected
