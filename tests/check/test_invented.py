"""Functions whose arrays declare no length, with subscripts from arrays, offsets of rows, and bounds without closed form."""

from __future__ import annotations

import numpy as np
import pytest

from rv.target.machine import resolve_target
from tensorrv.check.buffers import make_buffers, make_scalars
from tensorrv.check.invented_lengths import interface_to_run
from tensorrv.check.trial import sizes_to_run, verify_kernel
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import Plan, parse_brush
from tensorrv.unit.unit import Unit

SPMV = """void f(int n, const int *restrict rp, const int *restrict ci, const double *restrict a, const double *restrict x,
    double *restrict y)
{ for (int i = 0; i < n; i++) { double s = 0; for (int k = rp[i]; k < rp[i + 1]; k++) s += a[k] * x[ci[k]]; y[i] = s; } }"""
ELL = """void f(int n, int w, const int ci[restrict n][w], const double a[restrict n][w], const double *restrict x,
    double *restrict y)
{ for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < w; k++) s += a[i][k] * x[ci[i][k]]; y[i] = s; } }"""
HALF = "void f(int n, const int *restrict a, int *restrict b) { for (int i = 0; i < n / 2; i++) b[i] = a[i]; }"
ROUNDED = "void f(int n, const int *restrict a, int *restrict b) { for (int i = 0; i < (n & ~7) + 8; i++) b[i] = a[i]; }"
COUNTS = """void f(int n, const int *restrict c, const double *restrict w, double *restrict y)
{ for (int i = 0; i < n; i++) { double s = 0; for (int k = 0; k < c[i]; k++) s += w[k]; y[i] = s; } }"""
CLAMPED = """void f(int n, const int *restrict a, int *restrict b)
{ for (int i = 0; i < n; i++) b[i] = a[i + 5 > n - 1 ? n - 1 : i + 5]; }"""
SEARCH = """int f(int n, const int *a, int x)
{ int lo = 0, hi = n; while (lo < hi) { int k = lo + (hi - lo) / 2; if (a[k] < x) lo = k + 1; else hi = k; } return lo; }"""
LIST = "int f(int n, const int *a) { int s = 0; for (const int *p = a; *p; p++) s += *p; return s; }"


def function(text: str) -> Unit:
    return parse_c("f.c", text=text).function("f")


@pytest.mark.parametrize("text", [SPMV, ELL, HALF, ROUNDED, COUNTS, CLAMPED])
def test_they_are_run_and_equal(text: str) -> None:
    kernel = compile_function(function(text), Plan(parse_brush("8")), resolve_target("native"))
    found = verify_kernel(kernel, ())
    assert found.difference is None
    assert found.runs >= 20 and found.elements > 200


def test_rows_of_a_sparse_matrix_are_in_order_and_inside() -> None:
    interface = interface_to_run(function(SPMV))
    sizes = {"n": 1000}
    buffers = make_buffers(interface.signature, interface.reaches, sizes, np.random.default_rng(1))
    rows, columns, values = (buffers[name].elements for name in ("rp", "ci", "a"))
    assert len(rows) == 1001 and (np.diff(rows) >= 0).all() and rows[0] >= 0
    assert 4000 < rows[-1] <= len(values) and len(columns) >= rows[-1]
    assert 0 <= columns.min() and columns.max() < len(buffers["x"].elements)


def test_offsets_into_arrays_of_declared_length_stay_inside() -> None:
    text = SPMV.replace("int n,", "int n, int m,").replace("const double *restrict a", "const double a[restrict m]")
    interface = interface_to_run(function(text))
    buffers = make_buffers(interface.signature, interface.reaches, {"n": 1000, "m": 70}, np.random.default_rng(1))
    assert buffers["rp"].elements.max() <= 70 == len(buffers["a"].elements)


def test_integers_that_decide_bounds_are_sizes() -> None:
    assert sizes_to_run(function(HALF), {}).keys() == {"n"}
    interface = interface_to_run(function(COUNTS))
    assert make_scalars(interface.signature, {"n": 9}, np.random.default_rng(1)) == {"n": 9}


@pytest.mark.parametrize("text", [SEARCH, LIST])
def test_what_nothing_bounds_is_refused(text: str) -> None:
    with pytest.raises(Refused, match="the length of 'a' is not known") as refusal:
        sizes_to_run(function(text), {})
    assert refusal.value.diagnostics[0].code == "TRV088"
