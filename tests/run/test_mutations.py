"""Tests of the tests: compilations with a deliberate error (`tests.planted`), each of which the run tests must find.

Running the named case must report a difference or a fault. That nothing is reported without the error is what the other tests
check.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest

import tests.planted
from tests.planted import planted
from tests.run.harness import run_plans
from tests.run.plans import parse_plans
from tests.run.subject import read_subject
from tests.run.toolchain import installed

KERNELS = Path(__file__).parents[2] / "kernels"
CASES = Path(__file__).parent / "cases"


@dataclass(frozen=True, slots=True)
class Mutation:
    """An error of `tests.planted` after a step, in the compilation of a file under a plan."""

    error: str
    path: Path
    plan: str
    target: str = "avx2"
    step: str = "widen"


JACOBI5, TRANSPOSE, BLUR, MATMUL, HEAT = (KERNELS / f"{name}.c" for name in ("jacobi5", "transpose", "blur", "matmul", "heat3d"))
MUTATIONS = (
    Mutation("registers_begin_one_late", JACOBI5, "brush=4x8"),
    Mutation("registers_begin_one_early", JACOBI5, "brush=4x8"),
    Mutation("registers_begin_one_late", CASES / "strides.c", "brush=8"),
    Mutation("wrong_row_pitch", JACOBI5, "brush=4x8"),
    Mutation("shuffles_swap_two_lanes", TRANSPOSE, "brush=4x4"),
    Mutation("shuffles_swap_two_lanes", TRANSPOSE, "brush=4x4", "neon"),
    Mutation("shuffles_start_one_late", CASES / "strides.c", "brush=8"),
    Mutation("masks_hold_one_lane_more", JACOBI5, "brush=1x8 tail=mask"),
    Mutation("masks_hold_for_no_lane", JACOBI5, "brush=1x8 tail=mask"),
    Mutation("stores_without_masks", JACOBI5, "brush=4x8 tail=mask"),
    Mutation("loads_without_masks", JACOBI5, "brush=4x8 tail=mask"),
    *(Mutation("stores_without_masks", CASES / "masked_groups.c", "brush=8", target) for target in ("avx2", "avx512")),
    Mutation("bits_are_spread_one_late", CASES / "masked_groups.c", "brush=8", "avx512"),
    Mutation("tests_of_masks_forget_the_first_lane", CASES / "divergent_uniform.c", "brush=8 boscc=none"),
    Mutation("tests_of_masks_forget_the_first_lane", CASES / "divergent_uniform.c", "brush=8 boscc=none", "avx512"),
    Mutation("loops_run_once_more", JACOBI5, "brush=4x8"),
    Mutation("loops_run_once_more", JACOBI5, "brush=1x8 tail=peel"),
    Mutation("loops_run_once_more", CASES / "bounds.c", "brush=8"),
    Mutation("divides_in_all_lanes", CASES / "division.c", "brush=8 tail=mask"),
    Mutation("zext_for_sext", CASES / "mixed_types.c", "brush=8"),
    Mutation("sext_for_zext", BLUR, "brush=4x8"),
    Mutation("unsigned_for_signed", CASES / "mixed_types.c", "brush=8"),
    Mutation("addition_for_subtraction", HEAT, "brush=4x8"),
    Mutation("swapped_operands_of_fsub", HEAT, "brush=4x8"),
    Mutation("contraction", MATMUL, "brush=4x8"),
    Mutation("counter_of_the_first_lane_in_all", CASES / "mixed_types.c", "brush=8"),
    Mutation("accumulators_start_elsewhere", CASES / "reductions.c", "brush=8"),
    Mutation("selects_are_swapped", CASES / "reductions.c", "brush=8 tail=mask"),
    Mutation("runtime_checks_hold_at_once", CASES / "overlapping.c", "brush=8"),
    Mutation("runtime_checks_hold_at_once", CASES / "touching.c", "brush=8"),
    Mutation("loads_pass_stores", CASES / "two_statements.c", "brush=4x8", step="vector"),
    Mutation("stores_pass_loads", CASES / "two_statements.c", "brush=8x8", step="vector"),
    Mutation("truths_at_joins_are_swapped", CASES / "between_loops.c", "brush=4x8", step="common-loops"),
    Mutation("arms_of_selects_are_swapped", CASES / "short_circuit_always.c", "brush=8", step="prepare"),
    Mutation("branches_are_swapped", CASES / "searches.c", "brush=8", step="search-in-strips"),
    Mutation("extrema_keep_the_first_of_equals", CASES / "libm_extrema.c", "brush=8", step="extrema-as-selections"),
    Mutation("arms_of_selects_are_swapped", CASES / "libm_extrema.c", "brush=8", step="extrema-as-selections"),
    Mutation("code_runs_without_predicates", CASES / "between_loops.c", "brush=4x8", step="linearize"),
)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda m: f"{m.error}-{m.path.stem}-{m.target}")
def test_mutation_is_found(mutation: Mutation, tmp_path: Path) -> None:
    keep = planted(mutation.step, getattr(tests.planted, mutation.error))
    subject, tools = read_subject(mutation.path), installed(mutation.target)
    assert run_plans(subject, parse_plans([mutation.plan]), tools, tmp_path, keep=keep).failures
