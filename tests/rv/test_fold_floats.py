"""One operation on floats in double precision, rounded to float, is that operation on floats: subnormal, huge, close numbers."""

from __future__ import annotations

import numpy as np
import pytest


@pytest.mark.parametrize("operation", [np.add, np.subtract, np.multiply, np.divide], ids=lambda operation: operation.__name__)
def test_rounding_twice_is_rounding_once(operation: np.ufunc) -> None:
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 1 << 32, (2, 400_000), "u4")
    bits[:, ::4] &= 0x80FFFFFF  # subnormal numbers and small ones
    bits[1, 1::4] = bits[0, 1::4] + rng.integers(0, 5, bits[1, 1::4].shape, "u4")
    bits[1, 2::4] = bits[1, 2::4] & 0x007FFFFF | 0x3F800000
    x, y = bits.view("f4")
    with np.errstate(all="ignore"):
        narrow = operation(x, y)
        wide = operation(x.astype("f8"), y.astype("f8")).astype("f4")
    numbers = ~np.isnan(narrow)
    assert np.array_equal(np.isnan(narrow), np.isnan(wide)) and np.any(np.abs(narrow) < 1e-38)
    assert np.array_equal(narrow[numbers].view("u4"), wide[numbers].view("u4"))
