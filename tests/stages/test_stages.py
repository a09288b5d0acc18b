"""Random functions mean the same at every stage, from the threads one by one to machine code."""

from __future__ import annotations

import pytest

from rv.ir.parser import parse_function
from rv.transform.linearize.control_uniform import control_uniform
from tests.fuzz.batch import kind_of
from tests.stages.batch import Statistics, run_seeds
from tests.stages.case import Case, Thread, read_case
from tests.stages.chain import check, stages
from tests.stages.generate import random_case
from tests.stages.reduce import reduce_case, smaller

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


ENDLESS = """
define i32 @f(ptr %A, i32 %n) {
entry:
  %c = icmp sgt i32 %n, 3
  branch %c, loop, out
loop:
  jump loop
out:
  return i32 %n
}
"""


@pytest.mark.parametrize(("number", "status"), [(4, "undefined"), (3, "refused")])
def test_nothing_is_asked_of_functions_that_do_not_end(number: int, status: str) -> None:
    """So they are no smaller ones that fail in the same way; those that end for all threads are checked."""
    threads = (Thread((bytes(4),), (3,)), Thread((bytes(4),), (number,)))
    plan = "brush=1 tail=auto boscc=auto register_bits=0"
    case = Case(parse_function(ENDLESS), ("varying", "varying"), ("i4",), threads, 2, plan, "native", 1, 0)
    assert check(case)["status"] == status
    assert not any(kind_of(check(smaller_one)) for smaller_one in smaller(case))


ENDLESS_ALONE = """
define i32 @f(ptr %A, i64 %m, i64 %k) {
entry:
  %q = elemptr i32, %A [%m]
  %p = elemptr i32, %q [%k]
  store i32 7, %p
  jump loop
loop:
  %i = phi i32 [0, entry], [%odd, body]
  %c = icmp slt i32 %i, 3
  branch %c, body, out
body:
  %next = add i32 %i, 1
  %lanes = horizontal i32 lanes()
  %odd = xor i32 %next, %lanes
  jump loop
out:
  return i32 %i
}
"""


def test_one_lane_at_a_time_may_never_end() -> None:
    """Two lanes leave the loop; the run-time check of far subscripts chooses one lane each, and that does not."""
    threads = tuple(Thread((bytes(4),), (1 << 41, -1 << 41)) for _ in range(2))
    plan, shapes = "brush=1 tail=auto boscc=auto register_bits=0", ("varying", "uniform", "uniform")
    outcome = check(Case(parse_function(ENDLESS_ALONE), shapes, ("i4",), threads, 2, plan, "native", 1, 0))
    assert outcome["status"] == "refused" and "one lane at a time" in outcome["detail"], outcome


def test_files_hold_everything() -> None:
    """And a seed always gives the same case."""
    for seed in range(20):
        case = random_case(seed)
        assert case is None or read_case(case.file()) == case == random_case(seed)
