"""`rv.vectorize_loop` on loops of random programs: machine code against the interpreter, or refused."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import rv
from rv.analysis.verify import verify
from rv.evolution.analyze import analyze_loops
from rv.target.machine import resolve_target
from rv.widen.line.pipeline import Line, prepared
from tests.rv.outcome import number_bits, outcome
from tests.rv.programs import ELEMENTS, random_function

STORES_IN_HEADER, LAST_ITERATION, UNDEFINED = 278, 351, 100224
"""Once: trips of a test at the end were counted, a value of the last iteration was read, a phi of nothing had no code."""


def check(seed: int) -> int:
    """How many runs of loops of the program with this number were compared."""
    chosen = random.Random(seed)
    function = verify(random_function(seed, (seed % 3 == 1, False, seed % 5 != 0)))
    width, tail = chosen.choice([2, 4, 8, 16]), chosen.choice(["auto", "mask", "peel", "scalar"])
    line, compared = Line(width, resolve_target("native")), 0
    for name in sorted({loop.name for loop in analyze_loops(prepared(function, line)).loops.values()}):
        try:
            vectorized = rv.vectorize_loop(function, name, width=width, tail=tail)  # type: ignore[arg-type]
        except rv.CannotVectorize:
            continue
        for number, overlap in enumerate([None, None] + ([seed % 4] if seed % 3 != 1 else [])):
            expected = outcome(function, seed + number, overlap)
            if not expected.undefined:
                found = _run(vectorized, seed + number, overlap)
                assert found == (expected.result, expected.doubles, expected.integers), f"{seed} {name} {width} {tail} {number}"
                compared += 1
    return compared


def _run(vectorized: rv.Vectorized, seed: int, overlap: int | None) -> tuple[bytes, tuple[bytes, ...], bytes]:
    """The result and the memory afterwards, for the arguments of `outcome`."""
    chosen = random.Random(seed)
    values = [chosen.choice([0.0, 1.0, -2.5, 0.1, 1e300, math.inf]) for _ in range(2 * ELEMENTS)]
    first, second = np.array(values), np.array(values[:ELEMENTS][::-1])
    third = np.array([chosen.randint(-9, 9) for _ in range(ELEMENTS)], dtype=np.int32)
    numbers = (chosen.randint(-2, 6), chosen.randint(-20, 20), chosen.uniform(-3, 3), chosen.uniform(-3, 3))
    result = vectorized(first, second if overlap is None else first[overlap : overlap + ELEMENTS], third, *numbers)
    return number_bits(result), tuple(map(number_bits, [*first, *second])), third.tobytes()


def test_random_loops() -> None:
    seeds = [STORES_IN_HEADER, LAST_ITERATION, UNDEFINED, *range(12)]
    assert sum(map(check, seeds)) > 0


@pytest.mark.long
def test_many_random_loops() -> None:
    assert sum(map(check, range(1_000, 3_000))) > 300
