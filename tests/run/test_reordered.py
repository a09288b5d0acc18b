"""Kernels with their loops in other orders, in tiles that nothing divides, along slopes, on all targets, against gcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import TARGETS, installed

KERNELS = Path(__file__).parents[2] / "kernels"
PLANS = {
    "matmul": ("brush=4x8 order=k,i,j", "brush=2x8 order=i,k,j tile=k=3,j=12 tail=peel"),
    "heat3d": ("brush=2x2x4 tile=j=3,i=5", "brush=4x8 order=j,k,i tile=2x3x4 tail=mask"),
    "gauss_seidel": (
        "brush=8 skew=i+j",
        "brush=4 skew=i+2*j tail=peel",
        "brush=none skew=i+j tile=j=3,i=5",
    ),
    "transpose": ("brush=4x8 order=i,j tile=6x16 tail=scalar", "brush=4x4 tile=5x5"),
}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", PLANS)
def test_reordered_kernel(name: str, target: str, tmp_path: Path) -> None:
    tools = installed(target)
    outcome = run_plans(read_subject(KERNELS / f"{name}.c"), parse_plans(PLANS[name]), tools, tmp_path)
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    for entry in outcome.entries:
        if entry.tensorized is not None:
            brushed = entry.tensorized.brushed or not entry.plan.brush.sizes
            assert brushed and entry.tensorized.order.changed, str(entry.plan)


FORMS = {"boundary5": ("brush=2x8 split=all", "brush=4x4 split=all tail=peel"), "conv5x5": ("brush=2x8 unroll=all",)}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FORMS)
def test_kernel_in_pieces_or_straight_code(name: str, target: str, tmp_path: Path) -> None:
    outcome = run_plans(read_subject(KERNELS / f"{name}.c"), parse_plans(FORMS[name]), installed(target), tmp_path)
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    orders = [entry.tensorized.order for entry in outcome.entries if entry.tensorized is not None]
    assert orders and all(order.divided or order.unrolled for order in orders)
