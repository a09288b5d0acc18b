"""Confidence intervals against what they promise."""

import random

import pytest

from autotune.store.statistics import estimate


def test_the_median_and_its_interval():
    found = estimate([5.0, 1.0, 4.0, 2.0, 3.0, 9.0, 8.0, 7.0, 6.0, 10.0, 11.0])
    assert (found.median, found.low, found.high, found.samples) == (6.0, 3.0, 9.0, 11)


@pytest.mark.parametrize("count", [1, 2, 3])
def test_few_samples_bound_nothing_but_themselves(count):
    found = estimate([float(n) for n in range(count)])
    assert (found.low, found.high) == (0.0, count - 1.0)


@pytest.mark.parametrize("count", [9, 15, 25, 60])
def test_the_interval_holds_the_true_median_about_95_times_in_100(count):
    rng = random.Random(count)
    held = 0
    for _ in range(2000):
        # a skewed distribution, as times have; its median is ln 2
        found = estimate([rng.expovariate(1) for _ in range(count)])
        held += found.low <= 0.6931471805599453 <= found.high
    assert 0.92 <= held / 2000 <= 1
