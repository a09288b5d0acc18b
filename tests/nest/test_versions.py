"""Versions of nests behind a run-time test: what is tested is enough for the code that the test allows."""

import re

import pytest

import tensorrv.nest.analyze
from rv.evolution.facts import Legal
from rv.target.machine import resolve_target
from tensorrv.brush.tensorize import Tensorized
from tensorrv.frontend.read import read_module
from tensorrv.frontend.shipped import find_kernel
from tensorrv.nest.legality.proof import check_brush
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import parse_plan

KERNELS = ("jacobi9", "matmul", "fdtd2d", "limiter", "kmeans", "sparse_jacobi5", "upwind")
TARGET = resolve_target("avx512")


def without_restrict(kernel: str) -> str:
    return re.sub(r"\brestrict\b", "", find_kernel(kernel).read_text())


def tensorized(text: str, plan: str) -> list[Tensorized]:
    module = read_module("kernel.c", text=text, include_dirs=(find_kernel("matmul").parent,))
    return [compile_function(unit, parse_plan(plan), TARGET).tensorized for unit in module.functions]


@pytest.mark.parametrize("kernel", KERNELS)
def test_the_final_code_is_proved_under_what_is_tested(kernel: str) -> None:
    """The compiler does not prove it again; this does."""
    tested = 0
    for result in tensorized(without_restrict(kernel), "brush=4x8 boscc=none"):
        for choice in result.choices:
            if isinstance(choice.outcome, Legal):
                again = check_brush(choice.facts, choice.brush)
                assert isinstance(again, Legal)
                assert set(again.conditions) <= set(choice.outcome.conditions)
                tested += bool(choice.outcome.overlaps)
    assert tested


@pytest.mark.parametrize(
    ("kernel", "restrict", "most"), [("jacobi5", True, 1), ("limiter", True, 2), ("jacobi5", False, 2), ("limiter", False, 3)]
)
def test_few_analyses(kernel: str, restrict: bool, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """One for the choice, one for two versions, one for what linearization makes of divergent control flow."""
    count, analysis = 0, tensorrv.nest.analyze.loop_facts

    def counted(forms):
        nonlocal count
        count += 1
        return analysis(forms)

    monkeypatch.setattr(tensorrv.nest.analyze, "loop_facts", counted)
    tensorized(find_kernel(kernel).read_text() if restrict else without_restrict(kernel), "brush=4x8")
    assert count <= most


UNUSED_SUBSCRIPT = """
void f(int n, double x, const double *A, double *B)
{
    int k = (int)x; /* undefined for large x, where it is not used */
    for (int i = 0; i < n; ++i)
        B[i] = x < 100.0 ? A[k + i] : x;
}
"""


def test_what_may_be_undefined_is_frozen() -> None:
    (result,) = tensorized(UNUSED_SUBSCRIPT, "brush=8")
    assert result.brushed and " freeze i32 " in result.llvm
