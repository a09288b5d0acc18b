"""Which inner loops become straight code, and what `auto` makes of them."""

from __future__ import annotations

from pathlib import Path

import pytest

from autotune.automatic import compile_automatically
from autotune.model.pressure import reloaded
from rv.analysis.cfg.loops import find_loops
from rv.ir.instructions import Load, Store
from rv.target.machine import resolve_target
from rv.transform.loops.unroll_inner import unroll_inner
from tensorrv.frontend.c.module import parse_c
from tensorrv.schedule.plan import Plan
from tests.nest.c_text import prepared

FILE = Path(__file__).parents[2] / "benchmarks" / "ordinary" / "small_loops.c"


@pytest.mark.parametrize(
    ("body", "loops"),
    [
        ("for (int i = 0; i < n; i++) for (int k = 0; k < 4; k++) b[i] += a[4 * i + k];", 1),
        ("for (int i = 0; i < n; i++) for (int y = 0; y < 3; y++) for (int x = 0; x < 3; x++) b[i] += a[i + 3 * y + x];", 1),
        ("for (int i = 0; i < n; i++) for (int k = 0; k < 99; k++) b[i] += a[4 * i + k];", 2),
        ("for (int i = 0; i < n; i++) for (int k = 0; k < n; k++) b[i] += a[4 * i + k];", 2),
        ("for (int k = 0; k < 4; k++) b[k] += a[k];", 1),
    ],
)
def test_loops_that_are_left(body: str, loops: int) -> None:
    function = unroll_inner(prepared(f"void f(int n, const double *restrict a, double *restrict b) {{ {body} }}"))
    assert len(find_loops(function).loops) == loops


def test_stores_of_neighbours_stand_together() -> None:
    text = "void f(int n, double a[restrict n][3]) { for (int i = 0; i < n; i++) for (int k = 0; k < 3; k++) a[i][k] += 1; }"
    accesses = [i for _, i in unroll_inner(prepared(text)).instructions() if isinstance(i, Load | Store)]
    assert [isinstance(access, Store) for access in accesses] == [False] * 3 + [True] * 3


def test_vectors_that_are_needed_again_latest_leave_registers() -> None:
    assert reloaded("abcabc", 3) == 0
    assert reloaded("abcabc", 2) == 1
    assert reloaded("abcdefghabcdefgh", 4) == 4


def test_a_filter_takes_a_brush_whose_vectors_fit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    function = parse_c(FILE).function("filter_5")
    kernel = compile_automatically(function, Plan(), resolve_target("znver4"), {"n": 512, "m": 256})
    assert kernel.plan.unroll == "all" and kernel.plan.brush.lanes <= 64
    assert kernel.tensorized.order.unrolled == ("loop over `y`", "loop over `x`")
