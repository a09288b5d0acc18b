"""All shipped kernels from the LLVM IR that clang makes of them, against gcc: with -O1, and with -O0."""

from __future__ import annotations

import pickle
import shutil
import subprocess
from pathlib import Path
from typing import Final

import numpy as np
import pytest

import tensorrv as trv
from tensorrv.frontend.llvm_ir.module import parse_llvm
from tensorrv.frontend.shipped import INCLUDE, find_kernel, shipped_kernels
from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import installed

CLANG: Final = shutil.which("clang-19") or shutil.which("clang")
FLAGS: Final = "-S -emit-llvm -w -ffp-contract=off -fno-vectorize -fno-slp-vectorize -fno-unroll-loops -fno-math-errno".split()
ILLEGAL: Final = ("gauss_seidel",)
WITH_STACK: Final = ("barnes_hut", "kd_nearest", "point_correlation", "tree_search", "vantage_point")
"""Without lifetimes, which clang writes from -O1 on, their local arrays belong to all iterations."""
PLANS: Final = ("brush=2x8", "brush=8 tail=scalar", "brush=3x5 tail=peel")
SIMPLE: Final = ("jacobi5", "mandelbrot", "matmul", "tree_search")

pytestmark = pytest.mark.skipif(CLANG is None, reason="clang is not installed")


def text_from_clang(kernel: str, *options: str) -> str:
    """LLVM IR of a shipped kernel."""
    command = [str(CLANG), *FLAGS, *options, f"-I{INCLUDE}", str(find_kernel(kernel)), "-o", "-"]
    return subprocess.run(command, check=True, capture_output=True, text=True).stdout


@pytest.mark.parametrize("name", shipped_kernels())
def test_kernel(name: str, tmp_path: Path) -> None:
    check_kernel(name, ("-O1", "-g"), PLANS[:1], tmp_path)


@pytest.mark.parametrize("name", SIMPLE)
def test_kernel_that_is_not_optimized(name: str, tmp_path: Path) -> None:
    check_kernel(name, ("-O0",), PLANS[:1], tmp_path)


def test_bitcode(tmp_path: Path) -> None:
    path = tmp_path / "jacobi5.bc"
    command = [str(CLANG), *FLAGS[1:], "-O1", "-c", f"-I{INCLUDE}", str(find_kernel("jacobi5")), "-o", str(path)]
    subprocess.run(command, check=True)
    kernel = pickle.loads(pickle.dumps(trv.compile(path, brush=(2, 8))))
    A, B, expected = np.random.default_rng(1).random((9, 21)), np.zeros((9, 21)), np.zeros((9, 21))
    kernel(9, 21, A.ravel(), B.ravel())
    trv.compile("jacobi5", brush=None)(A, expected)
    assert B.tobytes() == expected.tobytes()


@pytest.mark.long
@pytest.mark.parametrize("level", ["-O0", "-O1"])
@pytest.mark.parametrize("name", shipped_kernels())
def test_kernel_at_all_levels(name: str, level: str, tmp_path: Path) -> None:
    check_kernel(name, (level,), PLANS, tmp_path)


def check_kernel(name: str, options: tuple[str, ...], plans: tuple[str, ...], tmp_path: Path) -> None:
    units = {unit.name: unit for unit in parse_llvm(f"{name}.ll", text=text_from_clang(name, *options)).functions}
    outcome = run_plans(
        read_subject(find_kernel(name)), parse_plans(plans), installed("native"), tmp_path, read=lambda f: units[f.name]
    )
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    for entry in outcome.entries:
        if entry.tensorized is not None:
            shared = "-O0" in options and name in WITH_STACK
            assert entry.tensorized.brushed == (name not in ILLEGAL and not shared), str(entry.plan)
