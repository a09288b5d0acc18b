"""The cost model: which resource limits, in numbers that can be worked out by hand; and the order that follows from them."""

import math
from dataclasses import replace

import pytest

from autotune.model.counts import Counts
from autotune.model.machine import Speeds, with_speeds
from autotune.model.prediction import predict, rank_correlation
from autotune.model.traffic import Traffic, traffic_of
from autotune.search.strategies import Guided
from autotune.search.surrogate import ERROR, expected_times, point_of
from autotune.space import Candidate
from autotune.store.record import Record
from rv.cost.memory import nanoseconds_per_byte
from rv.target.description import load
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.pipeline.kernel import compile_function
from tensorrv.schedule.plan import Plan, parse_brush, parse_plan
from tests.autotune.fakes import KEY
from tests.autotune.fakes import Machine as FakeMachine

WIDE = load("golden_cove")


def machine_with(ghz, levels):
    """Golden Cove at one clock for all registers, with a first cache of the first level's size."""
    found = with_speeds(replace(WIDE, clock={}), Speeds(ghz, levels))
    return replace(found, memory=replace(found.memory, nearest=levels[0][0]))


FLAT = machine_with(2.0, ((1.0, 0.0), (1e9, 0.0)))


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
    found = predict(Counts(8, 512, **changes), Traffic(), FLAT)
    assert found.limit == limit
    assert found.nanoseconds == pytest.approx(cycles / 8 / 2.0)


def test_lines_that_move_limit_too():
    machine = machine_with(1.0, ((1e3, 0.001), (1e5, 0.01), (1e7, 0.1)))
    assert nanoseconds_per_byte(machine, 1e5) == pytest.approx(0.01)
    assert nanoseconds_per_byte(machine, 1e6) == pytest.approx(0.055)
    found = predict(Counts(8, 512), Traffic(16, 8, 1e5, 1e7, stored=8), machine)
    assert (found.limit, found.nanoseconds) == ("memory", pytest.approx(16 * 0.1 + 8 * 0.01))
    # two transfers of three when what is stored is not read, however near the arrays are
    around = predict(Counts(8, 512), Traffic(16, 0, 1e5, 1e5, stored=8, streamed=8), machine)
    assert around.nanoseconds == pytest.approx((8 * 0.01 + 8 * 0.1) * 2 / 3)
    near = predict(Counts(8, 512), Traffic(16, 8, 1e3, 1e7), machine)
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
        # the row before the last one, which the brush before last read, and none of the last one
        ("sparse_jacobi5", "1x8", 16, 2 * 8),
        ("sparse_jacobi5", "4x8", 16, 4 * 8 / 4),
        # a brush of the plane before, but of the next row, read part of the next row
        ("heat3d", "4x2x8", 16, (2 * 2 + 2 * 4) * 8 / (4 * 2)),
        # 25 iterations of the innermost loop a lane; subscripts that differ inside a brush are not followed
        ("conv5x5", "4x8", 16 / 25, 0),
    ],
)
def test_traffic_of_kernels(kernel, brush, fresh, again):
    found = traffic(kernel, brush, planes=66, rows=1026, cols=1026)
    assert (found.fresh, found.again) == (pytest.approx(fresh), pytest.approx(again))


@pytest.mark.parametrize(
    ("kernel", "plan", "stored", "streamed"),
    [
        ("jacobi5", "brush=4x8", 8, 0),
        ("jacobi5", "brush=4x8 stores=stream", 8, 8),
        ("transpose", "brush=16x16 stores=stream", 8, 0),
    ],
)
def test_what_is_stored(kernel, plan, stored, streamed):
    function = parse_c(find_kernel(kernel)).function(kernel)
    compiled = compile_function(function, parse_plan(plan), resolve_target("avx512"))
    found = traffic_of(compiled.tensorized, {"rows": 1026, "cols": 1026}, 0.0)
    assert (found.stored, found.streamed) == (pytest.approx(stored), pytest.approx(streamed))


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


def guided(times, loads, baseline, noise=(0.0,), **effort):
    """The sweep of a guided search over plans whose hot loops load so often, as the model sees it, and take these times."""
    machine = FakeMachine(times, noise=noise)
    sweep = machine.sweep(budget=10_000, least=2, **effort)
    for candidate in machine.candidates:
        counts = Counts(8, 512, loads=loads[candidate.plan])
        sweep.records[candidate] = Record(
            KEY, candidate, "f", "compiled", code=candidate.plan, counts=counts, traffic=Traffic()
        )
    sweep.run(machine.candidates, Candidate(baseline), Guided(WIDE))
    return machine, [record.candidate.plan for record in sweep.measured]


def test_the_guided_search_measures_a_tenth_in_the_order_of_a_model_that_is_right():
    plans = [f"brush=9x{2 * n + 1}" for n in range(40)]
    machine, measured = guided(
        {p: 100.0 + 20 * n for n, p in enumerate(plans)}, {p: 50 + 10 * n for n, p in enumerate(plans)}, plans[-1]
    )
    assert measured == [*plans[:4], plans[-1]]
    assert [len(machine.sampled(plan)) for plan in measured] == [2] * 5


