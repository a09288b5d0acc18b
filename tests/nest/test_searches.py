"""Which loops that end where they find something may run several iterations at once, and why others may not."""

from __future__ import annotations

import pytest

from rv.transform.prepare import prepare
from tensorrv.frontend.c.module import parse_c
from tensorrv.nest.idioms.searches import NoSearch, Search, find_searches
from tensorrv.pipeline.kernel import declared_arrays


def searches(body: str, parameters: str = "int n, int x, const int a[restrict n]") -> tuple[Search | NoSearch, ...]:
    text = f"int f({parameters}) {{ int r = -1; {body} return r; }}"
    (function,) = parse_c("searches.c", text=text).functions
    return find_searches(prepare(function.function), declared_arrays(function))


@pytest.mark.parametrize(("body", "parameters"), [
    ("for (int i = 0; i < n; i++) if (a[i] == x) return i;", "int n, int x, const int a[restrict n]"),
    ("for (int i = 0; i <= n; i++) if (a[i] == x) return i;", "int n, int x, const int a[restrict n + 1]"),
    ("for (int i = 0; i < n; i++) if (a[2 * i + 1] == x) return i;", "int n, int x, const int a[restrict 2 * n]"),
    ("for (int i = n - 1; i >= 0; i--) if (a[i] == x) return i;", "int n, int x, const int a[restrict n]"),
    ("for (long i = 1; i < 40; i += 3) if (a[i - 1] == x) return i;", "int n, int x, const int a[restrict 39]"),
    ("for (int i = x; i < n; i++) if (a[i] == x) return i;", "int n, int x, const int a[restrict n]"),
])  # fmt: skip
def test_arrays_that_cover_all_iterations(body: str, parameters: str) -> None:
    (found,) = searches(body, parameters)
    assert isinstance(found, Search) and found.name == "i"


@pytest.mark.parametrize(("body", "parameters", "reason"), [
    ("for (int i = 0; i < n; i++) if (a[i] == x) return i;", "int n, int x, const int *restrict a", "elements of `a`"),
    ("for (int i = 0; i <= n; i++) if (a[i] == x) return i;", "int n, int x, const int a[restrict n]", "elements of `a`"),
    ("for (int i = 0; i < n; i++) if (a[i + 1] == x) return i;", "int n, int x, const int a[restrict n]", "elements of `a`"),
    ("for (int i = x; i < n; i++) if (i > 3 && a[i] == x) return i;", "int n, int x, const int a[restrict n]", "elements of `a`"),
    ("for (int i = 0; i < n; i++) if (a[a[i]] == x) return i;", "int n, int x, const int a[restrict n]", "elements of `a`"),
    ("for (int i = 0; i < n; i++) { r += a[i]; if (r > x) break; }", "int n, int x, const int a[restrict n]", "carries `r`"),
    ("for (int i = 0; i < n; i++) { if (a[i] == x) return i; a[i] = 1; }", "int n, int x, int a[restrict n]", "side effects"),
    ("for (int i = 0; i < n; i++) if (x / a[i] == 3) return i;", "int n, int x, const int a[restrict n]", "may be 0"),
])  # fmt: skip
def test_reasons(body: str, parameters: str, reason: str) -> None:
    (found,) = searches(body, parameters)
    assert isinstance(found, NoSearch) and reason in found.reason


@pytest.mark.parametrize("body", [
    "for (int i = 0; i < n; i++) r += a[i];",
    "for (int i = 0; a[i] != x; i++) r = i;",
    "for (int i = 0; i != x; i += n) if (a[i] == x) return i;",
])  # fmt: skip
def test_loops_of_another_kind(body: str) -> None:
    assert searches(body) == ()
