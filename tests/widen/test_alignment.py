"""Where a loop begins with a masked brush so that the others store to whole cache lines."""

import pytest

import tensorrv as trv
from tensorrv.pipeline.explain.nests import explain

SUMS = "void f(int n, int m, const double a[restrict m][n], double b[restrict n]) { for (int i = 0; i < n; i++) { BODY } }"


def compiled(body, **options):
    return trv.compile(SUMS.replace("BODY", body), brush="i=8", target="avx512", **options)


def has_head(kernel):
    (report,) = explain(kernel.kernel.tensorized)
    return "until stores are aligned" in report.brushes[0]


@pytest.mark.parametrize(("body", "expected"), [
    ("b[i] = a[0][i];", True),
    ("double s = 0; for (int k = 0; k < m; k++) s += a[k][i]; b[i] = s;", False),
    ("double s = 0; for (int k = 0; k < 3; k++) s += a[k][i]; b[i] = s;", True),
    ("b[i] = 0; for (int k = 0; k < m; k++) b[i] += a[k][i];", False),  # stored behind the loop
    ("double s = a[0][i]; for (int k = 0; k < 99; k++) { if (s > 1) break; s *= s; } b[i] = s;", False),
])  # fmt: skip
def test_loops_of_any_length_are_not_run_once_more_for_aligned_stores(body, expected):
    assert has_head(compiled(body)) is expected


def test_stores_around_the_caches_are_always_aligned():
    kernel = compiled("double s = 0; for (int k = 0; k < m; k++) s += a[k][i]; b[i] = s;", stores="stream")
    assert has_head(kernel) and "!nontemporal" in kernel.llvm


@pytest.mark.parametrize(("divisions", "brushes"), [(0, 4), (1, 6), (8, 34)])
def test_long_bodies_need_more_brushes(divisions, brushes):
    body = "".join(f"x = {k + 1} / x;" for k in range(divisions))
    (nest,) = compiled(f"double x = a[0][i]; {body} b[i] = x;").kernel.tensorized.widened.context.nests
    assert nest.anchor.least_brushes == brushes
