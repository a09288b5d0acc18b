"""Sweeps on a machine that is not there: which candidates are measured how often, when it ends, and what is kept."""

from concurrent.futures import BrokenExecutor

import pytest

from autotune.measure.outcome import Compiled, Failed
from autotune.search.strategies import exhaustive
from autotune.space import Candidate
from autotune.store.database import Database
from tests.autotune.fakes import KEY, Machine


def run(machine, sweep, baseline="a"):
    sweep.run(machine.candidates, Candidate(baseline), exhaustive)
    return [record.candidate.plan for record in sweep.measured]


def test_the_fastest_comes_first():
    machine = Machine({"a": 10.0, "b": 7.0, "c": 9.0})
    assert run(machine, machine.sweep(budget=1000)) == ["b", "c", "a"]


def test_rounds_are_interleaved():
    machine = Machine({"a": 10.0, "b": 7.0})
    run(machine, machine.sweep(budget=1000, least=3))
    assert [job.candidate.plan for job in machine.jobs if job.samples] == ["a", "b"] * 3


def test_slow_candidates_are_given_up_and_close_ones_are_not():
    machine = Machine({"a": 10.0, "b": 9.9, "c": 20.0}, noise=(-0.05, 0.05, 0.0, 0.03, -0.02))
    run(machine, machine.sweep(budget=1000, least=3, most=9))
    assert (len(machine.sampled("a")), len(machine.sampled("b")), len(machine.sampled("c"))) == (9, 9, 3)


def test_the_sweep_ends_when_those_left_are_as_good_as_equal():
    machine = Machine({"a": 10.0, "b": 10.01}, noise=(-0.001, 0.0, 0.001))
    run(machine, machine.sweep(budget=1000, least=3, most=50, tolerance=0.01))
    assert len(machine.sampled("a")) == 3


def test_the_budget_ends_the_sweep():
    machine = Machine({"a": 10.0, "b": 7.0, "c": 9.0}, seconds=1.0)
    assert run(machine, machine.sweep(budget=5.0, least=3)) == ["b", "a"]
    assert machine.now == 5.0


def test_the_survey_leaves_time_to_measure():
    machine = Machine({str(n): float(n + 1) for n in range(100)})
    assert run(machine, machine.sweep(budget=10.0), baseline="0") == ["0", "1", "2", "3"]


@pytest.mark.parametrize("status", ["different", "crashed", "hung"])
def test_a_failure_is_recorded_and_the_rest_goes_on(status):
    machine = Machine({"a": 10.0, "b": Failed(status, "why"), "c": 9.0})
    sweep = machine.sweep(budget=1000)
    assert run(machine, sweep) == ["c", "a"]
    assert (sweep.records[Candidate("b")].status, sweep.records[Candidate("b")].reason) == (status, "why")
    assert len(machine.sampled("b")) == 1


def test_a_worker_that_the_executor_loses_is_a_crash():
    class Lossy(Machine):
        def run(self, job):
            if job.samples and job.candidate.plan == "b":
                raise BrokenExecutor("the pool is broken")
            return super().run(job)

    machine = Lossy({"a": 10.0, "b": 1.0})
    sweep = machine.sweep(budget=1000)
    assert run(machine, sweep) == ["a"]
    assert sweep.records[Candidate("b")].reason == "BrokenExecutor: the pool is broken"


def test_equal_code_is_measured_once():
    class Same(Machine):
        def run(self, job):
            found = super().run(job)
            return Compiled("same", found.counts, found.traffic) if isinstance(found, Compiled) else found

    machine = Same({"a": 10.0, "b": 10.0, "c": 10.0})
    assert run(machine, machine.sweep(budget=1000)) == ["a"]


def test_an_interrupt_loses_nothing_and_the_next_sweep_goes_on(tmp_path):
    database = Database(tmp_path / "results.sqlite")
    machine = Machine({"a": 10.0, "b": 7.0, "c": 9.0}, interrupt_after=7)
    sweep = machine.sweep(database, budget=1000)
    run(machine, sweep)
    assert sweep.interrupted
    assert sum(len(record.samples) for record in database.read(KEY)) == 4 * 5
    again = Machine(machine.times)
    assert run(again, again.sweep(database, budget=1000)) == ["b", "c", "a"]
    assert not [job for job in again.jobs if not job.samples], "compiled again"
    assert len([job for job in again.jobs if job.samples]) == 3 * 3 - 4


def test_results_of_a_finished_sweep_are_used(tmp_path):
    database = Database(tmp_path / "results.sqlite")
    machine = Machine({"a": 10.0, "b": 7.0})
    run(machine, machine.sweep(database, budget=1000))
    again = Machine({"a": 1.0, "b": 2.0})
    assert run(again, again.sweep(database, budget=1000)) == ["b", "a"]
    assert again.jobs == []
