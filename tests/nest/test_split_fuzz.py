"""Random nests in pieces compute what they did before, in the interpreter."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from rv.analysis.verify import verify
from rv.semantics.memory import Fault
from rv.semantics.undefined import Undefined
from tensorrv.nest.split.split import split
from tensorrv.schedule.plan import Plan
from tests.nest.c_text import prepared
from tests.nest.split_programs import SIZES, contents, program


def check(seed: int, seen: Counter[str]) -> None:
    text = program(seed)
    function = prepared(text)
    found = split(function, Plan())
    if not found.divided:
        seen["whole"] += 1
        return
    verify(found.function)
    seen["divided"] += 1
    seen["distributed"] += bool(found.schedules)
    for sizes in random.Random(seed).sample(SIZES, 4):
        try:
            expected = contents(function, sizes)
        except (Fault, Undefined):
            continue
        seen["runs"] += 1
        assert contents(found.function, sizes) == expected, f"seed {seed} with {sizes}:\n{text}"


def test_pieces() -> None:
    seen: Counter[str] = Counter()
    for seed in range(40):
        check(seed, seen)
    print(dict(seen))
    assert seen["divided"] > 15 and seen["distributed"]


@pytest.mark.long
def test_many_nests_in_pieces() -> None:
    seen: Counter[str] = Counter()
    for seed in range(2000):
        check(seed, seen)
    print(dict(seen))
    assert seen["divided"] > 800
