"""Functions that are not compiled are named with the reason: static ones too, which nothing that is compiled calls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tensorrv.cli.gen import main

STATIC = """
#include <complex.h>
static double twice(double x) { return 2 * x; }
static void kernel(int n, double *a) { for (int i = 0; i < n; i++) a[i] = twice(a[i]); }
void complicated(double _Complex *a) { kernel(1, (double *)a); }
"""


def test_static_functions_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.c").write_text(STATIC + "void open(int n, double *a) { for (int i = 0; i < n; i++) a[i] = twice(a[i]); }\n")
    assert main([str(tmp_path / "k.c"), "--brush", "8", "--emit", "obj", "--target", "avx2", "-o", str(tmp_path)]) == 0
    printed = capsys.readouterr().err
    assert "note[TRV094]: 'kernel' is static, and no compiled function calls it" in printed
    assert "--function kernel compiles it" in printed and "'twice'" not in printed
    assert "note[TRV032]: 'complicated' is not compiled: " in printed


def test_a_file_of_static_functions_says_so(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "k.c").write_text(STATIC)
    command = [str(tmp_path / "k.c"), "--brush", "8", "--emit", "obj", "--target", "avx2", "-o", str(tmp_path)]
    assert main(command) == 1
    assert "error[TRV094]: 'kernel' is static" in capsys.readouterr().err
    assert main([*command, "--function", "kernel"]) == 0
    assert (tmp_path / "kernel.avx2.o").exists()
