"""Which loops threads may divide: against brute force on random nests, and the cases that a brush allows and threads do not."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping

import pytest
from hypothesis import HealthCheck, given, settings

from rv.evolution.facts import Legal
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.proof import check_brush, check_threads
from tensorrv.report.diagnostics import Diagnostic
from tests.nest.affine_programs import Nest, Statement, lower, variables
from tests.nest.c_text import brush_of, nests_of
from tests.nest.test_legality_fuzz import SIZES, nests

Touch = tuple[dict[str, int], object, bool]


def accesses(node: Nest | Statement, values: dict[str, int], sizes: Mapping[str, int]) -> Iterator[Touch]:
    """Every access of a nest: variables, element, whether it writes."""
    if isinstance(node, Statement):
        for element in (node.target, *node.sources):
            yield values, element.place(values), element is node.target
        return
    for value in node.values(sizes):
        for child in node.body:
            yield from accesses(child, {**values, node.variable: value}, sizes)


def shares(nest: Nest, variable: str, sizes: Mapping[str, int]) -> bool:
    """Whether two iterations of the loop touch one element, one of them writing it, in one iteration of the loops around."""
    names = list(variables(nest))
    around = names[: names.index(variable)]
    readers: dict[object, set[int]] = {}
    writers: dict[object, set[int]] = {}
    for values, place, writes in accesses(nest, {}, sizes):
        if variable in values:
            key = (place, *(values[name] for name in around))
            readers.setdefault(key, set()).add(values[variable])
            if writes:
                writers.setdefault(key, set()).add(values[variable])
    return any(len(readers[key]) > 1 for key in writers)


def check(nest: Nest, seen: Counter[str]) -> None:
    facts = analyze_nests(lower(nest))
    for variable in variables(nest):
        outcome = check_threads(facts, f"{variable}.head")
        accepted = isinstance(outcome, Legal)
        shared = any(shares(nest, variable, sizes) for sizes in SIZES if not isinstance(outcome, Legal) or holds(outcome, sizes))
        assert not (accepted and shared), f"{nest}: iterations of {variable} share an element, and it was accepted"
        seen[f"{'accepted' if accepted else 'refused'} {'shared' if shared else 'apart'}"] += 1


def holds(legal: Legal, sizes: Mapping[str, int]) -> bool:
    return all(c.polynomial.valued(sizes) >= 0 for c in legal.conditions)


def run(examples: int) -> Counter[str]:
    seen: Counter[str] = Counter()
    checked = given(nests())(lambda nest: check(nest, seen))
    settings(max_examples=examples, deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck))(
        checked
    )()
    return seen


@pytest.mark.parametrize("examples", [150, pytest.param(10_000, marks=pytest.mark.long)])
def test_nothing_shared_is_accepted(examples: int) -> None:
    seen = run(examples)
    assert seen["accepted apart"] > 20 and seen["refused shared"] > 20
    assert seen["refused apart"] <= 0.05 * seen.total(), seen


def divided(text: str, variable: str, **options: object) -> Legal | Diagnostic:
    facts = nests_of(text)
    (header,) = (loop.header for loop in facts.loops.values() if loop.name == variable)
    return check_threads(facts, header, **options)  # type: ignore[arg-type]


FAR = "void f(int n, double A[restrict n]) { for (int j = 8; j < n; j++) A[j] = A[j - 8] + 1; }"
STEPPED = """void f(int n, double A[restrict n], double B[restrict n])
{ for (int j = 1; j < n; j++) { A[j] = B[j]; B[j - 1] = A[j - 1]; } }"""
SUM = "int f(int n, const int A[restrict n]) { int s = 0; for (int j = 0; j < n; j++) s += A[j]; return s; }"


@pytest.mark.parametrize(
    ("text", "code"), [(FAR, "TRV321"), (STEPPED, "TRV321"), (SUM, "TRV320")], ids=["far", "in step", "sum"]
)
def test_what_a_brush_may_do_and_threads_may_not(text: str, code: str) -> None:
    facts = nests_of(text)
    assert isinstance(check_brush(facts, brush_of(facts, j=4)), Legal)
    outcome = divided(text, "j")
    assert isinstance(outcome, Diagnostic)
    assert outcome.code == code


def test_the_refusal_shows_two_iterations() -> None:
    outcome = divided(FAR, "j")
    assert isinstance(outcome, Diagnostic)
    assert outcome.message == (
        "the iterations of the loop over `j` cannot be divided among threads: "
        "with n=17, iterations (j=8) and (j=16) share an element of `A`"
    )
    assert outcome.label == "iteration (j=8) writes A[8]"


def test_the_user_may_answer() -> None:
    assert isinstance(divided(FAR, "j", assume_parallel=frozenset({"j"})), Legal)


def test_arrays_that_may_overlap_are_checked_at_run_time() -> None:
    outcome = divided("void f(int n, double *A, double *B) { for (int j = 0; j < n; j++) A[j] = B[j]; }", "j")
    assert isinstance(outcome, Legal)
    assert outcome.overlaps