def test_what_differs_little_from_a_disappointment_is_not_tried():
    # the model likes 512 bits, of which all disappoint
    plans = [f"brush={m}x{n} register_bits={bits}" for bits in (512, 256) for m in (1, 2, 4, 8) for n in (8, 16, 32, 64, 128)]
    wide = {plan: plan.endswith("512") for plan in plans}
    times = {plan: 200.0 if wide[plan] else 100.0 for plan in plans}
    _, measured = guided(times, {plan: 50 if wide[plan] else 60 for plan in plans}, plans[-1])
    # the baseline is one of the four
    assert len(measured) == 4
    # one says how wrong the model is about the kernel, two that it is wrong about registers
    assert sum(wide[plan] for plan in measured) == 2


def test_what_differs_little_from_a_surprise_is_tried():
    plans = [f"brush={m}x{n}" for m in (1, 2, 4, 8, 16, 32) for n in (2, 4, 8, 16, 32, 64, 128)]
    loads = dict.fromkeys(plans, 100) | {"brush=4x32": 50}
    machine, _ = guided(dict.fromkeys(plans, 100.0) | {"brush=4x32": 25.0}, loads, "brush=1x2")
    surprise = point_of(Candidate("brush=4x32"))
    tried = dict.fromkeys(job.candidate for job in machine.jobs if job.samples)
    # the first two, of which one is the baseline, say nothing about what the other is near to
    assert all(point_of(candidate).distance(surprise) < 2 for candidate in [*tried][3:]) and len(tried) == 5


def test_large_spaces_are_searched_in_steps_whose_faster_half_goes_on():
    plans = [f"brush={m}x{n}" for m in range(1, 21) for n in range(1, 17)]
    times = {plan: 100.0 + 10 * n for n, plan in enumerate(plans)}
    machine, measured = guided(times, {plan: 50 + 5 * n for n, plan in enumerate(plans)}, plans[-1], noise=(0.0, 0.5, -0.5, 0.1))
    assert len(measured) == 32 + 1 and measured[0] == plans[0]
    order = list(dict.fromkeys(job.candidate.plan for job in machine.jobs if job.samples and job.candidate.plan != plans[-1]))
    first = {plan: len(machine.sampled(plan)) for plan in order[:4]}
    assert first[plans[0]] > min(first.values()) == 2


def test_candidates_of_whose_code_nothing_is_known_are_left_out():
    machine = FakeMachine({f"brush=9x{n + 1}": 50.0 - n for n in range(20)})
    sweep = machine.sweep(budget=10_000, least=2)
    for number, candidate in enumerate(machine.candidates):
        counts = Counts(8, 512, loads=50 + number) if number < 10 else None
        record = Record(KEY, candidate, "f", "compiled", code=candidate.plan, counts=counts, traffic=Traffic())
        sweep.records[candidate] = record
    sweep.run(machine.candidates, Candidate("brush=9x20"), Guided(WIDE))
    assert {r.candidate.plan for r in sweep.measured} <= {*(f"brush=9x{n + 1}" for n in range(10)), "brush=9x20"}


@pytest.mark.parametrize(
    ("one", "other", "distance"),
    [
        ("brush=4x8", "brush=4x8", 0),
        ("brush=4x8", "brush=4x16", 1),
        ("brush=4x8", "brush=16x8", 2),
        ("brush=4x8", "brush=4x8 register_bits=256", 1),
        ("brush=8", "brush=2x8", 1),
        ("brush=8x8", "brush=4x16 stores=stream", 3**0.5),
    ],
)
def test_distances_of_plans(one, other, distance):
    left, right = point_of(Candidate(one)), point_of(Candidate(other))
    assert left.distance(right) == right.distance(left) == pytest.approx(distance)


def test_expectations_after_measurements():
    predicted = {Candidate(f"brush=1x{2**n}"): 10.0 for n in range(10)}
    first, near, far = (Candidate(f"brush=1x{n}") for n in (1, 2, 512))
    assert {found.deviation for found in expected_times(predicted, {}).values()} == {ERROR}
    found = expected_times(predicted, {first: 4000.0, far: 3000.0})
    # whatever the unit of times is, only ratios count
    assert found[first].mean == pytest.approx(math.log(4000), abs=0.01)
    assert found[near].mean == pytest.approx(math.log(4000), abs=0.05)
    assert found[far].mean < found[near].mean < found[first].mean
    assert found[first].deviation < found[near].deviation < found[Candidate("brush=1x16")].deviation < 2 * ERROR


def test_what_lanes_tell_holds_for_more_lanes():
    predicted = {Candidate(f"brush=1x{2**n}"): 10.0 for n in range(10)}
    few, many, most = (Candidate(f"brush=1x{n}") for n in (1, 16, 512))
    found = expected_times(predicted, {few: 400.0, many: 300.0})
    assert found[most].mean < found[many].mean - 0.05
    assert found[most].deviation > found[many].deviation
    found = expected_times(predicted, {few: 300.0, many: 400.0})
    assert found[most].mean > found[many].mean + 0.05
