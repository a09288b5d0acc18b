"""sympy's assignments as kernels, against the same formulas evaluated by NumPy."""

import numpy as np
import pytest
import sympy
from sympy import Function, Idx, IndexedBase, Max, Piecewise, Rational, exp, sqrt, symbols
from sympy.codegen.ast import Assignment

import tensorrv as trv

rows, cols, n = symbols("rows cols n", integer=True)
j, i = Idx("j", (1, rows - 2)), Idx("i", (1, cols - 2))
A, B, C = IndexedBase("A"), IndexedBase("B"), IndexedBase("C")
w = sympy.Symbol("w")


def arrays(count, shape=(20, 37), dtype=np.float64):
    random = np.random.default_rng(3)
    return [random.standard_normal(shape).astype(dtype) for _ in range(count)]


def test_mean_of_neighbours():
    kernel = trv.from_sympy(Assignment(B[j, i], Rational(1, 4) * (A[j, i - 1] + A[j, i + 1] + A[j - 1, i] + A[j + 1, i])))
    a, b = arrays(2)
    wanted = b.copy()
    wanted[1:-1, 1:-1] = 0.25 * a[1:-1, :-2] + 0.25 * a[1:-1, 2:] + 0.25 * a[:-2, 1:-1] + 0.25 * a[2:, 1:-1]
    kernel.compile(brush=(2, 8))(a, b)
    np.testing.assert_allclose(b, wanted, rtol=1e-12, atol=1e-15)


def test_several_statements_and_arrays_in_order():
    program = [Assignment(B[j, i], w * A[j, i] ** 2), Assignment(C[j, i], B[j, i] - A[j, i] ** -1)]
    kernel = trv.from_sympy(program)
    assert kernel.c.index("int rows, int cols, double w, const double A") > 0
    a, b, c = arrays(3)
    kernel.compile(brush=8)(a, b, c, w=1.5)
    inner = np.s_[1:-1, 1:-1]
    np.testing.assert_array_equal(b[inner], 1.5 * (a * a)[inner])
    np.testing.assert_array_equal(c[inner], (b - 1.0 / a)[inner])


def test_functions_conditions_and_single_precision():
    value = Piecewise((exp(A[j, i]), A[j, i] > 0), (Max(A[j + 1, i], 0), True)) + sqrt(A[j, i] ** 2)
    kernel = trv.from_sympy(Assignment(B[j, i], value), dtype="float32")
    assert "expf(" in kernel.c and "fmaxf(" in kernel.c
    a, b = arrays(2, dtype=np.float32)
    kernel.compile(brush=(2, 8))(a, b)
    inner, below = a[1:-1, 1:-1], a[2:, 1:-1]
    wanted = np.where(inner > 0, np.exp(inner), np.maximum(below, 0)) + np.abs(inner)
    np.testing.assert_allclose(b[1:-1, 1:-1], wanted, rtol=1e-6)


def test_ranges_name_the_lengths():
    y, x = symbols("y x", cls=Idx)
    D, E = IndexedBase("D", shape=(rows, cols)), IndexedBase("E", shape=(rows, cols))
    kernel = trv.from_sympy(Assignment(E[y, x], 2 * D[y, x]), {y: (0, rows), x: (0, cols)})
    d, e = arrays(2)
    kernel.compile(brush=(4, 8))(d, e)
    np.testing.assert_array_equal(e, 2 * d)


def test_one_and_three_dimensions():
    k = Idx("k", (0, n - 1))
    line = trv.from_sympy(Assignment(B[k], A[k] * 3)).compile(brush=8)
    a, b = arrays(2, (29,))
    line(a, b)
    np.testing.assert_array_equal(b, a * 3)
    shape = symbols("p q r", integer=True)
    z, y, x = (Idx(name, length) for name, length in zip("zyx", shape, strict=True))
    V, W = IndexedBase("V", shape=shape), IndexedBase("W", shape=shape)
    cube = trv.from_sympy(Assignment(W[z, y, x], V[z, y, x] - 1)).compile(brush=(2, 4))
    a, b = arrays(2, (3, 5, 7))
    cube(a, b)
    np.testing.assert_array_equal(b, a - 1)


@pytest.mark.parametrize("boundary, mode", [("periodic", "wrap"), ("reflect", "symmetric"), ("nearest", "edge")])
def test_boundaries(boundary, mode):
    y, x = Idx("y", rows), Idx("x", cols)
    kernel = trv.from_sympy(Assignment(B[y, x], A[y - 1, x] - A[y, x + 2]), boundary=boundary).compile(brush=(2, 8))
    for shape in ((1, 1), (2, 3), (9, 21)):
        a, b = arrays(2, shape)
        padded = np.pad(a, ((1, 0), (0, 2)), mode=mode)
        kernel(a, b)
        np.testing.assert_array_equal(b, padded[:-1, : shape[1]] - padded[1:, 2:])


