"""A sample of the random expressions on every target; `python -m tests.expressions` makes more."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.expressions.batch import Case, check
from tests.expressions.generate import program
from tests.run.toolchain import installed

TARGETS = ("avx512", "avx2", "neon", "x86-64")
SAMPLE = 20


def sample(target: str, seeds: range, scratch: Path) -> None:
    tools = installed(target)
    programs = [program(seed) for seed in seeds]
    found = check([Case(p.text("NAME"), p.plan) for p in programs], tools, scratch, seeds.start)
    assert {seeds[k]: f"{what}\n{programs[k].text('NAME')}" for k, what in found.failures.items()} == {}
    assert found.brushed > len(seeds) / 3


@pytest.mark.parametrize("target", TARGETS)
def test_sample(target: str, tmp_path: Path) -> None:
    sample(target, range(SAMPLE), tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("part", range(10))
@pytest.mark.parametrize("target", TARGETS)
def test_many(target: str, part: int, tmp_path: Path) -> None:
    sample(target, range(1000 + 200 * part, 1200 + 200 * part), tmp_path)
