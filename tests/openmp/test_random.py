"""Random constructs and clauses against gcc -fopenmp. `python -m tests.openmp.test_random FIRST COUNT` runs more of them."""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import pytest

import tensorrv as trv
from tests.openmp.against_gcc import check_kernel, need_gcc, outcomes
from tests.openmp.generate import PRELUDE, random_function

SIZES = (0, 1, 4, 9, 16, 37, 48)
BRUSHES: tuple[object, ...] = ({"i": 8}, {"i": 3}, {"l": 4}, {"j": 2, "l": 4}, "auto", "none")


def run_batch(seeds: range, scratch: Path) -> list[str]:
    """Which of the functions differ from gcc's, and under which brush. Every function runs with the first brushes it can take."""
    texts = {f"f{seed}": random_function(seed, f"f{seed}") for seed in seeds}
    wanted = outcomes(PRELUDE + "".join(texts.values()), texts, SIZES, scratch, threads=(1, 3))
    return [problem for name, text in texts.items() for problem in _differences(name, text, wanted[name])]


def _differences(name: str, text: str, wanted: object) -> list[str]:
    found, runs = [], 0
    for brush in BRUSHES:
        try:
            kernel = trv.compile(PRELUDE + text, function=name, brush=brush)  # type: ignore[arg-type]
        except trv.Refused:
            continue
        runs += 1
        try:
            check_kernel(kernel, wanted, SIZES)  # type: ignore[arg-type]
        except AssertionError as difference:
            found.append(f"{name} under {brush}: {str(difference).splitlines()[0]}")
        if runs == 2:
            break
    return found


@pytest.mark.parametrize("part", range(3))
def test_random_functions(part: int, tmp_path: Path) -> None:
    need_gcc()
    assert run_batch(range(part * 10, part * 10 + 10), tmp_path) == []


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_many_random_functions(part: int, tmp_path: Path) -> None:
    need_gcc()
    assert run_batch(range(1000 + part * 100, 1100 + part * 100), tmp_path) == []


if __name__ == "__main__":
    first, count = int(sys.argv[1]), int(sys.argv[2])
    for start in range(first, first + count, 50):
        with tempfile.TemporaryDirectory() as directory:
            print(start, *run_batch(range(start, min(start + 50, first + count)), Path(directory)), sep="\n  ", flush=True)
