"""Legality of forms that are no plain affine ones against brute force: nothing illegal is accepted, and enough is accepted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from rv.analysis.values.uses import definitions
from rv.evolution.facts import Legal
from rv.ir.function import Function
from tensorrv.nest.legality.proof import check_brush
from tensorrv.report.diagnostics import Diagnostic
from tests.nest.c_text import brush_of, nests_of
from tests.nest.legality_forms import Program, generate, run


def check(program: Program, seen: Counter[str]) -> None:
    nests = nests_of(str(program))
    outcome = check_brush(nests, brush_of(nests, **dict(program.brush)))
    if isinstance(outcome, Diagnostic):
        seen[outcome.code] += 1
        return
    used = [sizes for sizes in program.sizes if _holds(nests.function, outcome, sizes)]
    tails = [dict(sizes) for sizes in product(*(((name, size), (name, 1)) for name, size in program.brush))]
    for sizes in used:
        scalar = run(program, sizes, {})
        for tail in tails:
            same = run(program, sizes, tail) == scalar
            assert same, f"{program} with {tail} and {sizes} computes something else and was accepted"
    seen["accepted" if used else "never used"] += 1


def _holds(function: Function, legal: Legal, sizes: Mapping[str, Any]) -> bool:
    """Whether all conditions on parameters hold; those on what is computed from them are limits that hold for small sizes."""
    known = definitions(function)
    conditions = [c.polynomial for c in legal.conditions]
    given = [p for p in conditions if not any(s.name in known or s.is_counter for s in p.symbols)]
    return all(p.valued(sizes) >= 0 for p in given)


def test_nothing_illegal_is_accepted() -> None:
    seen: Counter[str] = Counter()
    for seed in range(60):
        check(generate(seed), seen)
    assert seen["accepted"] > 15 and seen["never used"] <= 3
    assert seen.total() - seen["accepted"] > 15


@pytest.mark.long
@pytest.mark.parametrize("part", range(20))
def test_nothing_illegal_is_accepted_for_long(part: int) -> None:
    seen: Counter[str] = Counter()
    for seed in range(1000 * part + 1000, 1000 * part + 2000):
        check(generate(seed), seen)
    print(dict(seen))
