"""Tests of the tests: passes with a deliberate error (`tests.planted`) that must be found at the stage to which it belongs.

Nothing else is reported before: the stages up to the error mean the same. That nothing is reported without the error is what
`tests.stages.test_stages` checks.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import partial

import pytest

import tests.planted
from rv.analysis.divergence.divergence_analysis import Divergence
from tests.fuzz.batch import kind_of
from tests.fuzz.children import run_apart
from tests.planted import planted
from tests.stages.batch import check_seed

SEEDS = [seed for seed in range(2000, 2400) if seed % 5 >= 2]
"""Those of cases with at least 4 lanes."""
TOGETHER = 5


@dataclass(frozen=True, slots=True)
class Sabotage:
    """An error of `tests.planted` after a step."""

    step: str
    error: str
    stages: tuple[str, ...]
    """Where it may show first."""


def a_branch_taken_for_uniform(facts: Divergence) -> Divergence:
    """One divergent branch is missing."""
    return replace(facts, divergent_branches=facts.divergent_branches - {min(facts.divergent_branches, default="")})


PREPARED = ("prepared, canonical control",)
SKIPPED = ("skipped sides", "prepared, skipped sides")
LOOPS = ("uniform loops", "prepared, uniform loops")
LINEARIZED = ("linearized", "prepared, linearized")
SABOTAGES = (
    Sabotage("prepare", "arms_of_selects_are_swapped", PREPARED),
    Sabotage("prepare", "loads_pass_stores_in_source", PREPARED),
    Sabotage("uniform-loops", "arms_of_selects_are_swapped", LOOPS),
    Sabotage("uniform-loops", "truths_at_joins_are_swapped", LOOPS),
    Sabotage("uniform-loops", "branches_are_swapped", LOOPS),
    Sabotage("linearize", "arms_of_selects_are_swapped", LINEARIZED),
    Sabotage("linearize", "code_runs_without_predicates", LINEARIZED),
    Sabotage("linearize", "masks_forget_the_branches_around", LINEARIZED),
    Sabotage("skip-sides", "any_and_all_are_swapped", SKIPPED),
    Sabotage("widen", "stores_without_masks", ("vector code",)),
    Sabotage("widen", "tests_of_masks_forget_the_first_lane", ("vector code",)),
    Sabotage("widen", "counter_of_the_first_lane_in_all", ("vector code",)),
    Sabotage("widen", "selects_are_swapped", ("vector code",)),
    Sabotage("machine code", "stores_without_masks", ("machine code",)),
    Sabotage("machine code", "selects_are_swapped", ("machine code",)),
)


@pytest.mark.parametrize("sabotage", SABOTAGES, ids=lambda sabotage: f"{sabotage.step}-{sabotage.error}")
def test_sabotage_is_found_where_it_is(sabotage: Sabotage) -> None:
    _is_found(sabotage.step, getattr(tests.planted, sabotage.error), sabotage.stages)


def test_wrong_divergence_is_found() -> None:
    _is_found("divergence", a_branch_taken_for_uniform, (*LOOPS, *LINEARIZED))


def _is_found(step: str, error: tests.planted.Change, stages: tuple[str, ...]) -> None:
    check = partial(check_seed, keep=planted(step, error))
    for first in range(0, len(SEEDS), TOGETHER):
        for outcome in run_apart([partial(check, seed) for seed in SEEDS[first : first + TOGETHER]], 20):
            if kind_of(outcome):
                where = outcome["detail"] if outcome["status"] == "mismatch" else "machine code"
                assert where.removeprefix("something undefined: ").startswith(stages)
                return
    pytest.fail("nothing is found")
