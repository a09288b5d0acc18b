"""The cost model: which resource limits, in numbers that can be worked out by hand; and the order that follows from them."""

import pytest

from autotune.counts import Counts
from autotune.machine import UNMEASURED, Machine
from autotune.model import predict, rank_correlation
from autotune.record import Record
from autotune.space import Candidate
from autotune.strategies import Guided, are_neighbours
from autotune.traffic import Traffic, traffic_of
from rv.target.machine import resolve_target
from tensorrv.frontend.module import parse_c
from tensorrv.kernel import compile_function
from tensorrv.plan import Plan, parse_brush
from tensorrv.shipped import find_kernel
from tests.autotune.fakes import KEY
from tests.autotune.fakes import Machine as FakeMachine

FLAT = Machine(2.0, ((1.0, 0.0), (1e9, 0.0)))
WIDE = resolve_target("avx512")


@pytest.mark.parametrize(
    ("changes", "limit", "cycles"),
    [
        ({"loads": 10}, "loads", 5),
        ({"loads": 10, "split_loads": 8}, "loads", 9),
        ({"stores": 10, "loads": 10}, "stores", 10),
        ({"shuffles": 7, "arithmetic": 6}, "shuffles", 7),
        ({"shuffles": 7, "arithmetic": 9}, "vector units", 8),
        ({"divisions": 1}, "arithmetic", 16),
        ({"instructions": 60, "loads": 2}, "front end", 10),
        ({"stores": 1, "spills": 12}, "stores", 7),
    ],
)
def test_what_limits_the_core(changes, limit, cycles):
    found = predict(Counts(8, 512, **changes), Traffic(), FLAT, WIDE)
    assert found.limit == limit
    assert found.nanoseconds == pytest.approx(cycles / 8 / 2.0)


def test_lines_that_move_limit_too():
    machine = Machine(1.0, ((1e3, 0.001), (1e5, 0.01), (1e7, 0.1)))
    assert machine.nanoseconds(1e5) == pytest.approx(0.01)
    assert machine.nanoseconds(1e6) == pytest.approx(0.055)
    found = predict(Counts(8, 512), Traffic(16, 8, 1e5, 1e7), machine, WIDE)
    assert (found.limit, found.nanoseconds) == ("memory", pytest.approx(16 * 0.1 + 8 * 0.01))
    near = predict(Counts(8, 512), Traffic(16, 8, 1e3, 1e7), machine, WIDE)
    assert near.resources["cache"] == 0


def traffic(kernel, brush, **sizes):
    function = parse_c(find_kernel(kernel)).function(kernel)
    compiled = compile_function(function, Plan(parse_brush(brush)), resolve_target("avx512"))
    return traffic_of(compiled.tensorized, sizes, 0.0)


@pytest.mark.parametrize(
    ("kernel", "brush", "fresh", "again"),
    [
        # one element read and one written per point; the rest was read a row ago
        ("jacobi5", "1x8", 16, 2 * 8),
        ("jacobi5", "4x8", 16, 2 * 8 / 4),
        ("seidel25", "8x16", 16, 4 * 8 / 8),
        # every element of a column has two lines to itself, of which a brush uses m0 elements
        ("transpose", "1x8", 16, 128 - 8),
        ("transpose", "2x8", 16, 64 - 8),
        ("transpose", "8x8", 16, 16 - 8),
        ("transpose", "16x8", 16, 0),
        ("jacobi5_f32", "4x16", 8, 2 * 4 / 4),
    ],
)
def test_traffic_of_kernels(kernel, brush, fresh, again):
    found = traffic(kernel, brush, rows=1026, cols=1026)
    assert (found.fresh, found.again) == (pytest.approx(fresh), pytest.approx(again))


def test_a_sweep_is_what_one_row_of_brushes_touches():
    assert traffic("jacobi5", "4x8", rows=1026, cols=1026).sweep == pytest.approx((6 + 4) * 1024 * 8)


@pytest.mark.parametrize(
    ("pairs", "expected"),
    [
        ([(1, 10), (2, 20), (3, 30)], 1),
        ([(1, 3), (2, 2), (3, 1)], -1),
        ([(1, 2), (2, 1), (3, 3)], 0.5),
        ([(1, 1), (1, 2)], 0),
        ([], 1),
    ],
)
def test_rank_correlation(pairs, expected):
    assert rank_correlation(pairs) == pytest.approx(expected)


def test_the_guided_search_measures_a_tenth_and_halves_it():
    machine = FakeMachine({f"brush=9x{n + 1}": float(n + 1) for n in range(40)})
    sweep = machine.sweep(budget=10_000, least=2)
    for number, candidate in enumerate(machine.candidates):
        counts = Counts(8, 512, loads=number + 1)
        sweep.records[candidate] = Record(
            KEY, candidate, "f", "compiled", code=candidate.plan, counts=counts, traffic=Traffic()
        )
    sweep.run(machine.candidates, Candidate("brush=9x40"), Guided(UNMEASURED, WIDE))
    plans = ["brush=9x1", "brush=9x2", "brush=9x3", "brush=9x4", "brush=9x40"]
    assert [r.candidate.plan for r in sweep.measured] == plans
    rounds = [len(machine.sampled(plan)) for plan in plans[:4]]
    assert rounds == sorted(rounds, reverse=True)
    assert rounds[0] >= rounds[3] == 2


@pytest.mark.parametrize(
    ("other", "near"),
    [
        ("brush=4x16", True),
        ("brush=2x8", True),
        ("brush=4x8 register_bits=256", True),
        ("brush=4x8 projection=0,1", True),
        ("brush=4x32", False),
        ("brush=8x16", False),
        ("brush=4x16 register_bits=256", False),
        ("brush=2x4x8", False),
    ],
)
def test_neighbours_differ_in_one_choice(other, near):
    assert are_neighbours(Candidate("brush=4x8"), Candidate(other)) == near


def test_the_second_half_is_near_the_fastest_of_the_first():
    # the model orders them as listed; 4x32 is the fastest of the first two, 4x64 next to it
    plans = ["brush=4x8", "brush=4x32", "brush=1x8", "brush=1x16", "brush=2x2", "brush=4x64"]
    plans += [f"brush=3x{n}" for n in range(1, 35)]
    machine = FakeMachine(dict.fromkeys(plans, 100.0) | {"brush=4x32": 50.0, "brush=4x64": 40.0})
    sweep = machine.sweep(budget=10_000, least=2)
    for number, plan in enumerate(plans):
        counts = Counts(8, 512, loads=number + 1)
        record = Record(KEY, Candidate(plan), "f", "compiled", code=plan, counts=counts, traffic=Traffic())
        sweep.records[record.candidate] = record
    sweep.run(machine.candidates, Candidate("brush=3x34"), Guided(UNMEASURED, WIDE))
    assert {r.candidate.plan for r in sweep.measured} == {"brush=4x8", "brush=4x32", "brush=4x64", "brush=1x8", "brush=3x34"}
    assert sweep.measured[0].candidate.plan == "brush=4x64"
