"""Accesses that are contiguous because of what is known about bits: subscripts with masks on brushes that begin aligned."""

from __future__ import annotations

import numpy as np
import pytest

import tensorrv as trv
from rv.vector.instructions import Gather, Load
from rv.vector.types import lanes_of

C = """
void f(int n, int q, double B[restrict n], const double A[restrict 4096])
{
    for (int i = 0; i < n; i++)
        B[i] = EXPRESSION;
}
"""


def loads(expression: str, brush: int) -> tuple[int, int]:
    """The gathers and contiguous loads of a whole brush; the kernel's results are compared with Python's."""
    kernel = trv.compile(C.replace("EXPRESSION", expression), brush=brush, target="avx2")
    A = np.random.default_rng(1).uniform(size=4096)
    for n in (0, 1, 7, 64, 2000):
        B = np.zeros(n)
        kernel(n, 3, B, A)
        expected = [eval(expression, {"A": A, "i": i, "q": 3}) for i in range(n)]
        assert B.tolist() == expected
    found = [s.instruction for f in kernel.kernel.tensorized.widened.module.functions for b in f.blocks for s in b.body]
    whole = [i for i in found if isinstance(i, Load | Gather) and lanes_of(i.type) == 4]
    return sum(isinstance(i, Gather) for i in whole), sum(isinstance(i, Load) for i in whole)


@pytest.mark.parametrize(
    ("expression", "gathered"),
    [
        ("A[i & 1023]", False),
        ("A[(i & 255) + 3]", False),
        ("A[2 * i | 1]", False),
        ("A[i | 1]", False),
        ("A[i & 3]", False),
        ("A[(i + 1) & 1023]", True),
    ],
)
def test_masked_subscripts(expression: str, gathered: bool) -> None:
    gathers, rows = loads(expression, 8)
    assert (gathers > 0) == gathered and (rows > 0) != gathered
