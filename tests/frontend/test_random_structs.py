"""Random functions on structs mean to us what they mean to gcc."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.frontend.against_gcc import compare_with_gcc
from tests.frontend.random_structs import PRELUDE, Structs


def compare(seed: int, count: int, directory: Path) -> None:
    structs = Structs(seed)
    text = PRELUDE + "".join(structs.function(f"f{k}") for k in range(count))
    assert compare_with_gcc(text, directory, sizes=(0, 5), repeat=1) == set()


def test_random_structs_agree_with_gcc(tmp_path: Path) -> None:
    compare(0, 60, tmp_path)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(1, 31))
def test_many_random_structs_agree_with_gcc(seed: int, tmp_path: Path) -> None:
    compare(seed, 200, tmp_path)
