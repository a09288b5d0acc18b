"""Random functions mean the same at every stage, from the threads one by one to machine code."""

from __future__ import annotations

import pytest

from rv.transform.control_uniform import control_uniform
from tests.stages.batch import Statistics, run_seeds
from tests.stages.case import read_case
from tests.stages.chain import stages
from tests.stages.generate import random_case
from tests.stages.reduce import reduce_case

BATCH = 30


def check_seeds(first: int, last: int) -> None:
    statistics = Statistics()
    for seed in range(first, last, BATCH):
        for failure in run_seeds(range(seed, min(last, seed + BATCH)), statistics):
            case = reduce_case(failure.case, failure.kind, 60)
            detail = failure.outcome.get("detail", "")
            pytest.fail(f"seed {failure.seed}, {failure.kind}: {detail}\nfor tests/regressions/:\n{case.file()}")
    print(statistics)
    assert statistics.outcomes["ok"] > 0.6 * statistics.seeds


@pytest.mark.parametrize("first", range(0, 300, BATCH))
def test_random_functions(first: int) -> None:
    check_seeds(first, first + BATCH)


def test_stages_are_those_that_everybody_uses() -> None:
    for seed in range(60):
        case = random_case(seed)
        if case is not None:
            *_, last = stages(case, case.function)
            assert last.function == control_uniform(case.function, case.varying, skip_from=case.skip_from)


@pytest.mark.long
@pytest.mark.parametrize("first", range(1_000_000, 1_030_000, 600))
def test_many_random_functions(first: int) -> None:
    check_seeds(first, first + 600)


def test_files_hold_everything() -> None:
    """And a seed always gives the same case."""
    for seed in range(20):
        case = random_case(seed)
        assert case is None or read_case(case.file()) == case == random_case(seed)
