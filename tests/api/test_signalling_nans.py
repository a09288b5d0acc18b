"""Signalling NaNs in fmin and fmax count as quiet ones on x86-64 (docs/c-subset.md): what arithmetic gives never is one."""

from __future__ import annotations

import platform

import numpy as np
import pytest

import tensorrv as trv

SIGNALLING = 0x7FF00000000007A2  # R's NA
TEXT = """#include <math.h>
void each(int n, const double a[restrict n], double b[restrict n])
{
    for (int i = 0; i < n; i++)
        b[i] = fmin(a[i], fmax(1.0, a[i]));
}
double least(int n, const double a[restrict n]) { double m = 5; for (int i = 0; i < n; i++) m = fmin(m, a[i]); return m; }
void sums(int n, const double a[restrict n], double b[restrict n]) { for (int i = 0; i < n; i++) b[i] = fmin(a[i] + 1, 2.5); }
"""


def numbers() -> np.ndarray:
    found = np.arange(20, dtype=np.float64)
    found.view(np.uint64)[[0, 7, 19]] = SIGNALLING
    return found


@pytest.mark.skipif(platform.machine() != "x86_64", reason="AArch64 has an instruction that distinguishes them")
@pytest.mark.parametrize("brush", ["8", "3"])
def test_they_count_as_quiet(brush: str) -> None:
    a, b = numbers(), np.zeros(20)
    missing = np.isnan(a)
    trv.compile(TEXT, function="each", brush=brush)(a, b)
    assert (b[missing] == 1).all() and (b[~missing] == a[~missing]).all()
    assert trv.compile(TEXT, function="least", brush=brush)(a) == 1
    trv.compile(TEXT, function="sums", brush=brush)(a, b)
    assert (b == np.where(missing, 2.5, np.minimum(np.nan_to_num(a) + 1, 2.5))).all()
