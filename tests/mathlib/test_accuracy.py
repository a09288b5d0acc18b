"""Every vector function is as accurate as docs/vector-math.md says, over its whole range, and exact in the special cases."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from rv.ir.libm import library_function
from tests.mathlib.functions import NAMES, arity, dtype_of, vector_function
from tests.mathlib.reference import WIDE, distances, numbers, special_numbers, true_result

PAGE = Path(__file__).parents[2] / "docs" / "vector-math.md"
ROW = re.compile(r"^\| (\w+) \| ([\d.]+) \| ([\d.]+) \|$", re.MULTILINE)
BOUNDS = {
    name + suffix: float(ulp)
    for name, double, single in ROW.findall(PAGE.read_text())
    for suffix, ulp in (("", double), ("f", single))
}

wide = pytest.mark.skipif(np.finfo(WIDE).nmant < 63, reason="long double has no more bits than double")


def test_every_function_has_a_bound_of_two_at_most() -> None:
    assert sorted(BOUNDS) == sorted(NAMES)
    assert all(bound <= 2 for bound in BOUNDS.values())


def worst(name: str, *arguments: np.ndarray) -> float:
    """The greatest distance, which must be within the bound."""
    found = distances(vector_function(name)(*arguments), true_result(name, *arguments))
    place = int(np.argmax(found))
    assert found[place] <= BOUNDS[name], f"{name}({', '.join(repr(a[place]) for a in arguments)}) is {found[place]:.3f} ULP off"
    return float(found[place])


@wide
@pytest.mark.parametrize("name", NAMES)
def test_accuracy(name: str) -> None:
    worst(name, *numbers(name, 30_000, np.random.default_rng(1)))


@wide
@pytest.mark.long
@pytest.mark.parametrize("name", NAMES)
def test_accuracy_at_many_points(name: str) -> None:
    found = max(worst(name, *numbers(name, 400_000, np.random.default_rng(seed))) for seed in range(10))
    assert found > BOUNDS[name] - 0.35, "the bound could be lower"


@wide
@pytest.mark.long
@pytest.mark.parametrize("name", [name for name in NAMES if dtype_of(name) is np.float32 and arity(name) == 1])
def test_accuracy_over_all_floats(name: str) -> None:
    """Every 61st bit pattern."""
    for start in range(0, 1 << 32, 1 << 28):
        worst(name, np.arange(start, start + (1 << 28), 61, dtype=np.uint32).view(np.float32))


@pytest.mark.parametrize("name", NAMES)
def test_other_arithmetic_changes_no_bit(name: str) -> None:
    arguments = numbers(name, 2_000, np.random.default_rng(2))
    strict, fast = (vector_function(name, fp)(*arguments) for fp in ("strict", "fast"))
    assert np.array_equal(strict.view(np.uint8), fast.view(np.uint8))


@pytest.mark.parametrize("name", NAMES)
def test_special_cases(name: str) -> None:
    """Where libm gives NaN, an infinity, a zero, or a small whole number, so do we."""
    specials = special_numbers(dtype_of(name))
    grid = np.meshgrid(*[specials] * arity(name))
    arguments = [axis.ravel() for axis in grid]
    found = vector_function(name)(*arguments)
    libm = library_function(name)
    for values in zip(found.tolist(), *(a.tolist() for a in arguments), strict=True):
        expected = libm(*values[1:])
        if not np.isfinite(expected) or expected in (0.0, 1.0, -1.0, 2.0, 3.0, 4.0):
            same = np.array_equal([values[0]], [expected], equal_nan=True) and (
                np.isnan(expected) or np.signbit(values[0]) == np.signbit(expected)
            )
            assert same, f"{name}{values[1:]} is {values[0]}, not {expected}"
