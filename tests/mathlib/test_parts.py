"""Exponent and mantissa of a number, as instructions and by operations on bits, for whole and parts of registers."""

from __future__ import annotations

import numpy as np
import pytest

import tensorrv as trv
from rv.ir.libm import library_function
from rv.target.machine import resolve_target, runs_here
from tensorrv.run.call import Array
from tests.mathlib.reference import numbers, special_numbers

TEXT = """
TYPE __exponentSUFFIX(TYPE x);
TYPE __mantissaSUFFIX(TYPE x);
void f(int n, const TYPE x[restrict n], TYPE k[restrict n], TYPE m[restrict n])
{
    for (int i = 0; i < n; ++i) {
        k[i] = __exponentSUFFIX(x[i]);
        m[i] = __mantissaSUFFIX(x[i]);
    }
}
"""


def true_parts(x: Array) -> tuple[Array, Array]:
    with np.errstate(all="ignore"):
        fraction, power = np.frexp(x)
        finite = np.isfinite(x) & (x != 0)
        k = np.where(finite, (power - 1).astype(x.dtype), np.where(x == 0, -np.inf, np.abs(x)))
        m = np.where(x >= 0, np.where(finite, fraction * 2, 1), np.nan)
    return k.astype(x.dtype), m.astype(x.dtype)


@pytest.mark.parametrize("brush", [None, 2, 3, 8, 32])
@pytest.mark.parametrize("target", ["native", "avx512", "avx2"])
@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_parts(dtype: type[np.floating], target: str, brush: int | None) -> None:
    if reason := runs_here(resolve_target(target)):
        pytest.skip(reason)
    name, type_, suffix = ("log", "double", "") if dtype is np.float64 else ("logf", "float", "f")
    kernel = trv.compile(TEXT.replace("TYPE", type_).replace("SUFFIX", suffix), brush=brush, target=target)
    x = numbers(name, 20_000, np.random.default_rng(5))[0]
    k, m = np.empty_like(x), np.empty_like(x)
    kernel(len(x), x, k, m)
    for found, true in zip((k, m), true_parts(x), strict=True):
        assert np.array_equal(found, true, equal_nan=True)


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_the_interpreter_knows_them(dtype: type[np.floating]) -> None:
    x = special_numbers(dtype)
    suffix = "" if dtype is np.float64 else "f"
    for name, true in zip(("__exponent", "__mantissa"), true_parts(x), strict=True):
        found = [library_function(name + suffix)(float(v)) for v in x]
        assert np.array_equal(found, true, equal_nan=True)
