"""Additions on the multipliers' ports give the same bits, and only where these would be idle."""

from __future__ import annotations

from pathlib import Path

import pytest

import rv.widen.widen
from rv.target.description import load
from rv.vector.function import Module
from rv.vector.instructions import Binary, Elementwise
from rv.vector.verify import verify
from tensorrv.schedule.plan import parse_plan
from tensorrv.unit.unit import Unit
from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.test_kernels import KERNELS
from tests.run.toolchain import installed
from tests.vector.modules import module_of

STENCILS = ("jacobi5", "seidel9", "jacobi9_f32", "conv5x5", "heat3d", "fdtd2d")
MANY_ADDITIONS = [path for path in KERNELS if Path(path).stem in STENCILS]


def counts(module: Module) -> tuple[int, int]:
    """Vector additions, and fused multiplications."""
    found = [s.instruction for f in module.functions for b in f.blocks if not b.fixed for s in b.body]
    additions = sum(isinstance(i, Binary) and i.op in ("fadd", "fsub") for i in found)
    return additions, sum(isinstance(i, Elementwise) and i.name == "fma" for i in found)


def kernel(name: str) -> Unit:
    """The shipped kernel of this name."""
    path = next(path for path in KERNELS if Path(path).stem == name)
    return next(function for function in read_subject(path).functions if function.name == name)


def as_on(name: str, patch: pytest.MonkeyPatch) -> None:
    patch.setattr(rv.widen.widen, "machine_of", lambda target: load(name))


@pytest.mark.parametrize("path", MANY_ADDITIONS, ids=lambda path: Path(path).stem)
@pytest.mark.parametrize(("name", "target"), [("zen4", "avx512"), ("haswell", "avx2")])
def test_bits_of_gcc(name: str, target: str, path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tools = installed(target)
    as_on(name, monkeypatch)
    outcome = run_plans(read_subject(path), parse_plans(["brush=4x8", "brush=8x16"]), tools, tmp_path)
    assert not outcome.failures


def test_the_machine_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    seidel9 = kernel("seidel9")
    plan = parse_plan("brush=8x8")
    found = {}
    for name in ("golden_cove", "zen4"):
        as_on(name, monkeypatch)
        found[name] = counts(verify(module_of(seidel9, plan, "avx512")))
    additions, none = found["golden_cove"]
    assert none == 0
    left, moved = found["zen4"]
    assert left + moved == additions
    assert abs(left - moved) <= additions / 4, "the multiplications by weights are few"


def test_sums_from_one_iteration_to_the_next_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    """The adder has its results earlier."""
    as_on("zen4", monkeypatch)
    assert counts(module_of(kernel("matmul"), parse_plan("brush=4x8"), "avx512"))[1] == 0
