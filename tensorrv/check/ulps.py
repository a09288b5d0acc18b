"""Distances between floating-point numbers in units of the last place."""

from __future__ import annotations

import numpy as np

from tensorrv.run.call import Array

FAR = 1 << 62
"""Stands for every greater distance."""


def greatest_distance(expected: Array, found: Array) -> int:
    """How many representable numbers lie between the two elements that differ most; 0 for integers. NaNs are equal."""
    if expected.dtype.kind != "f":
        return 0
    left, right = _ordered(expected), _ordered(found)
    far = np.abs(left.astype(np.float64) - right.astype(np.float64)) >= FAR
    distances = np.where(far, FAR, np.abs(left - right))
    return int(distances[~(np.isnan(expected) & np.isnan(found))].max(initial=0))


def _ordered(numbers: Array) -> Array:
    """Sign and magnitude as two's complement: neighbours differ by one, and both zeros are 0."""
    width = 8 * numbers.dtype.itemsize
    bits = numbers.view(f"i{width // 8}").astype(np.int64)
    return np.where(bits < 0, -(bits & ((1 << (width - 1)) - 1)), bits)
