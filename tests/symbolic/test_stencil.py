"""Stencils by weights against NumPy, in every boundary mode, for domains that are smaller than the stencil too."""

import itertools

import numpy as np
import pytest

import tensorrv as trv
from tensorrv.frontend.symbolic.boxes import BOUNDARIES

PAD = {"periodic": "wrap", "reflect": "symmetric", "nearest": "edge", "constant": "constant"}
LOPSIDED = {(0, 0): -4.0, (0, 1): 1.0, (-2, 0): 0.25, (1, -1): -1.0}
LINE = {-1: 0.5, 3: 0.25, 0: -1.0}
CUBE = {(0, 0, 0): -6.0, (0, 0, 1): 1.5, (0, -1, 0): 0.75, (1, 0, -1): 2.0, (-1, 1, 1): 1.0}


def expected(weights, a, boundary, outside, before):
    """The sum in the order of the weights, on a padded array; points that are left are those of `before`."""
    points = {key if isinstance(key, tuple) else (key,): w for key, w in weights.items()}
    width = [(max(0, *(-p[d] for p in points)), max(0, *(p[d] for p in points))) for d in range(a.ndim)]
    if boundary == "leave":
        result = before.copy()
        inner = tuple(slice(lo, n - hi) for (lo, hi), n in zip(width, a.shape, strict=True))
        if all(n - hi > lo for (lo, hi), n in zip(width, a.shape, strict=True)):
            whole = expected(weights, a, "constant", 0.0, before)
            result[inner] = whole[inner]
        return result
    options = {"constant_values": outside} if boundary == "constant" else {}
    padded = np.pad(a, width, mode=PAD[boundary], **options)
    total = None
    for point, weight in points.items():
        window = tuple(slice(w[0] + o, w[0] + o + n) for w, o, n in zip(width, point, a.shape, strict=True))
        term = a.dtype.type(weight) * padded[window]
        total = term if total is None else total + term
    return total


def check(kernel, weights, shape, dtype, boundary, outside):
    random = np.random.default_rng(1)
    a, b = random.standard_normal(shape).astype(dtype), random.standard_normal(shape).astype(dtype)
    wanted = expected(weights, a, boundary, outside, b)
    kernel(a, b)
    np.testing.assert_array_equal(b, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(b[known]), np.signbit(wanted[known]))


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_two_dimensions(boundary):
    kernel = trv.stencil(LOPSIDED, boundary=boundary, outside=2.5).compile(brush=(2, 8))
    for shape in itertools.product((1, 2, 3, 5, 20), (1, 2, 3, 9, 41)):
        check(kernel, LOPSIDED, shape, np.float64, boundary, 2.5)


@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_one_dimension(boundary):
    kernel = trv.stencil(LINE, np.float32, boundary=boundary, outside=-1.0).compile(brush=16)
    for length in (1, 2, 3, 4, 5, 17, 100):
        check(kernel, LINE, (length,), np.float32, boundary, -1.0)


@pytest.mark.long
@pytest.mark.parametrize("boundary", BOUNDARIES)
def test_three_dimensions(boundary):
    kernel = trv.stencil(CUBE, boundary=boundary).compile(brush=(2, 4))
    for shape in itertools.product((1, 2, 7), (1, 3, 6), (1, 2, 19)):
        check(kernel, CUBE, shape, np.float64, boundary, 0.0)


@pytest.mark.parametrize("dtype", [float, "float", np.float32, np.dtype("f4"), "double"])
def test_types_mean_what_they_mean_in_numpy(dtype):
    check(trv.stencil(LINE, dtype).compile(brush=8), LINE, (40,), np.dtype(dtype), "leave", 0.0)


def test_zeros_keep_their_sign_and_type():
    weights = {np.int64(0): -0.0, -1: np.float32(-0.0), 1: 0}
    for outside in (0, np.float64(0), -0.0):
        kernel = trv.stencil(weights, "float32", boundary="constant", outside=outside).compile(brush=8)
        check(kernel, weights, (20,), np.float32, "constant", outside)
        assert "fpext" not in kernel.llvm
    a, b = np.full(20, 5.0), np.zeros(20)
    trv.stencil({0: -0.0, 1: -0.0}).compile(brush=8)(a, b)
    assert np.signbit(b[:-1]).all()


@pytest.mark.parametrize("outside", [np.inf, -np.inf, np.nan])
def test_what_is_outside_need_not_be_finite(outside):
    check(trv.stencil(LINE, boundary="constant", outside=outside).compile(brush=8), LINE, (23,), np.float64, "constant", outside)


def test_dimensions_without_reach_are_not_cut():
    text = trv.stencil({(0, 1): 1.0, (0, 0): -1.0}, boundary="periodic", name="forward").c
    assert "j_low" not in text and "j_high" not in text and "i_low" not in text and "i_high" in text


@pytest.mark.parametrize(
    "weights, options, message",
    [
        ({}, {}, "offsets"),
        ({(0, 1): 1.0, 2: 1.0}, {}, "offsets"),
        ({(0.5,): 1.0}, {}, "offsets"),
        ({0: float("nan")}, {}, "finite"),
        ({0: 1e300}, {"dtype": "float32"}, "does not fit 'float'"),
        ({0: 1.0, (0,): 2.0}, {}, "two weights"),
        ({0: 1.0}, {"dtype": np.int32}, "float32 or float64"),
        ({0: 1.0}, {"dtype": ">f8"}, "float32 or float64"),
        ({0: 1.0}, {"dtype": "quick"}, "not a type"),
        ({0: 1.0}, {"boundary": "mirror"}, "boundary mode"),
        ({0: 1.0}, {"name": "a b"}, "name in C"),
        ({0: 1.0}, {"name": "for"}, "name in C"),
    ],
)
def test_what_makes_no_stencil(weights, options, message):
    with pytest.raises(ValueError, match=message):
        trv.stencil(weights, **options)


@pytest.mark.parametrize("weights", [np.ones((3, 3)), [1.0, 2.0], None, "jacobi5", 3, {(0, 1)}])
def test_weights_are_a_dictionary(weights):
    with pytest.raises(TypeError, match="the weights of a stencil are a dictionary"):
        trv.stencil(weights)


@pytest.mark.parametrize("weight", ["a", 1j, np.ones(3), None])
def test_weights_are_numbers(weight):
    with pytest.raises(TypeError, match="the weights of a stencil are real numbers"):
        trv.stencil({(0, 0): weight})


@pytest.mark.parametrize("rank", [4, 6, 8])
def test_many_dimensions(rank):
    kernel = trv.stencil({(0,) * rank: 1.0, (*(0,) * (rank - 1), 1): 2.0}).compile()
    a, b = np.random.default_rng(1).random((2, *(2,) * (rank - 1), 9))
    kernel(a, b)
    assert (b[..., :-1] == a[..., :-1] + 2 * a[..., 1:]).all()
