"""Bounds, subscripts and base pointers that are read from memory in loops, against gcc -O0."""

from __future__ import annotations

import ctypes
import shutil
import subprocess
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import Plan, parse_plan

TEXT = """
struct field { int n, rows; float *x; int *k; };
void set(int n, struct field *p, float d) { for (int i = 0; i < n; i++) p->x[i] = d * i; }
void bounded(int n, struct field *p, float d) { for (int i = 0; i < p->n; i++) p->x[i] = d + i; }
void grid(int n, struct field *p, float d) {
    for (int j = 0; j < p->rows; j++) for (int i = 0; i < p->n; i++) p->x[j * p->n + i] += d * i + j; }
void shifted(int n, struct field *p, float d) {
    for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) p->x[*p->k + i] = d * i + j; }
void changed(int n, struct field *p, float d) { for (int i = 0; i < p->n; i++) p->k[i] = n - i; }
"""
BRUSHED = ("set", "bounded", "grid", "shifted")
LENGTH = 64


class Field(ctypes.Structure):
    _fields_ = (("n", ctypes.c_int), ("rows", ctypes.c_int), ("x", ctypes.c_void_p), ("k", ctypes.c_void_p))


def _call(function: Any, n: int, rows: int) -> tuple[bytes, ...]:
    """What a call leaves in memory; the array `k` has the struct itself behind its first 40 elements."""
    x = (ctypes.c_float * LENGTH)(*range(LENGTH))
    memory = ctypes.create_string_buffer(4 * LENGTH)
    k = ctypes.addressof(memory)
    field = Field.from_address(k + 160)
    field.n, field.rows, field.x, field.k = n, rows, ctypes.addressof(x), k
    ctypes.c_int.from_address(k).value = 3
    function(ctypes.c_int(n), ctypes.byref(field), ctypes.c_float(0.5))
    return bytes(x), bytes(memory[:168])


@pytest.mark.skipif(shutil.which("gcc") is None, reason="gcc is not installed")
@pytest.mark.parametrize("plan", ["brush=8", "brush=2x4", "brush=8 strict_aliasing=no"])
def test_against_gcc(plan: str, tmp_path: Path) -> None:
    source, library = tmp_path / "fields.c", tmp_path / "fields.so"
    source.write_text(TEXT)
    subprocess.run(["gcc", "-O0", "-ffp-contract=off", "-fPIC", "-shared", "-o", library, source], check=True)
    reference = ctypes.CDLL(str(library))
    target = resolve_target("native")
    for function in parse_c(source).functions:
        chosen: Plan = parse_plan(plan)
        try:
            kernel = compile_function(function, chosen, target)
        except Refused:
            kernel = compile_function(function, replace(chosen, brush=Plan().brush), target)
        strict = chosen.strict_aliasing
        assert not strict or kernel.tensorized.brushed == (function.name in BRUSHED)
        code = kernel.module.jit()
        own = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_float)(code.address(function.name))
        for n, rows in ((0, 0), (1, 1), (7, 3), (9, 4), (21, 2), (45, 1)):
            if n * n < LENGTH or function.name in ("set", "bounded", "changed"):
                assert _call(own, n, rows) == _call(getattr(reference, function.name), n, rows), function.name


def test_nothing_is_read_for_loops_that_do_not_run() -> None:
    """A null pointer may stand where no iteration reads it."""
    (function,) = [f for f in parse_c("fields.c", text=TEXT).functions if f.name == "set"]
    code = compile_function(function, parse_plan("brush=8"), resolve_target("native")).module.jit()
    ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_void_p, ctypes.c_float)(code.address("set"))(0, None, 1.0)
