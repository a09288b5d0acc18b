"""What an interactive session shows: names, short texts, signatures, pictures; outputs that are made, and loops over time."""

import inspect
from pathlib import Path

import numpy as np
import pytest

import rv
import tensorrv as trv
from tensorrv.api.tuning import tune
from tensorrv.report.in_python import in_python

WAVE = """void wave(int n, double c, const double old[restrict n], const double u[restrict n], double new[restrict n])
{ for (int i = 1; i < n - 1; i++) new[i] = 2 * u[i] - old[i] + c * (u[i - 1] - 2 * u[i] + u[i + 1]); }"""
TWO = """int two(int n, const int a[n], int b[restrict n], int c[restrict 2 * n])
{ for (int i = 0; i < n; i++) { b[i] = 2 * a[i]; c[i] = 3 * a[i]; } return n; }"""
IN_PLACE = "void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] *= 2; }"
SUM = "double sum(int n, const double a[n]) { double s = 0; for (int i = 0; i < n; i++) s += a[i]; return s; }"
RANDOM = np.random.default_rng(1)


@pytest.fixture(scope="module")
def jacobi():
    return trv.compile("jacobi5", brush=(2, 8))


def test_completion_lists_the_interface_and_nothing_else():
    assert dir(trv) == sorted(trv.__all__)
    assert dir(rv) == sorted(rv.__all__)


def test_texts_are_short(jacobi):
    assert len(repr(jacobi)) < 250
    assert len(repr(trv.stencil({1: 1.0}))) < 80
    step = "double step(double x) { return x < 0 ? 2 * x : x; }"
    vector = trv.vectorize_function(rv_function(step), width=4, target="avx2")
    assert repr(vector) == "<vector version step_4 of step(), target avx2>"


def rv_function(text):
    from tensorrv.frontend.c.module import parse_c

    return parse_c("f.c", text=text).functions[0]


def test_signatures_are_whole(jacobi):
    assert str(inspect.signature(jacobi)) == "(A, B=None, *, rows=None, cols=None)"
    assert str(inspect.signature(trv.compile(WAVE, brush=8))) == "(c, old, u, new=None, *, n=None)"
    assert "ranges" in inspect.signature(tune).parameters and "arguments" in (tune.__doc__ or "")


def test_notebooks_show_footprints(jacobi, tmp_path: Path):
    html = jacobi._repr_html_()
    assert html.count("<svg") == 2 and "jacobi5" in html and "accesses" in html
    picture = jacobi.plot()
    picture.save(tmp_path / "a.html")
    assert "<svg" in (tmp_path / "a.html").read_text() and repr(picture) == "<picture of jacobi5>"


def test_arrays_that_are_only_written_are_made(jacobi):
    A, B = RANDOM.random((20, 30)), np.zeros((20, 30))
    jacobi(A, B)
    for _ in range(2):
        assert np.array_equal(jacobi(A), B)
    assert np.array_equal(jacobi(A=A), B)
    count, b, c = trv.compile(TWO, brush=8)(np.arange(9, dtype=np.int32))
    assert count == 9 and np.array_equal(b, 2 * np.arange(9)) and c.shape == (18,) and not c[9:].any()


def test_arrays_that_are_read_are_not_made(jacobi):
    with pytest.raises(TypeError, match="missing the array 'a'"):
        trv.compile(IN_PLACE, brush=8)(n=9)
    with pytest.raises(TypeError, match="must have dtype float64"):
        jacobi(np.zeros((4, 4), np.float32))
    alone = trv.compile("void f(int n, double a[n]) { for (int i = 0; i < n; i++) a[i] = 2; }", brush=8)
    assert np.array_equal(alone(5), np.full(5, 2.0))
    with pytest.raises(TypeError, match="missing the array 'a', whose shape"):
        alone()


@pytest.mark.parametrize("steps", [0, 1, 4, 5])
def test_steps_exchange_arrays(jacobi, steps):
    A, B = RANDOM.random((20, 30)), RANDOM.random((20, 30))
    now, other = A.copy(), B.copy()
    for _ in range(steps):
        jacobi(now, other)
        now, other = other, now
    found = jacobi.run(steps, A, B)
    assert np.array_equal(found["A"], now) and np.array_equal(found["B"], other)


def test_three_arrays_rotate():
    kernel = trv.compile(WAVE, brush=8)
    old, u, new = (RANDOM.random(30) for _ in range(3))
    a, b, c = old.copy(), u.copy(), new.copy()
    for _ in range(4):
        kernel(old=a, u=b, new=c, c=0.25)
        a, b, c = b, c, a
    found = kernel.run(4, old=old, u=u, new=new, c=0.25, swap=("old", "u", "new"))
    assert np.array_equal(found["u"], b) and np.array_equal(found["old"], a)
    with pytest.raises(ValueError, match="give swap="):
        kernel.run(1, 0.25, old, u, new)
    for swap in (("u",), ("u", "u"), ("u", "x")):
        with pytest.raises(ValueError, match=r"does not exchange|has no array 'x'"):
            kernel.run(1, 0.25, old, u, new, swap=swap)


def test_refusals_name_options_as_python_does():
    with pytest.raises(trv.Refused) as refusal:
        trv.compile(SUM, brush=8)
    assert 'fp="fast"' in "".join(refusal.value.__notes__) and "--fp" not in "".join(refusal.value.__notes__)
    translated = in_python("--assume-no-alias, --tail mask or --brush j=4,i=8.")
    assert translated == 'assume_no_alias=True, tail="mask" or brush="j=4,i=8".'


def test_arrays_in_fortran_order_and_strided_ones_say_what_to_do(jacobi):
    with pytest.raises(ValueError, match=r"Fortran order: .*np.ascontiguousarray"):
        jacobi(np.asfortranarray(np.zeros((4, 5))), np.zeros((4, 5)))
    whole = np.zeros((9, 5))
    jacobi(whole[2:7], np.zeros((5, 5)))
    with pytest.raises(ValueError, match="contiguous in C order"):
        jacobi(whole[::2], np.zeros((5, 5)))
    with pytest.raises(TypeError, match="complex128, which no kernel takes"):
        jacobi(np.zeros((4, 5), complex), np.zeros((4, 5)))
