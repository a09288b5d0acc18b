"""How much work the whole way to LLVM IR does on many nests and functions, counted: it must grow with their number."""

from __future__ import annotations

import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import rv.transform.prepare
import tensorrv.brush.tensorize
import tensorrv.nest.legality.dependence
from rv.target.machine import resolve_target
from rv.transform.loops.promote import promote
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.frontend.c.module import parse_c
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.region import nests_within
from tensorrv.pipeline.kernel import compile_function, declared_arrays
from tensorrv.pipeline.stages import StageClock
from tensorrv.schedule.plan import Plan, parse_brush
from tensorrv.unit.unit import Unit

INPUTS = runpy.run_path(str(Path(__file__).parents[2] / "benchmarks" / "compile_time_inputs.py"))
MANY_NESTS: dict[str, Callable[[int], str]] = {
    "conditional_copies": INPUTS["conditional_copies"],
    "halo_update": INPUTS["halo_update"],
    "products": INPUTS["products"],
    "nested_loops": INPUTS["nested_loops"],
    "branching_nests": INPUTS["branching_nests"],
}


def functions(text: str) -> tuple[Unit, ...]:
    return parse_c("<generated>", text=text).functions


def tensorized(function: Unit) -> Tensorized:
    plan, target = Plan(parse_brush("4x8")), resolve_target("avx512")
    return tensorize(function.function, plan, target, StageClock().stage, arrays=declared_arrays(function))


def python_calls(work: Callable[[], object]) -> int:
    """How many Python functions are called: the same on every machine."""
    calls = 0

    def count_call(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    sys.setprofile(count_call)
    try:
        work()
    finally:
        sys.setprofile(None)
    return calls


@pytest.mark.parametrize("make", MANY_NESTS.values(), ids=MANY_NESTS.keys())
def test_work_grows_with_the_number_of_nests(make: Callable[[int], str]) -> None:
    few, many = (python_calls(lambda n=n: [tensorized(f) for f in functions(make(n))]) for n in (2, 6))
    assert many < 3 * 1.2 * few


@pytest.mark.parametrize("name", ["nested_loops", "products"])
def test_code_grows_with_the_number_of_nests(name: str) -> None:
    few, many = (sum(tensorized(f).llvm.count("\n") for f in functions(MANY_NESTS[name](n))) for n in (2, 6))
    assert many <= 3 * few


@pytest.fixture
def count(monkeypatch: pytest.MonkeyPatch) -> Callable[[Any, str], list[int]]:
    """Counts the calls of a function under its name in a module."""

    def watch(module: Any, name: str) -> list[int]:
        calls, true = [0], getattr(module, name)

        def counted(*given: Any, **named: Any) -> Any:
            calls[0] += 1
            return true(*given, **named)

        monkeypatch.setattr(module, name, counted)
        return calls

    return watch


@pytest.mark.parametrize("name", ["products", "conditional_copies"])
def test_functions_are_analyzed_as_often_whatever_nests_they_have(count: Callable[[Any, str], list[int]], name: str) -> None:
    found = []
    analyses, promotions = count(tensorrv.brush.tensorize, "analyze_nests"), count(rv.transform.prepare, "hoist_invariants")
    for nests in (2, 5):
        analyses[0] = promotions[0] = 0
        tensorized(*functions(MANY_NESTS[name](nests)))
        found.append((analyses[0], promotions[0]))
    assert found[0] == found[1]


def test_other_brushes_of_a_function_do_not_analyze_it_again(count: Callable[[Any, str], list[int]]) -> None:
    (function,) = functions(INPUTS["products"](2))
    simplified = count(rv.transform.prepare, "simplify")
    target = resolve_target("avx512")
    compile_function(function, Plan(parse_brush("4x8")), target)
    first, simplified[0] = simplified[0], 0
    compile_function(function, Plan(parse_brush("8x8")), target)
    assert simplified[0] < first / 2


def test_elements_at_other_places_of_a_block_are_not_compared(count: Callable[[Any, str], list[int]]) -> None:
    compared = count(tensorrv.nest.legality.dependence, "_distances")
    lines = " ".join(f"A[i][{k}] = A[i][{k}] * {k}.5;" for k in range(25))
    tensorized(*functions(f"void f(int n, double A[restrict n][25]) {{ for (int i = 0; i < n; ++i) {{ {lines} }} }}"))
    assert 0 < compared[0] < 6 * 25  # of 25 x 50 pairs in each of three proofs


def test_facts_within_a_nest_are_those_of_the_function_where_nothing_is_unknown() -> None:
    (function,) = functions(INPUTS["nested_loops"](4))
    nests = analyze_nests(promote(rv.transform.prepare.prepare(function.function), rv.transform.prepare.NOWHERE))
    outermost = [loop.header for loop in nests.loops.values() if loop.parent is None]
    for header in outermost:
        within = nests_within(nests, header)
        assert within.accesses == nests.accesses and within.loops == nests.loops
        assert within.closed_forms == nests.closed_forms
