"""Kernels whose loops are divided among threads: the same bits as scalar code, whatever the number of threads."""

from __future__ import annotations

import ctypes
import os
import re
import signal
import subprocess
from pathlib import Path

import numpy as np
import pytest

import tensorrv as trv
from rv.target.machine import resolve_target
from tensorrv.check.trial import verify_kernel
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import parse_plan


@pytest.fixture(scope="module")
def gomp() -> ctypes.CDLL:
    try:
        return ctypes.CDLL("libgomp.so.1", mode=ctypes.RTLD_GLOBAL)
    except OSError:
        pytest.skip("libgomp is not installed")


def compiled(name: str, plan: str, text: str | None = None, target: str = "native") -> Kernel:
    module = parse_c(find_kernel(name)) if text is None else parse_c(name, text=text)
    return compile_function(module.functions[0], parse_plan(f"{plan} threads=openmp"), resolve_target(target))


@pytest.mark.parametrize(
    ("name", "plan", "loop"),
    [
        ("jacobi5", "brush=4x8", "j"),
        ("jacobi5", "brush=8", "j"),
        ("jacobi5", "brush=i=8", "j"),
        ("transpose", "brush=8x8 projection=0,1", "j"),
        ("transpose", "brush=3x5 tail=peel", "j"),
        ("heat3d", "brush=2x8", "k"),
        ("matmul", "brush=4x8", "i"),
        ("blur", "brush=4x16 tail=mask", "y"),
        ("fdtd2d", "brush=4x8", "j"),
        ("kmeans", "brush=8", "i"),
        ("upwind", "brush=4x8", ""),
        ("mandelbrot", "brush=8", ""),
    ],
)
def test_the_same_bits_with_any_number_of_threads(
    gomp: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch, name: str, plan: str, loop: str
) -> None:
    kernel = compiled(name, plan)
    assert kernel.tensorized.divided
    assert not kernel.tensorized.undivided
    if loop:
        divided = {kernel.tensorized.choices[0].facts.loops[c.brush[0][0]].name for c in kernel.tensorized.choices[:1]}
        assert divided == {loop}
    for threads in (1, 2, 5):
        monkeypatch.setenv("OMP_NUM_THREADS", str(threads))
        found = verify_kernel(kernel, ())
        assert found.difference is None, f"{threads} threads: {found.difference}"


def test_threads_really_run(gomp: ctypes.CDLL) -> None:
    gomp.omp_set_num_threads(3)
    kernel = trv.compile("jacobi5", brush=(4, 8), threads="openmp")
    A, B = np.random.default_rng(1).random((66, 66)), np.zeros((66, 66))
    kernel(A, B)
    assert len(list(Path("/proc/self/task").iterdir())) >= 3
    alone = np.zeros((66, 66))
    alone[1:-1, 1:-1] = 0.2 * (A[:-2, 1:-1] + A[1:-1, :-2] + A[1:-1, 1:-1] + A[1:-1, 2:] + A[2:, 1:-1])
    assert (B == alone).all()


OVERLAPPING = """void f(int n, int m, double *A, double *B)
{ for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) A[m * j + i] = B[m * j + i] + 1; }"""


def test_arrays_that_overlap_take_the_scalar_nest(gomp: ctypes.CDLL) -> None:
    gomp.omp_set_num_threads(4)
    kernel = compiled("f.c", "brush=2x8", OVERLAPPING)
    address = kernel.module.jit().address("f")
    function = ctypes.CFUNCTYPE(None, ctypes.c_int, ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p)(address)
    data = np.zeros(41 * 20 + 1)
    function(41, 20, data.ctypes.data + 8, data.ctypes.data)
    assert (data == np.arange(41 * 20 + 1)).all()


def test_a_loop_around_the_nest_and_values_from_outside(gomp: ctypes.CDLL, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("OMP_NUM_THREADS", "3")
    text = """void f(int steps, int n, int m, double s, double A[restrict n][m])
    { for (int t = 0; t < steps; t++) { double c = s * t; int shift = t + 1;
        for (int j = 0; j < n; j++) for (int i = 0; i < m; i++) A[j][i] = A[j][i] * c + shift; } }"""
    assert verify_kernel(compiled("f.c", "brush=4x8", text), ()).difference is None


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("void f(int n, double A[restrict n]) { for (int j = 8; j < n; j++) A[j] = A[j - 8] + 1; }", "TRV321"),
        ("int f(int n, const int A[restrict n]) { int s = 0; for (int j = 0; j < n; j++) s += A[j]; return s; }", "TRV320"),
    ],
)
def test_no_loop_to_divide_is_a_refusal(text: str, code: str) -> None:
    with pytest.raises(Refused) as refusal:
        compiled("f.c", "brush=4", text)
    assert [d.code for d in refusal.value.diagnostics] == [code]


def test_threads_without_a_brush_are_refused() -> None:
    with pytest.raises(Refused, match="iterations of a brushed loop are divided among threads"):
        compiled("jacobi5", "brush=none")


def test_a_second_nest_that_cannot_be_divided_is_a_warning() -> None:
    text = """void f(int n, double A[restrict n], double B[restrict n]) {
        for (int j = 8; j < n; j++) A[j] = A[j - 8] + 1;
        for (int i = 0; i < n; i++) B[i] = 2; }"""
    kernel = compiled("f.c", "brush=4", text)
    assert [(d.severity, d.code) for d in kernel.diagnostics] == [("warning", "TRV321")]
    assert verify_kernel(kernel, ()).difference is None


def test_outputs_link_with_openmp(gomp: ctypes.CDLL, tmp_path: Path) -> None:
    kernel = trv.compile("jacobi5", brush=(4, 8), threads="openmp")
    assert "link with -fopenmp" in kernel.header
    library, *_ = kernel.write(tmp_path, "so,obj,header")
    needed = subprocess.run(["readelf", "-d", str(library)], capture_output=True, text=True, check=True).stdout
    assert "libgomp" in needed
    program = tmp_path / "main.c"
    program.write_text("""#include "jacobi5.native.h"
    #include <stdio.h>
    static double A[9][9], B[9][9];
    int main(void) { A[4][4] = 5; jacobi5(9, 9, A, B); printf("%g %g", B[4][4], B[3][4]); }""")
    command = ["gcc", "-o", "program", "main.c", "jacobi5.native.o", "-fopenmp"]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert subprocess.run([str(tmp_path / "program")], capture_output=True, text=True, check=True).stdout == "1 1"


@pytest.mark.parametrize("target", ["avx2", "neon"])
def test_every_target_makes_objects(target: str) -> None:
    module = compiled("jacobi5", "brush=4x4", target=target).module
    assert re.search(r"GOMP_parallel", module.assembly)
    assert module.object


def test_the_same_plan_gives_the_same_bytes() -> None:
    assert compiled("heat3d", "brush=2x8").module.object == compiled("heat3d", "brush=2x8").module.object


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_forked_processes_do_not_wait_for_threads_that_are_not_there(gomp: ctypes.CDLL) -> None:
    kernel = trv.compile("jacobi5", brush=(4, 8), threads="openmp")
    A, B = np.ones((20, 20)), np.zeros((20, 20))
    kernel(A, B)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(10)
        try:
            kernel(A, B)
        except RuntimeError as error:
            os.write(write, str(error).encode())
        os._exit(0)
    assert os.waitpid(child, 0)[1] == 0
    assert b"before this process was forked" in os.read(read, 1000)
    kernel(A, B)