COUNT = Idx("c", n)
NUMBER = {
    "fractions of indices": (COUNT / n, lambda c, n, a: c / n),
    "no overflow": (COUNT**3 / n**3, lambda c, n, a: (c * c * c) / (n * n * n)),
    "Mod of numbers": (sympy.Mod(A[COUNT], 3), lambda c, n, a: np.mod(a, 3.0)),
    "Mod by a negative": (sympy.Mod(A[COUNT], -3), lambda c, n, a: np.mod(a, -3.0)),
    "Mod of indices": (sympy.Mod(COUNT - 7, 3), lambda c, n, a: np.mod(c - 7, 3)),
    "signs": (sympy.sign(A[COUNT]) / sympy.sign(A[COUNT] - 1) / 2, lambda c, n, a: np.sign(a) / np.sign(a - 1) / 2),
    "conditions of indices": (Piecewise((1, COUNT < n - 3), (2, True)) / 3, lambda c, n, a: np.where(c < n - 3, 1, 2) * (1 / 3)),
    "delta": (sympy.KroneckerDelta(COUNT, 3), lambda c, n, a: (c == 3) * 1.0),
    "large integers": (A[COUNT] * 10**20, lambda c, n, a: 1e20 * a),
}


@pytest.mark.parametrize("formula, wanted", NUMBER.values(), ids=NUMBER)
def test_integers_are_numbers(formula, wanted):
    kernel = trv.from_sympy(Assignment(B[COUNT], formula + 0 * A[COUNT])).compile(brush=8)
    length = 3001  # its third power is no int
    a, b = np.linspace(-9, 8, length), np.full(length, np.nan)
    kernel(*([a, b] if "const double A" in repr(kernel) else [b]))
    count = np.arange(float(length))
    np.testing.assert_allclose(b, wanted(count, float(length), a), rtol=1e-15, atol=1e-13)


def test_single_precision_is_single_throughout():
    formula = (sympy.pi + sqrt(2)) * A[COUNT] / COUNT + sympy.Integer(7) / 3
    kernel = trv.from_sympy(Assignment(B[COUNT], formula), dtype="float32")
    assert "double" not in kernel.c and "fpext" not in kernel.compile(brush=16).llvm


def test_in_place():
    kernel = trv.from_sympy(Assignment(A[j, i], A[j, i] + 1)).compile(brush=(2, 8))
    (a,) = arrays(1)
    wanted = a.copy()
    wanted[1:-1, 1:-1] += 1
    kernel(a)
    np.testing.assert_array_equal(a, wanted)


def test_compile_takes_formulas():
    a, b = arrays(2)
    trv.compile(trv.from_sympy(Assignment(B[j, i], A[j, i])), brush=(2, 8))(a, b)
    np.testing.assert_array_equal(b[1:-1, 1:-1], a[1:-1, 1:-1])


@pytest.mark.parametrize(
    "make, message",
    [
        (lambda: trv.from_sympy([]), "no assignment"),
        (lambda: trv.from_sympy(A[j, i]), "not an Assignment"),
        (lambda: trv.from_sympy(Assignment(B[j, i], Function("f")(A[j, i]))), "no counterpart in C"),
        (lambda: trv.from_sympy(Assignment(B[j, i], sympy.I * A[j, i])), "'I' has no counterpart in C"),
        (lambda: trv.from_sympy(Assignment(B[j, i], sympy.Sum(A[j, i] * w, (w, 0, 3)))), "no counterpart in C"),
        (lambda: trv.from_sympy(Assignment(B[j, i], Piecewise((sympy.zoo, w > 0), (1, True)))), "no counterpart in C"),
        (lambda: trv.from_sympy(Assignment(B[j, i], A[j, i] * 10**400)), "does not fit 'double'"),
        (lambda: trv.from_sympy(Assignment(B[j, i], sympy.Symbol("for") * A[j, i])), "'for' is not a name in C"),
        (lambda: trv.from_sympy(Assignment(B[j, i], sympy.Symbol("x'") * A[j, i])), "\"x'\"|'x'' is not a name in C"),
        (lambda: trv.from_sympy(Assignment(B[j, i], IndexedBase("rows")[j, i])), "'rows' names two things"),
        (lambda: trv.from_sympy(Assignment(B[j, i], A[j, i]), [(j, 0, 1)]), "ranges is a dictionary"),
        (lambda: trv.from_sympy(Assignment(B[j, i], A[j, i]), {"j": (0, rows)}), "is not an index"),
        (lambda: trv.from_sympy(Assignment(B[j, i], w * A[j * i, i])), "length of dimension 0 of 'A' is not known"),
        (lambda: trv.from_sympy(Assignment(B[j, i], w * A[j / 2, i])), "no integer, name, sum or product"),
        (lambda: trv.from_sympy(Assignment(B[j, i], w * A[2 * j, i]), boundary="nearest"), "constant distances"),
        (lambda: trv.from_sympy(Assignment(B[j, i], w * B[j, i - 1]), boundary="nearest"), "at the point itself only"),
        (lambda: trv.from_sympy(Assignment(B[j, i], A[j, i] + C[i]), boundary="nearest"), "constant distances"),
    ],
)
def test_what_makes_no_kernel(make, message):
    with pytest.raises(ValueError, match=message):
        make()
