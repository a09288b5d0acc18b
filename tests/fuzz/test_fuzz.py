"""Random loop nests: whole outputs bit for bit as gcc's, no fault beside the arrays, no exception."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from tests.fuzz.batch import Failure, Statistics, run_batch
from tests.fuzz.reduce import reduce_failure

BATCH = 16


def fuzz(first: int, last: int, directory: Path, seconds: float) -> Statistics:
    """Batches of programs until all seeds are used or the time is over; at least one batch."""
    statistics = Statistics()
    end = time.monotonic() + seconds
    for seed in range(first, last, BATCH):
        failures = run_batch(range(seed, min(last, seed + BATCH)), directory, statistics)
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
    statistics = fuzz(first, first + 160, tmp_path, 25)
    assert statistics.accepted > 0.6 * (statistics.programs - statistics.undefined)
    assert statistics.calls > statistics.programs


@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000_000, 1_000_000 + 20 * 10_000, 10_000))
def test_many_random_nests(first: int, tmp_path: Path) -> None:
    fuzz(first, first + 400, tmp_path, 600)
