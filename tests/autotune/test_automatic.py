"""`auto`: tuned plans where there are any that fit, the model's choice elsewhere, and the same choice every time."""

from dataclasses import replace

import pytest

import tensorrv as trv
from autotune.measure.machine_key import key_of
from autotune.measure.subject import Subject
from autotune.space import Candidate
from autotune.store.database import Database
from autotune.store.record import Record
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.run.tuner import tuning_database


@pytest.fixture
def tuned(tmp_path, monkeypatch):
    """A function that enters a result for jacobi5, as if it had been measured."""
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    function = parse_c(find_kernel("jacobi5")).functions[0]

    def enter(plan, nanoseconds, sizes=(("cols", 66), ("rows", 66)), updated=1.0, **key):
        record = Record(
            replace(key_of(Subject(function, "native", sizes)), **key), Candidate(plan), "jacobi5", "measured",
            samples=(nanoseconds,), updated=updated,
        )  # fmt: skip
        Database(tuning_database()).write([record])

    return enter


def chosen(**options):
    return str(trv.compile("jacobi5", brush="auto", **options).plan)


def test_the_fastest_measured_plan(tuned):
    tuned("brush=2x16", 5.0)
    tuned("brush=16x2 register_bits=256", 4.0)
    tuned("brush=3x8", 6.0)
    assert chosen() == "brush=16x2 register_bits=256"
    tuned("brush=24x8 prefetch=2", 3.0)
    assert chosen() == "brush=24x8 prefetch=2"
    tuned("brush=24x8 prefetch=1", 7.0)
    assert chosen(prefetch=1) == "brush=24x8 prefetch=1"


def test_plans_that_contradict_the_user_do_not_count(tuned):
    tuned("brush=2x16 fp=fast", 1.0)
    tuned("brush=2x16 tail=peel", 2.0)
    tuned("brush=2x16 threads=openmp", 2.5)
    tuned("brush=2x4", 3.0)
    assert chosen(fp="fast") == "brush=2x16 fp=fast"
    assert chosen() == "brush=2x16 tail=peel"
    assert chosen(tail="auto") == "brush=2x16 tail=peel"
    assert chosen(tail="peel") == "brush=2x16 tail=peel"
    assert chosen(threads="openmp") == "brush=2x16 threads=openmp"


@pytest.mark.parametrize("part", ["kernel", "cpu", "target", "llvm", "tool"])
def test_results_for_something_else_do_not_count(tuned, part):
    tuned("brush=3x3", 1.0, **{part: "other"})
    assert chosen() != "brush=3x3"


def test_the_nearest_sizes_count(tuned, capsys):
    from tensorrv.cli.gen import main

    tuned("brush=2x16", 5.0, (("cols", 66), ("rows", 66)), updated=1.0)
    tuned("brush=2x32", 5.0, (("cols", 2050), ("rows", 2050)), updated=2.0)
    for size, brush in ((100, "2x16"), (1500, "2x32")):
        emit = ["--emit", "pllvm", "-o", str(tuning_database().parent)]
        assert main(["jacobi5", "--size", f"rows={size},cols={size}", *emit]) == 0
        assert f"brush={brush}" in capsys.readouterr().out
    assert chosen() == "brush=2x32", "without sizes what was tuned last"


def test_a_tuned_plan_that_is_refused_now_is_passed_over(tuned):
    tuned("brush=k=8", 1.0)
    tuned("brush=2x16", 2.0)
    assert chosen() == "brush=2x16"


def test_the_model_decides_elsewhere_and_decides_the_same_again(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert chosen() == chosen()
    assert not tuning_database().exists(), "looking something up creates nothing"
    plan = trv.compile("transpose", brush="auto", target="avx512").plan
    assert plan.brush.sizes == (8, 8), "with fewer rows than a line has elements lines are moved several times"


def test_what_is_illegal_for_every_brush_is_scalar_code_and_says_why(capsys):
    kernel = trv.compile("gauss_seidel", brush="auto", target="avx512")
    assert not kernel.plan.brush.sizes
    kernel.explain()
    assert "breaks a dependence" in capsys.readouterr().out


def test_a_brush_that_is_legal_is_found_where_the_first_choice_is_not():
    text = """void f(int n, int m, double A[restrict n][m])
    { for (int j = 1; j < n; j++) for (int i = 0; i < m - 1; i++) A[j][i] = A[j - 1][i + 1]; }"""
    (lanes,) = trv.compile(text, brush="auto", target="avx512").plan.brush.sizes
    assert lanes % 8 == 0
