"""Brushes by estimate: every nest gets its own, gathers cost what they cost, and what remains scalar is left to LLVM."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

from autotune.automatic import compile_automatically
from autotune.without_brush import faster_without_brush
from rv.evolution.facts import Legal
from rv.target.description import machine_of
from rv.target.machine import resolve_target
from tensorrv.check.trial import verify_kernel
from tensorrv.cli.gen import main
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan, parse_plan, parse_skew

FORMS = Path(__file__).parents[2] / "benchmarks" / "forms"


@pytest.fixture(autouse=True)
def untuned(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))


def automatic(file: str, function: str, target: str = "avx512", **options) -> Kernel:
    module = parse_c(FORMS / f"{file}.c")
    return compile_automatically(module.function(function), Plan(**options), resolve_target(target), {"n": 300})


def brushes(kernel: Kernel) -> list[str]:
    """What every nest takes, such as `j=4,i=8`, or `scalar`."""
    loops = kernel.tensorized.widened.context.loops
    return [
        ",".join(f"{loops[header].name}={size}" for header, size in choice.brush)
        if isinstance(choice.outcome, Legal)
        else "scalar"
        for choice in kernel.tensorized.choices
    ]


@pytest.mark.parametrize("target", ["avx512", "avx2", "neon"])
@pytest.mark.parametrize(("file", "function", "loops"), [
    ("statistics", "centred_products", ["q", "q", "q"]),
    ("statistics", "orthogonal", ["scalar", "r", "d"]),
    ("linear_algebra", "two_products", ["j", "j"]),
    ("linear_algebra", "both_ways", ["i", "i"]),
    ("grids", "jacobi_2d", ["j", "j"]),
])  # fmt: skip
def test_lanes_lie_where_elements_are_contiguous(file: str, function: str, loops: list[str], target: str) -> None:
    """Also where only an outer loop has that, around a sum that cannot be reordered, and around several loops."""
    found = brushes(automatic(file, function, target))
    assert [brush.rpartition(",")[2].partition("=")[0] for brush in found] == loops


@pytest.mark.parametrize("target", ["avx512", "avx2", "neon"])
def test_a_recurrence_takes_the_brush_that_its_distance_allows(target: str) -> None:
    assert brushes(automatic("grids", "lag_4", target)) == ["i=4"]


@pytest.mark.parametrize("target", ["avx512", "avx2", "neon", "znver4"])
@pytest.mark.parametrize("function", ["clamped", "sparse_rows"])
def test_gathers_that_do_not_pay_are_not_made(function: str, target: str) -> None:
    kernel = automatic("grids", function, target, split="none")
    assert brushes(kernel) == ["scalar"] and not kernel.plan.brush.sizes


def test_where_subscripts_are_clamped_at_edges_the_interior_has_a_brush_of_two_dimensions() -> None:
    kernel = automatic("grids", "clamped")
    assert kernel.plan.split == "all" and any("," in brush for brush in brushes(kernel))


def test_all_sizes_are_candidates_where_the_fastest_brush_is_not_legal() -> None:
    """A brush of queries and points of a leaf seems four times as fast as one of queries alone, and is refused."""
    function = parse_c(FORMS.parents[1] / "kernels" / "kd_nearest.c").function("kd_nearest")
    kernel = compile_automatically(function, Plan(), resolve_target("avx512"), {})
    assert kernel.plan.brush.lanes > 16


def test_gathers_pay_on_processors_where_they_are_quick() -> None:
    assert brushes(automatic("grids", "clamped", "sapphirerapids")) != ["scalar"]


def named(kernel: Kernel, *names: str) -> dict[str, str]:
    """The verdicts on these candidates of the first nest."""
    considered = kernel.tensorized.choices[0].considered
    return {one.brush: one.verdict for one in considered if one.brush in names}


def test_llvms_vectorizer_is_a_candidate() -> None:
    left = automatic("grids", "clamped", "znver4", split="none")
    assert named(left, "llvm", "scalar") == {"llvm": "taken", "scalar": "slower"}
    assert str(left.plan) == "brush=none split=none vectorizer=llvm" and parse_plan(str(left.plan)) == left.plan
    explicit = compile_function(left.source, left.plan, left.target)
    assert "zmm" in explicit.module.assembly and "zmm" not in compile_function(left.source, Plan(), left.target).module.assembly
    brushed = automatic("grids", "jacobi_2d", "znver4")
    assert named(brushed, "llvm", "scalar") == {"llvm": "slower", "scalar": "slower"} and brushed.plan.vectorizer == "none"


def test_scalar_code_is_taken_where_llvms_is_expected_to_be_slower() -> None:
    left = automatic("grids", "clamped", "znver4", split="none")
    machine = machine_of(left.target)
    slow = {key: 40.0 if key[0] == 512 else parts for key, parts in machine.cracked.items()}
    found = faster_without_brush(left, replace(machine, cracked=slow))
    assert named(found, "llvm", "scalar") == {"llvm": "slower", "scalar": "taken"}
    assert found.plan.vectorizer == "none" and "zmm" not in found.module.assembly


def test_results_of_llvms_vectorizer_are_those_of_scalar_code() -> None:
    module = parse_c(FORMS / "grids.c")
    kernel = compile_function(module.function("clamped"), Plan(vectorizer="llvm"), resolve_target("native"))
    found = verify_kernel(kernel, [])
    assert not isinstance(found, Diagnostic) and found.difference is None


def test_what_stays_scalar_is_left_to_llvm_and_what_is_brushed_is_not() -> None:
    left = automatic("grids", "clamped", split="none")
    assert "zmm" in left.module.assembly
    (note,) = left.diagnostics
    assert (note.code, note.severity) == ("TRV317", "note") and "times as long" in note.message
    brushed = automatic("grids", "jacobi_1d")
    assert brushed.tensorized.llvm.count("!llvm.loop") >= 2
    assert '!"llvm.loop.vectorize.enable", i1 false' in brushed.tensorized.llvm


def test_nothing_taken_is_estimated_slower_than_scalar_code() -> None:
    for file, function in (("grids", "waves"), ("statistics", "scaled_products"), ("linear_algebra", "symmetric_update")):
        for choice in automatic(file, function).tensorized.choices:
            found = {one.verdict: one for one in choice.considered}
            scalar = next(one for one in choice.considered if one.brush == "scalar")
            assert found["taken"].cycles <= scalar.cycles, (function, choice.considered)


def test_the_choice_is_reported(tmp_path, capsys) -> None:
    arguments = [str(FORMS / "statistics.c"), "--function", "centred_products", "--target", "avx512", "-o", str(tmp_path)]
    assert main([*arguments, "--emit", "llvm", "--json"]) == 0
    choices = json.loads(capsys.readouterr().out)["functions"][0]["choices"]
    assert len(choices) == 3
    for choice in choices:
        assert [one["verdict"] for one in choice["considered"]].count("taken") == 1
        assert all(one["cycles"] > 0 and one["limit"] for one in choice["considered"])
    assert main([*arguments, "--emit", "llvm", "--explain"]) == 0
    assert "cycles per iteration, limited by" in capsys.readouterr().out


def test_a_brush_that_falls_back_to_fewer_loops_says_so(tmp_path, capsys) -> None:
    arguments = [str(FORMS / "statistics.c"), "--function", "centred_products", "--target", "avx512", "-o", str(tmp_path)]
    assert main([*arguments, "--emit", "llvm", "--brush", "4x8"]) == 0
    assert "warning[TRV144]: the nest of the loop over `q` uses only q=8 of the brush 4x8" in capsys.readouterr().err


@pytest.mark.parametrize(("file", "function"), [
    ("statistics", "orthogonal"), ("linear_algebra", "symmetric_update"), ("grids", "lag_4"), ("grids", "clamped"),
])  # fmt: skip
def test_results_are_those_of_scalar_code(file: str, function: str) -> None:
    kernel = automatic(file, function, "native")
    found = verify_kernel(kernel, [])
    assert found.difference is None and not isinstance(found, Diagnostic)


@pytest.mark.parametrize(("target", "function", "least"), [
    ("neon", "average", 32), ("neon", "sum_of_squared_differences", 64), ("avx2", "low_bytes", 32), ("neon", "packed_words", 8),
    ("avx2", "high_products", 16),
])  # fmt: skip
def test_elements_decide_the_lanes_and_short_loops_take_several_registers(target: str, function: str, least: int) -> None:
    """Registers are full of the narrowest elements, and what a loop itself takes is shared by several of them."""
    module = parse_c(FORMS / "pixels.c")
    kernel = compile_automatically(module.function(function), Plan(), resolve_target(target), {"n": 16384})
    assert kernel.plan.brush.sizes[0] >= least, brushes(kernel)


def estimated(size: int, **options: object) -> dict[str, float]:
    """The estimates for the candidates of an in-place sweep."""
    sweep = parse_c(FORMS.parents[1] / "kernels" / "gauss_seidel.c").function("gauss_seidel")
    kernel = compile_automatically(sweep, Plan(**options), resolve_target("avx512"), {"rows": size, "cols": size})
    return {one.brush: one.cycles for one in kernel.tensorized.choices[0].considered}


def test_wavefronts_are_expected_to_be_faster_than_a_sweep_that_waits_for_itself_but_less_so_out_of_the_nearest_cache() -> None:
    near, far = (estimated(size, skew=parse_skew("i+j")) for size in (258, 1026))
    sweep = estimated(258)["scalar"]
    assert near["j=8"] < sweep / 2 and far["j=8"] < sweep
    assert near["j=8"] < far["j=8"] / 2 and far["j=8"] < far["j=16"]
