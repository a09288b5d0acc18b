"""--fp fast divides by roots without the divider: nearly as accurate, right for 0, infinity and negative numbers."""

from __future__ import annotations

import numpy as np
import pytest

import tensorrv as trv
from rv.analysis.verify import verify
from rv.ir.parser import parse_function
from rv.ir.printer import print_function
from rv.target.machine import resolve_target, runs_here
from rv.transform.scalar.dead import eliminate_dead_code
from rv.transform.scalar.reciprocal_roots import use_reciprocal_roots
from tests.mathlib.reference import WIDE

TEXT = """
#include <math.h>
void f(int n, const TYPE x[restrict n], TYPE r[restrict n], TYPE q[restrict n])
{
    for (int i = 0; i < n; ++i) {
        TYPE root = sqrtSUFFIX(x[i]), inverse = 1 / root;
        r[i] = inverse;
        q[i] = 3 / inverse;
    }
}
"""


@pytest.mark.parametrize("brush", [None, 3, 8, 32])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_results(dtype: type[np.floating], brush: int | None) -> None:
    if reason := runs_here(resolve_target("avx512")):
        pytest.skip(reason)
    type_, suffix = ("double", "") if dtype is np.float64 else ("float", "f")
    kernel = trv.compile(TEXT.replace("TYPE", type_).replace("SUFFIX", suffix), brush=brush, target="avx512", fp="fast")
    kind = np.finfo(dtype)
    special = [0, -0.0, np.inf, -1, -np.inf, np.nan, kind.smallest_subnormal, kind.tiny, kind.max, 1]
    powers = np.random.default_rng(1).uniform(kind.minexp, kind.maxexp, 20_000)
    x = np.concatenate([special, 2.0**powers]).astype(dtype)
    r, q = np.empty_like(x), np.empty_like(x)
    kernel(len(x), x, r, q)
    with np.errstate(all="ignore"):
        root = np.sqrt(x.astype(WIDE))
        for found, true, bound in ((r, 1 / root, 1.5), (q, 3 * root, 2.5)):
            finite = np.isfinite(true)
            assert np.array_equal(found[~finite], true[~finite].astype(dtype), equal_nan=True)
            error = np.abs(found[finite] - true[finite]) / np.spacing(np.abs(true[finite]).astype(dtype))
            assert error.max() < bound


def test_which_operations_change() -> None:
    function = parse_function("""
define double @f(double %x, double %a) {
entry:
  %s = call double @sqrt(double %x)
  %q = fdiv double %a, %s
  %p = fdiv precise double %q, %s
  %t = call double @sqrt(double %p)
  %u = fadd double %t, %q
  return double %u
}
""")
    changed = eliminate_dead_code(use_reciprocal_roots(function))
    verify(changed)
    text = print_function(changed)
    assert text.count("@__reciprocal_root(") == 1
    assert text.count("@sqrt(") == 1
    assert text.count("fdiv precise") == text.count("fdiv") == 1
    assert use_reciprocal_roots(changed) == changed
