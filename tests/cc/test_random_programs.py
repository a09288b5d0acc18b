"""Whole random programs print what they print without tensorrv-cc."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cc.random_programs import check_program, missing

pytestmark = pytest.mark.skipif(missing() != "", reason=missing())


@pytest.mark.long
@pytest.mark.parametrize("seed", range(5000, 5040))
def test_random_programs(seed: int, tmp_path: Path) -> None:
    assert {brush: result.wrong for brush, result in check_program(seed, tmp_path).items() if result.wrong} == {}
