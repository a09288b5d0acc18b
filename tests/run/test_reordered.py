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


TRIANGLES = """
void s232(int n, float a[restrict n][n], const float b[restrict n][n])
{ for (int j = 1; j < n; j++) for (int i = 1; i <= j; i++) a[j][i] = a[j][i - 1] * a[j][i - 1] + b[j][i]; }
void s1232(int n, float a[restrict n][n], const float b[restrict n][n], const float c[restrict n][n])
{ for (int j = 0; j < n; j++) for (int i = j; i < n; i++) a[i][j] = b[i][j] + c[i][j]; }
void syrk(int n, int m, double alpha, double c[restrict n][n], const double a[restrict n][m])
{ for (int i = 0; i < n; i++) for (int k = 0; k < m; k++) for (int j = 0; j <= i; j++) c[i][j] += alpha * a[i][k] * a[j][k]; }
void trmm(int m, int n, double alpha, const double a[restrict m][m], double b[restrict m][n]) {
  for (int i = 0; i < m; i++) for (int j = 0; j < n; j++) {
    for (int k = i + 1; k < m; k++) b[i][j] += a[k][i] * b[k][j];
    b[i][j] = alpha * b[i][j];
  }
}
void band(long n, long m, double a[restrict n][m])
{ for (long j = 0; j < n; j++) for (long i = 2 * j; i < 2 * j + 5; i++) if (i < m) a[j][i] *= 0.5; }
"""
TRIANGLE_PLANS = ("brush=none order=i,j,k", "brush=8 order=k,i,j", "brush=none order=j,i,k tile=i=3,j=5 tail=peel")


@pytest.mark.parametrize("target", TARGETS)
def test_triangles(target: str, tmp_path: Path) -> None:
    (tmp_path / "triangles.c").write_text(TRIANGLES)
    outcome = run_plans(read_subject(tmp_path / "triangles.c"), parse_plans(TRIANGLE_PLANS), installed(target), tmp_path)
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    moved = {entry.function.name for entry in outcome.entries if entry.tensorized is not None and entry.tensorized.order.changed}
    assert moved == {"s232", "s1232", "syrk", "trmm", "band"}


FORMS = {"boundary5": ("brush=2x8 split=all", "brush=4x4 split=all tail=peel"), "conv5x5": ("brush=2x8 unroll=all",)}


@pytest.mark.parametrize("target", TARGETS)
@pytest.mark.parametrize("name", FORMS)
def test_kernel_in_pieces_or_straight_code(name: str, target: str, tmp_path: Path) -> None:
    outcome = run_plans(read_subject(KERNELS / f"{name}.c"), parse_plans(FORMS[name]), installed(target), tmp_path)
    assert not outcome.failures, "\n".join(outcome.failures[:20])
    orders = [entry.tensorized.order for entry in outcome.entries if entry.tensorized is not None]
    assert orders and all(order.divided or order.unrolled for order in orders)
