"""Differences count where C defines the result, and only there."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from rv.target.machine import resolve_target
from tensorrv.check.compiler import CSource
from tensorrv.check.trial import verify_kernel
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import Plan, parse_brush

CONVERTS = """void f(int n, const double a[restrict n], unsigned c[restrict n], unsigned char b[restrict n])
{ for (int i = 0; i < n; i++) { c[i] = a[i]; b[i] = a[i]; } }"""
SHIFTS = "void f(int n, const int a[restrict n], int b[restrict n]) { for (int i = 0; i < n; i++) b[i] = 1 << a[i]; }"
UNINITIALISED = """void f(int n, int b[restrict n])
{ for (int i = 0; i < n; i++) { int w[4]; w[i & 1] = i; b[i] = w[2]; } }"""
DEFINED = "void f(int n, const int a[restrict n], int b[restrict n]) { for (int i = 0; i < n; i++) b[i] = a[i] * a[i] + a[i]; }"


@pytest.mark.parametrize("text", [CONVERTS, SHIFTS, UNINITIALISED])
@pytest.mark.parametrize("brush", ["none", "8"])
def test_what_c_leaves_undefined_is_no_finding(tmp_path: Path, text: str, brush: str) -> None:
    path = tmp_path / "f.c"
    path.write_text(text)
    kernel = compile_function(parse_c(path).function("f"), Plan(parse_brush(brush)), resolve_target("native"))
    found = verify_kernel(kernel, (), CSource(path, ()))
    assert (found.difference, found.doubt) == (None, None)
    if found.compiler is not None and text != SHIFTS:
        assert found.left_out and "undefined" in found.undefined


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
def test_signed_overflow_wraps(tmp_path: Path) -> None:
    path = tmp_path / "f.c"
    path.write_text(DEFINED)
    kernel = compile_function(parse_c(path).function("f"), Plan(parse_brush("8")), resolve_target("native"))
    found = verify_kernel(kernel, (), CSource(path, ()))
    assert (found.difference, found.doubt, found.left_out, found.compiler) == (None, None, 0, "gcc -O0")
