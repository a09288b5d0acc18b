"""Conditions that are the same in all iterations, and the branches on them that stay."""

from __future__ import annotations

import pytest

from rv.analysis.cfg.loops import find_loops
from rv.ir.instructions import Branch
from tests.nest.c_text import prepared

HEAD = "void f(int n, int p, const int *restrict w, const double *restrict a, double *restrict b) { for (int i = 0; i < n; i++) "
SLOW = "x = (x + 1) / (x * x + 2) / x;"


def branches(body: str) -> int:
    """Those that are no loop's."""
    function = prepared(f"{HEAD} {{ double x = a[i]; {body} b[i] = x; }} }}")
    headers = find_loops(function).loops
    return sum(isinstance(block.terminator, Branch) for block in function.blocks if block.label not in headers)


@pytest.mark.parametrize(
    ("body", "stay"),
    [
        (f"if (p > 3) {SLOW}", 1),
        (f"if (w[p] & 1) {SLOW}", 1),
        ("if (p > 3) x = x + 1;", 0),
        (f"if (i > 3) {SLOW}", 0),
        (f"if (w[i] & 1) {SLOW}", 0),
        (f"if (w[p] & 1 && x > 2) {SLOW}", 1),
        (f"if (b[p] > 1) {SLOW}", 0),
    ],
)
def test_slow_arms_under_a_condition_of_no_iteration_are_skipped(body: str, stay: int) -> None:
    assert branches(body) == stay
