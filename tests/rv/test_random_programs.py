"""Every pass keeps the meaning of random programs: result, memory, and no fault where there was none."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from rv.analysis.cfg.loops import find_loops
from rv.analysis.memory.alias import EVERYWHERE, NOWHERE
from rv.analysis.values.uses import definitions
from rv.analysis.verify import verify
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.printer import print_function
from rv.transform.bare_tests import bare_tests
from rv.transform.loops.hoist import hoist_invariants
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from rv.transform.loops.promote import promote
from rv.transform.loops.unroll import constant_trips, unroll
from rv.transform.loops.unroll_inner import unroll_inner
from rv.transform.prepare import prepare
from rv.transform.scalar.promote_objects import promote_objects
from rv.transform.scalar.select import convert_branches
from rv.transform.scalar.stores_together import stores_together
from rv.transform.simplify import simplify
from tests.rv.forms import assert_loop_closed, assert_loop_simplify_form
from tests.rv.outcome import outcome
from tests.rv.programs import random_function


def unroll_everything(function: Function) -> Function:
    """The function with all loops unrolled that run a constant number of times."""
    function = close_loops(simplify_loops(function))
    for loop in find_loops(function).innermost_first():
        trips = constant_trips(function, loop, definitions(function), 8)
        if trips is not None:
            return unroll_everything(simplify(unroll(function, loop, trips)))
    return function


PASSES: dict[str, Callable[[Function], Function]] = {
    "simplify": simplify,
    "loop_simplify": simplify_loops,
    "lcssa": lambda function: close_loops(simplify_loops(function)),
    "bare_tests": lambda function: bare_tests(simplify_loops(function)),
    "hoist": lambda function: hoist_invariants(simplify_loops(function)),
    "select": convert_branches,
    "unroll": unroll_everything,
    "unroll_inner": lambda function: unroll_inner(prepare(function)),
    "stores_together": stores_together,
    "promote_objects": promote_objects,
    "prepare": prepare,
    "promote": lambda function: promote(prepare(function), NOWHERE),
}
SEEDS = st.integers(0, 10**9)


def check(seed: int, change: Callable[[Function], Function], may_overlap: bool) -> Function:
    """The changed program, after comparing it with the original on three inputs."""
    restrict = (seed % 3 == 1, False, seed % 5 != 0)
    program = verify(random_function(seed, restrict))
    changed = verify(change(program))
    overlaps = [None, None] + ([seed % 4] if may_overlap and not restrict[0] else [])
    for number, overlap in enumerate(overlaps):
        before = outcome(program, seed + number, overlap)
        if not before.undefined:
            assert outcome(changed, seed + number, overlap) == before
    return changed


@pytest.mark.parametrize("name", PASSES)
@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_pass_keeps_meaning(name: str, seed: int) -> None:
    check(seed, PASSES[name], may_overlap=True)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_promotion_keeps_meaning_and_form(seed: int) -> None:
    changed = check(seed, lambda function: promote(prepare(function), EVERYWHERE), may_overlap=False)
    assert_loop_simplify_form(changed)
    assert_loop_closed(changed)


@pytest.mark.long
@pytest.mark.parametrize("name", PASSES)
@settings(max_examples=1000, deadline=None)
@given(seed=SEEDS)
def test_pass_keeps_meaning_long(name: str, seed: int) -> None:
    check(seed, PASSES[name], may_overlap=True)


@settings(max_examples=20, deadline=None)
@given(seed=SEEDS)
def test_text_form_round_trips(seed: int) -> None:
    program = random_function(seed)
    text = print_function(program)
    assert parse_function(text) == program
    assert print_function(parse_function(text)) == text


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_prepared_form(seed: int) -> None:
    prepared = prepare(random_function(seed))
    assert_loop_simplify_form(prepared)
    assert_loop_closed(prepared)


@settings(max_examples=15, deadline=None)
@given(seed=SEEDS)
def test_prepare_is_stable(seed: int) -> None:
    prepared = prepare(random_function(seed))
    assert len(print_function(prepare(prepared)).splitlines()) <= len(print_function(prepared).splitlines())
