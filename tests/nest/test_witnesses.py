"""Only iterations that a run has are shown; what else is not legal is refused as not proved, with what the proof lacked."""

from __future__ import annotations

import pytest

from rv.evolution.facts import Legal
from tensorrv.nest.legality.proof import check_brush, check_threads
from tensorrv.report.diagnostics import Diagnostic
from tests.nest.c_text import brush_of, header, nests_of


def check(text: str, **sizes: int) -> Legal | Diagnostic:
    nests = nests_of(text)
    return check_brush(nests, brush_of(nests, **sizes))


def refused(text: str, **sizes: int) -> Diagnostic:
    outcome = check(text, **sizes)
    assert isinstance(outcome, Diagnostic), "the brush was accepted"
    return outcome


FIRST_ONLY = "void f(int n, double *restrict A) { for (int i = 0; i < n; i++) if (i < 1) A[i + 1] = A[i]; }"


def test_iterations_that_do_not_happen_are_not_shown() -> None:
    found = refused(FIRST_ONLY, i=8)
    assert found.code == "TRV316" and "is accessed under a condition" in found.message
    assert [related.label for related in found.related] == ["that another iteration accesses here"]


def test_iterations_under_a_condition_that_happen_are_shown() -> None:
    found = refused(FIRST_ONLY.replace("i < 1", "i < 2"), i=8)
    assert found.code == "TRV305" and "iterations (i=0) and (i=1) at once" in found.message


def test_conditions_on_data_are_tried() -> None:
    loop = "for (int i = 0; i < n; i++) if (x[i] > 0) A[i + 1] = A[i];"
    assert refused(f"void f(int n, const double *restrict x, double *restrict A) {{ {loop} }}", i=8).code == "TRV305"


@pytest.mark.parametrize(
    ("one", "other", "lacked"),
    [
        ("t & p", "t * 2 + 1 + p", "the subscript `t & p` is not affine, and nothing is known about its value"),
        ("t * t", "(t + 2) * (t + 1) + 1", "the search for conflicting iterations was inconclusive"),
    ],
)
def test_what_the_proof_lacked(one: str, other: str, lacked: str) -> None:
    body = f"for (int i = 1; i < 9; i++) u[{other}][i] = u[{one}][i - 1];"
    text = f"void f(int n, unsigned short p, double (*restrict u)[10]) {{ for (int t = 0; t < n; t++) {{ {body} }} }}"
    found = refused(text, i=8)
    assert found.code == "TRV316" and lacked in found.message


def test_threads_are_refused_in_the_same_words() -> None:
    nests = nests_of(FIRST_ONLY)
    found = check_threads(nests, header(nests, "i"))
    assert isinstance(found, Diagnostic) and found.code == "TRV316"


def test_values_of_variables_that_do_not_count() -> None:
    text = "void f(int n, int step, double *restrict A) { for (int i = 5; i < n; i += step) A[i] = A[i - step]; }"
    found = refused(text, i=4)
    assert found.code == "TRV305" and "step=1, n=50, it runs iterations (i=5) and (i=6) at once" in found.message


BUFFERS = "void f(int m, int n, double u[restrict 3][n]) {{ {before} for (int t = 0; t < m; t++) {{ {inside} {loop} {after} }} }}"


@pytest.mark.parametrize(
    ("before", "inside", "one", "other", "after", "legal"),
    [
        ("", "", "t % 3", "(t + 1) % 3", "", True),
        ("", "", "t % 3", "(t + 3) % 3", "", False),
        ("", "int a = t % 3, b = (t + 2) % 3;", "a", "b", "", True),
        ("", "", "t & 1", "(t + 1) & 1", "", True),
        ("", "", "t & 1", "(t + 2) & 1", "", False),
        ("int c = 0;", "", "c", "1 - c", "c = 1 - c;", True),
        ("int c = 0;", "", "c", "c ^ 1", "c ^= 1;", True),
        ("int c = 1;", "", "c", "!c", "c = !c;", True),
        ("int a = 0, b = 1, c = 2, s;", "", "a", "c", "s = a; a = b; b = c; c = s;", True),
        ("int a = 0, b = 1, c = 0, s;", "", "a", "c", "s = a; a = b; b = c; c = s;", False),
        ("", "int c = t % 2 ? 1 : 0;", "c", "1 - c", "", True),
    ],
)
def test_buffers_in_turn(before: str, inside: str, one: str, other: str, after: str, legal: bool) -> None:
    loop = f"for (int i = 1; i < n - 1; i++) u[{other}][i] = u[{one}][i - 1] + u[{one}][i + 1];"
    outcome = check(BUFFERS.format(before=before, inside=inside, loop=loop, after=after), i=8)
    assert isinstance(outcome, Legal) == legal
    assert legal or (isinstance(outcome, Diagnostic) and outcome.code == "TRV305")


@pytest.mark.parametrize(
    ("body", "legal"),
    [
        ("to[x[i]] = from[i];", True),
        ("to[x[i]] = from[i]; to[x[i] + 1] = 2;", False),
        ("to[x[i]] = from[i] + to[i];", False),
        ("to[x[i]] += from[i];", False),
        ("if (from[i] > 0) to[x[i]] = 1; else to[x[i] + 1] = 2;", False),
        ("for (int k = 0; k < 3; k++) to[x[i] + k] = from[i];", False),
        ("to[i / 2] = from[i];", True),
    ],
)
def test_scatters_keep_the_order_of_iterations(body: str, legal: bool) -> None:
    loop = f"for (int i = 0; i < n; i++) {{ {body} }}"
    text = f"void f(int n, float *restrict to, const float *restrict from, const int *restrict x) {{ {loop} }}"
    assert isinstance(check(text, i=8), Legal) == legal


def test_scatters_are_not_divided_among_threads_or_brushed_in_two_dimensions() -> None:
    loops = "for (int j = 0; j < n; j++) for (int i = 0; i < n; i++) to[x[i] + j] = from[i];"
    nests = nests_of(f"void f(int n, float *restrict to, const float *restrict from, const int *restrict x) {{ {loops} }}")
    assert isinstance(check_brush(nests, brush_of(nests, i=8)), Legal)
    for found in (check_brush(nests, brush_of(nests, j=2, i=8)), check_threads(nests, header(nests, "i"))):
        assert isinstance(found, Diagnostic) and found.code == "TRV306"


STRUCT = "struct s { int n; float *x; int *k; }; void f(struct s *p, int m) { for (int i = 0; i < p->n; i++) BODY }"


def test_the_store_that_may_change_a_bound_is_named() -> None:
    found = refused(STRUCT.replace("BODY", "p->k[i] = i;"), i=8)
    assert found.code == "TRV301"
    assert [r.label for r in found.related] == ["this is read in every iteration", "because this store may change it"]
