"""All shipped kernels under brushes of one, two and three dimensions, on all targets, against gcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.harness import run_plans
from tests.run.plans import LONG_PLANS, PLANS, parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import TARGETS, installed

KERNELS = sorted((Path(__file__).parents[2] / "kernels").glob("*.c"))
ILLEGAL = ("gauss_seidel",)
MATHEMATICAL = ("black_scholes", "cutoffs", "logstar")


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel(path: Path, target: str, tmp_path: Path) -> None:
    check_kernel(path, target, tmp_path, PLANS)


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", [path for path in KERNELS if path.stem in MATHEMATICAL], ids=lambda path: path.stem)
def test_kernel_with_vector_functions(path: Path, target: str, tmp_path: Path) -> None:
    check_kernel(path, target, tmp_path, tuple(f"{plan} math=vector" for plan in PLANS[:3]))


@pytest.mark.long
@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("path", KERNELS, ids=lambda path: path.stem)
def test_kernel_under_all_plans(path: Path, target: str, tmp_path: Path) -> None:
    check_kernel(path, target, tmp_path, LONG_PLANS)


def check_kernel(path: Path, target: str, scratch: Path, plans: tuple[str, ...]) -> None:
    tools = installed(target)
    outcome = run_plans(read_subject(path), parse_plans(plans), tools, scratch)
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    for entry in outcome.entries:
        if entry.tensorized is not None:
            assert entry.tensorized.brushed == (path.stem not in ILLEGAL), str(entry.plan)
