"""The reference itself: the C library's 80-bit functions against arithmetic with as many digits as it takes."""

from __future__ import annotations

import numpy as np
import pytest

from tests.mathlib.functions import NAMES, arity, dtype_of
from tests.mathlib.reference import WIDE, numbers, true_result

mpmath = pytest.importorskip("mpmath", reason="mpmath comes with sympy")
mp = mpmath.mp
FUNCTIONS = {"exp2": lambda x: mp.mpf(2) ** x, "log2": lambda x: mp.log(x) / mp.log(2), "log10": mp.log10, "pow": mp.power}
DIGITS = 700  # angles near 1e308 lose 308 of them
WORST = 2.0**-61


@pytest.mark.skipif(np.finfo(WIDE).nmant < 63, reason="long double has no more bits than double")
@pytest.mark.parametrize("name", [name for name in NAMES if dtype_of(name) is np.float64])
def test_reference(name: str) -> None:
    arguments = numbers(name, 4000, np.random.default_rng(3))
    true = true_result(name, *arguments)
    finite = np.flatnonzero(np.isfinite(true) & (np.abs(true) > 1e-300) & (np.abs(true) < 1e300))
    exact = FUNCTIONS.get(name) or getattr(mp, name)
    with mpmath.workdps(DIGITS):
        for place in np.random.default_rng(4).choice(finite, 25, replace=False):
            values = [mp.mpf(float(a[place])) for a in arguments[: arity(name)]]
            wanted = mp.cbrt(abs(values[0])) * mp.sign(values[0]) if name == "cbrt" else exact(*values)
            high = float(true[place])
            found = mp.mpf(high) + mp.mpf(float(true[place] - WIDE(high)))
            assert abs(found - wanted) <= WORST * abs(wanted), f"{name}({values}) is {wanted}, not {found}"
