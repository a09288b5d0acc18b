"""Legality against brute force on random affine nests: nothing illegal is accepted, and little that is legal is refused."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from itertools import product

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from rv.evolution.facts import Legal
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.proof import check_brush
from tensorrv.report.diagnostics import Diagnostic
from tests.nest.affine_programs import Element, Nest, Statement, Subscript, breaks_dependence, lower, run, variables

SIZES = ({"n": 12, "m": 13, "l": 4}, {"n": 6, "m": 7, "l": 9}, {"n": 1, "m": 2, "l": 0})


@st.composite
def subscripts(draw: st.DrawFn, names: list[str]) -> Subscript:
    name = draw(st.sampled_from(names))
    slopes = {name: draw(st.sampled_from([1, 1, 1, 1, -1, 2]))}
    if draw(st.integers(0, 5)) == 0:
        slopes.setdefault(draw(st.sampled_from(names)), draw(st.sampled_from([1, -1])))
    return Subscript(draw(st.integers(-4, 4)), tuple(sorted(slopes.items())))


@st.composite
def statements(draw: st.DrawFn, names: list[str]) -> Statement:
    def element() -> Element:
        array = draw(st.sampled_from("AB"))
        return Element(array, tuple(draw(subscripts(names)) for _ in range(2 if array == "A" else 1)))

    return Statement(element(), tuple(element() for _ in range(draw(st.integers(1, 2)))))


@st.composite
def nests(draw: st.DrawFn) -> Nest:
    depth = draw(st.integers(1, 3))
    fixed = draw(st.booleans())
    names = ["j", "i", "k"][:depth]
    body: tuple[Nest | Statement, ...] = ()
    for level in reversed(range(depth)):
        inside = [draw(statements(names[: level + 1])) for _ in range(draw(st.integers(0 if body else 1, 2)))]
        place = draw(st.integers(0, len(inside)))
        children = (*inside[:place], *body, *inside[place:])
        step = draw(st.sampled_from([1, 1, 1, 2, -1, -2, 3]))
        bound: int | str
        if step < 0:
            start, bound = draw(st.integers(4, 8)), draw(st.sampled_from([-1, 0, 1]))
        else:
            start, bound = draw(st.integers(0, 2)), draw(st.integers(4, 9)) if fixed else ["n", "m", "l"][level]
        body = (Nest(names[level], start, step, bound, children),)
    (nest,) = body
    assert isinstance(nest, Nest)
    return nest


@st.composite
def cases(draw: st.DrawFn) -> tuple[Nest, tuple[tuple[str, int], ...]]:
    nest = draw(nests())
    brushed = [(name, draw(st.sampled_from([2, 3, 4, 8]))) for name in variables(nest) if draw(st.integers(0, 3))]
    return nest, tuple(brushed) or ((nest.variable, 4),)


def _check(case: tuple[Nest, tuple[tuple[str, int], ...]], seen: Counter[str]) -> None:
    nest, brush = case
    outcome = check_brush(analyze_nests(lower(nest)), tuple((f"{name}.head", size) for name, size in brush))
    accepted = isinstance(outcome, Legal)
    used = [sizes for sizes in SIZES if isinstance(outcome, Diagnostic) or _holds(outcome, sizes)]
    assert used, "conditions that hold for no sensible size are no use"
    narrower = [dict(sizes) for sizes in product(*(((name, size), (name, 1)) for name, size in brush))]
    same = all(run(nest, sizes, {}) == run(nest, sizes, tail) for sizes in used for tail in narrower)
    broken = any(breaks_dependence(nest, sizes, tail) for sizes in used for tail in narrower)
    assert not accepted or same, f"{nest} with {brush} computes something else and was accepted"
    assert not accepted or not broken, f"{nest} with {brush} breaks a dependence and was accepted"
    seen[f"{'accepted' if accepted else 'refused'} {'illegal' if broken else 'legal'}"] += 1


def _holds(legal: Legal, sizes: Mapping[str, int]) -> bool:
    return all(c.polynomial.valued(sizes) >= 0 for c in legal.conditions)


def _run(examples: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    checked = given(cases())(lambda case: _check(case, seen))
    settings(max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))(
        checked
    )()
    return seen


def _assert_useful(seen: Counter[str]) -> None:
    """Enough on both sides, and little legal that is refused: what breaks only for larger sizes than were tried counts here
    too.
    """
    print(dict(seen))
    assert seen["accepted legal"] > 20 and seen["refused illegal"] > 20
    assert seen["refused legal"] <= 0.02 * seen.total()


def test_nothing_illegal_is_accepted() -> None:
    _assert_useful(_run(120))


@pytest.mark.long
def test_nothing_illegal_is_accepted_for_long() -> None:
    _assert_useful(_run(20_000))
