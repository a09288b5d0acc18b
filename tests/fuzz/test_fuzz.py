"""Random loop nests and divergent bodies: outputs bit for bit as gcc's, no fault beside the arrays, no exception."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.fuzz.batch import Failure, Statistics, run_batch
from tests.fuzz.divergent import generate_divergent
from tests.fuzz.generate import generate
from tests.fuzz.reduce import reduce_failure
from tests.fuzz.tree import Program

Make = Callable[[int, str], Program]

BATCH = 16


def fuzz(first: int, last: int, directory: Path, seconds: float, make: Make = generate) -> Statistics:
    """Batches of programs until all seeds are used or the time is over; at least one batch."""
    statistics = Statistics()
    end = time.monotonic() + seconds
    for seed in range(first, last, BATCH):
        failures = run_batch(range(seed, min(last, seed + BATCH)), directory, statistics, make)
        assert not failures, report(failures[0], seed, directory)
        if time.monotonic() > end:
            break
    print(statistics)
    return statistics


def report(failure: Failure, seed: int, directory: Path) -> str:
    case, outcome = reduce_failure(failure, directory, 60)
    number = seed + int(failure.program.name[1:])
    return f"seed {number}, {failure.kind}: {outcome.get('detail', '')}\nfor tests/regressions/:\n{case.file()}"


@pytest.mark.parametrize("first", [0, 100_000])
def test_random_nests(first: int, tmp_path: Path) -> None:
    statistics = fuzz(first, first + 160, tmp_path, 12)
    assert statistics.accepted > 0.6 * (statistics.programs - statistics.undefined)
    assert statistics.calls > statistics.programs


@pytest.mark.parametrize("first", [0, 100_000])
def test_divergent_bodies(first: int, tmp_path: Path) -> None:
    statistics = fuzz(first, first + 80, tmp_path, 12, generate_divergent)
    assert statistics.accepted > 0.6 * (statistics.programs - statistics.undefined)
    assert statistics.calls > statistics.programs


@pytest.mark.long
@pytest.mark.parametrize("make", [generate, generate_divergent])
@pytest.mark.parametrize("first", range(1_000_000, 1_000_000 + 20 * 10_000, 10_000))
def test_many_random_nests(first: int, make: Make, tmp_path: Path) -> None:
    fuzz(first, first + 400, tmp_path, 600, make)
