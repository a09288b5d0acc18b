"""The elements that a kernel touches, against a trace of the scalar interpreter's loops written by hand."""

import numpy as np
import pytest

from tensorrv.check.ulps import FAR, greatest_distance
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.facts import innermost_iterations, interface_of
from tensorrv.interface.nest_reaches import violation
from tensorrv.interface.reach import NOTHING, Reach


def interface(text):
    return interface_of(parse_c("k.c", text=text).functions[0])


def reach(text, array, **values):
    return interface(text).reaches(values)[array]


FLAT = "void f(int n, int m, double *a) { for (int j = 1; j < n; ++j) for (int i = 0; i < m - 1; ++i) a[j * m + i + 1] = 0; }"


def test_flattened_subscripts():
    assert reach(FLAT, "a", n=4, m=5) == Reach(6, 19)
    assert reach(FLAT, "a", n=1, m=5) == NOTHING
    assert reach(FLAT, "a", n=4, m=1) == NOTHING


def test_steps_and_counting_down():
    assert reach("void f(int n, int a[]) { for (int i = 0; i < n; i += 3) a[i] = 0; }", "a", n=8) == Reach(0, 6)
    assert reach("void f(int n, int a[]) { for (int i = n - 1; i >= 0; --i) a[2 * i] = 0; }", "a", n=4) == Reach(0, 6)


def test_triangles_are_covered():
    text = "void f(int n, int *a) { for (int j = 0; j < n; ++j) for (int i = 0; i < j; ++i) a[j + i] = 0; }"
    found = reach(text, "a", n=5)
    assert found.low <= 1
    assert found.high >= 7


def test_conditional_accesses_count():
    text = "void f(int n, int k, int *a) { for (int i = 0; i < n; ++i) if (i < k) a[i] = 0; }"
    found = reach(text, "a", n=9, k=2)
    assert found == Reach(0, 8)


def test_unknown():
    text = "void f(int n, const int *s, int *a, const int *b) { for (int i = 0; i < n; ++i) a[i] = b[s[i]]; }"
    found = interface(text).reaches({"n": 3})
    assert found["b"] is None
    assert found["s"] == found["a"] == Reach(0, 2)


def test_uses_of_arrays():
    text = "void f(int n, int s[n], int a[n], int b[n]) { for (int i = 0; i < n; ++i) a[i] = b[s[i]]; }"
    arrays = {a.name: a for a in interface(text).signature.arrays}
    assert [name for name, a in arrays.items() if a.written] == ["a"]
    assert [name for name, a in arrays.items() if a.subscript] == ["s"]


@pytest.mark.parametrize(
    ("parameters", "body", "sizes"),
    [
        ("int n, double a[n]", "for (int i = 0; i < n; ++i) a[i] = 0;", {"n"}),
        ("int n, int t, double *a", "for (int k = 0; k < t; ++k) for (int i = 0; i < n; ++i) a[i] += 1;", {"n"}),
        ("int n, int c, int *a", "for (int i = 0; i < n; ++i) a[i] = c;", {"n"}),
        ("long n, unsigned m, float x, float a[n][m]", "for (long i = 0; i < n; ++i) a[i][0] = x;", {"n", "m"}),
    ],
)
def test_sizes(parameters, body, sizes):
    assert interface(f"void f({parameters}) {{ {body} }}").signature.sizes == sizes


def test_unsigned_bounds_that_wrap_are_no_sizes():
    text = "void f(unsigned long n, int *a) { for (unsigned long i = 0; i < n - 1; ++i) a[i] = 0; }"
    nests = interface(text).nests
    assert violation(nests, {"n": 1}) is None
    assert "wrap" in violation(nests, {"n": 0}).why


def test_iterations():
    nests = interface(FLAT).nests
    assert innermost_iterations(nests, {"n": 4, "m": 5}) == 12
    assert innermost_iterations(nests, {"n": 0, "m": 5}) == 0
    triangle = interface("void f(int n, int *a) { for (int j = 0; j < n; ++j) for (int i = 0; i < j; ++i) a[i] = j; }").nests
    assert innermost_iterations(triangle, {"n": 4}) is None


def test_ulps():
    one, more = np.array([1.0, np.nan, 0.0]), np.array([np.nextafter(np.nextafter(1.0, 2), 2), np.nan, -0.0])
    assert greatest_distance(one, more) == 2
    assert greatest_distance(one.astype("f4"), one.astype("f4")) == 0
    tiny = np.array([5e-324])
    assert greatest_distance(tiny, -tiny) == 2
    assert greatest_distance(np.array([np.inf]), np.array([-np.inf])) == FAR
    assert greatest_distance(np.array([3]), np.array([9])) == 0
