"""Random programs mean the same for each thread alone, in lock step, and control-uniform under the OBLIVIOUS interpretation."""

from __future__ import annotations

import math
import random
import struct

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rv.analysis.divergence import divergence
from rv.analysis.inhabited import inhabited
from rv.ir.function import Function
from rv.ir.instructions import Jump
from rv.ir.verify import verify
from rv.semantics.block_code import Interpretation
from rv.semantics.lockstep import State, Step
from rv.semantics.scalar import Program
from rv.transform.control_uniform import canonical_control, control_uniform
from rv.transform.divergent_loops import uniform_loops
from tests.rv.forms import assert_loop_simplify_form
from tests.rv.programs import ELEMENTS, random_function
from tests.rv_divergence.graphs import random_reducible
from tests.rv_linear.threads import Arrays, Number, alone, together
from tests.rv_linear.unstructured import random_code

WIDTHS = (1, 2, 4, 8)
SEEDS = st.integers(0, 10**9)


def compare(function: Function, varying: list[str], candidates: list[tuple[Arrays, list[Number]]], skip_from: int | None) -> int:
    """Compares in all widths on those of the candidates for which the source promises something; how many they are."""
    verify(function)
    check_form(function, varying)
    program = Program(function)
    threads = [(c, found) for c in candidates if (found := alone(program, *c)) is not None]
    lanes = verify(control_uniform(function, varying, skip_from=skip_from))
    known = inhabited(lanes)
    assert all(isinstance(block.terminator, Jump) or known.holds(block.predicate, block.label) for block in lanes.blocks)

    def all_come(_: State, step: Step) -> None:
        assert step.came == tuple(range(width)), step

    for width in WIDTHS:
        if len(threads) < width:
            break
        chosen = threads[-width:]
        arrays, numbers = [c[0] for c, _ in chosen], [c[1] for c, _ in chosen]
        expected = [found for _, found in chosen]
        assert together(function, arrays, numbers, Interpretation.FREEZING) == expected
        assert together(lanes, arrays, numbers, Interpretation.OBLIVIOUS, all_come) == expected
    return len(threads)


def check_form(function: Function, varying: list[str]) -> None:
    """Uniform loops are still in loop-simplify form."""
    function = canonical_control(function)
    facts = divergence(function, varying)
    loops = uniform_loops(function, facts.divergent_loops, facts.divergent_branches).function
    assert_loop_simplify_form(loops)


def structured(seed: int) -> int:
    chosen = random.Random(seed)
    varying = ["A", "B", "C", *chosen.sample(["n", "m", "x", "y"], chosen.randint(0, 4))]
    common: dict[str, Number] = {}
    candidates: list[tuple[Arrays, list[Number]]] = []
    for _ in range(10):
        values = [chosen.choice([0.0, 1.0, -2.5, 0.1, 1e300, math.inf]) for _ in range(2 * ELEMENTS)]
        arrays = (
            struct.pack(f"<{2 * ELEMENTS}d", *values),
            struct.pack(f"<{ELEMENTS}d", *values[:ELEMENTS]),
            struct.pack(f"<{ELEMENTS}i", *(chosen.randint(-9, 9) for _ in range(ELEMENTS))),
        )
        fresh: dict[str, Number] = {
            "n": chosen.randint(-2, 6),
            "m": chosen.randint(-20, 20),
            "x": chosen.uniform(-3, 3),
            "y": chosen.uniform(-3, 3),
        }
        common = common or fresh
        candidates.append((arrays, [fresh[n] if n in varying else common[n] for n in ("n", "m", "x", "y")]))
    return compare(random_function(seed), varying, candidates, chosen.choice([None, 1, 10]))


def unstructured(seed: int) -> int:
    chosen = random.Random(seed)
    size = chosen.randint(4, 14)
    function = random_code(random_reducible(chosen, size), chosen)
    varying = ["A", *chosen.sample(["u", "v"], chosen.randint(0, 2))]
    common = {"u": chosen.randint(0, 99), "v": chosen.randint(0, 99)}
    candidates: list[tuple[Arrays, list[Number]]] = []
    for _ in range(9):
        numbers: list[Number] = [chosen.randint(0, 99) if n in varying else common[n] for n in ("u", "v")]
        candidates.append(((bytes(4 * size),), numbers))
    return compare(function, varying, candidates, chosen.choice([None, 1, 10]))


@settings(max_examples=40, deadline=None)
@given(seed=SEEDS)
def test_structured_programs(seed: int) -> None:
    structured(seed)


@settings(max_examples=60, deadline=None)
@given(seed=SEEDS)
def test_unstructured_programs(seed: int) -> None:
    unstructured(seed)


@pytest.mark.long
def test_many_structured_programs() -> None:
    assert sum(structured(seed) > 1 for seed in range(4000)) > 2000


@pytest.mark.long
def test_many_unstructured_programs() -> None:
    assert sum(unstructured(seed) > 1 for seed in range(8000)) > 4000
