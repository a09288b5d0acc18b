"""Programs that once failed: C with plan, target and calls, against gcc; P-LLVM with threads and plan, through all stages."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from rv.target.machine import resolve_target, runs_here
from tests.fuzz.batch import SECONDS, kind_of
from tests.fuzz.case import read_case
from tests.fuzz.children import run_apart
from tests.fuzz.compare import check_case
from tests.fuzz.native import build_reference
from tests.stages import case as stages_case
from tests.stages.chain import check

CASES = sorted(Path(__file__).parent.glob("*.c"))
FUNCTIONS = sorted(Path(__file__).parent.glob("*.pllvm"))


@pytest.mark.parametrize("path", CASES, ids=lambda path: path.stem)
def test_once_failing_program(path: Path, tmp_path: Path) -> None:
    case = read_case(path.read_text())
    reason = runs_here(resolve_target(case.target))
    if reason is not None:
        pytest.skip(reason)
    reference = build_reference([case.text], tmp_path / "reference")
    (outcome,) = run_apart([partial(check_case, case, reference)], SECONDS)
    assert kind_of(outcome) == "", outcome


@pytest.mark.parametrize("path", FUNCTIONS, ids=lambda path: path.stem)
def test_once_failing_function(path: Path) -> None:
    case = stages_case.read_case(path.read_text())
    reason = runs_here(resolve_target(case.target))
    if reason is not None:
        pytest.skip(reason)
    (outcome,) = run_apart([partial(check, case)], SECONDS)
    assert outcome["status"] == "ok", outcome
