"""Equations as people write them: temporaries, vectors, derivatives, staggered grids, and coefficients computed once."""

import runpy
from pathlib import Path

import numpy as np
import pytest
from sympy import Derivative, Eq, Function, Idx, IndexedBase, Matrix, Piecewise, Rational, sin, symbols
from sympy.codegen.ast import Assignment, CodeBlock

import tensorrv as trv

EXAMPLES = Path(__file__).parents[2] / "examples" / "python"
N = symbols("n", integer=True)
P = Idx("i", (1, N - 2))
A, B = IndexedBase("A"), IndexedBase("B")
H, W, T, X = symbols("h w t x")
F, G = Function("F"), Function("G")


def body(*equations, **options):
    """The lines of the C function."""
    text = trv.from_sympy(list(equations), **options).c
    lines = map(str.strip, text[text.index("{") + 1 : text.rindex("}")].splitlines())
    return [line for line in lines if line and "for" not in line]


def test_coefficients_are_computed_once():
    second = (A[P + 1] - 2 * A[P] + A[P - 1]) / H**2
    assert body(Assignment(B[P], A[P] + W * second)) == [
        "double c0 = 1.0 - 2.0*w/(h*h);", "double c1 = w/(h*h);", "B[i] = c0*A[i] + c1*(A[i + 1] + A[i - 1]);",
    ]  # fmt: skip
    assert len(body(Assignment(B[P], A[P] + W * second), simplify=False)) == 1
    first = Assignment(B[P], (A[P + 1] - A[P - 1]) / (2 * H))
    assert body(first) == ["double c0 = (1.0/2.0)/h;", "B[i] = c0*(A[i + 1] - A[i - 1]);"]
    assert body(Assignment(B[P], sin(W) * A[P] * (A[P + 1] + A[P] / H))) == [
        "double c0 = 1.0/h;", "double c1 = sin(w);", "B[i] = c1*(c0*A[i] + A[i + 1])*A[i];",
    ]  # fmt: skip


def test_formulas_without_costly_coefficients_are_printed_as_they_are():
    assert body(Assignment(B[P], W * (A[P + 1] - A[P]) + 3 * A[P])) == ["B[i] = w*(A[i + 1] - A[i]) + 3.0*A[i];"]
    assert body(Assignment(B[P], A[P] / A[P + 1])) == ["B[i] = A[i]/A[i + 1];"]


@pytest.mark.parametrize("seed", range(6))
def test_simplified_formulas_have_the_same_value(seed):
    random = np.random.default_rng(seed)
    parts = [A[P], A[P + 1] ** 2, (A[P] - A[P - 1] / H) * (A[P] + W / H), A[P] / H**2, T, T * A[P - 1] / W]
    parts.append(Piecewise((A[P] / H, A[P] > 0), (W, True)))
    formula = sum((int(k) * part for k, part in zip(random.integers(-3, 4, len(parts)), parts, strict=True)), A[P] / H)
    a, results = random.random(40), []
    for simplify in (True, False):
        kernel = trv.from_sympy(Assignment(B[P], formula), simplify=simplify)
        numbers = {name: value for name, value in {"h": 0.3, "w": 1.7, "t": 0.9}.items() if f" {name}," in kernel.c}
        results.append(np.zeros(40))
        kernel.compile(brush=8)(a, results[-1], **numbers)
    assert np.allclose(*results, rtol=1e-12, atol=1e-12) and results[0].any()


def test_temporaries_and_blocks():
    t = symbols("t")
    block = CodeBlock(Assignment(t, A[P] * A[P + 1]), Assignment(B[P], t * t + W))
    assert body(block) == ["{", "double t = A[i + 1]*A[i];", "B[i] = (t*t) + w;", "}"]
    a, b = np.arange(9.0), np.zeros(9)
    trv.from_sympy(block).compile(brush=4)(a, b, w=1.0)
    assert (b[1:-1] == (a[1:-1] * a[2:]) ** 2 + 1).all()


@pytest.mark.parametrize(
    ("equations", "message"),
    [
        ([Assignment(T, A[P]), Assignment(T, A[P] + 1), Assignment(B[P], T)], "assigned twice"),
        ([Assignment(B[P], T), Assignment(T, A[P])], "before it is assigned"),
        ([Assignment(T, A[P])], "there is no assignment"),
        ([Eq(Matrix([A[P], B[P]]), Matrix([1, 2, 3]), evaluate=False)], "no vectors of one length"),
        ([A[P]], "is not an Assignment"),
    ],
)
def test_what_is_no_assignment(equations, message):
    with pytest.raises(ValueError, match=message):
        trv.from_sympy(equations)


def test_vector_equations_are_simultaneous():
    turn = Eq(Matrix([A[P], B[P]]), Matrix([B[P], -A[P]]))
    a, b = np.arange(9.0), np.arange(9.0) + 20
    before = a.copy(), b.copy()
    trv.from_sympy(turn).compile(brush=4)(A=a, B=b)
    assert (a[1:-1] == before[1][1:-1]).all() and (b[1:-1] == -before[0][1:-1]).all()


def test_derivatives_are_central_differences():
    grid = {X: (P, H)}
    assert body(Eq(G(X), Derivative(F(X), X)), grid=grid) == ["double c0 = (1.0/2.0)/h;", "G[i] = c0*(F[i + 1] - F[i - 1]);"]
    second = body(Eq(G(X), Derivative(F(X), (X, 2))), grid=grid)
    assert {line.split(" = ")[1] for line in second[:2]} == {"2.0/(h*h);", "1.0/(h*h);"} and second[2].count("F[") == 3
    assert body(Eq(G(X), F(X).diff(X).as_finite_difference([X, X + H])), grid=grid)[-1] == "G[i] = c0*(F[i + 1] - F[i]);"


def test_staggered_functions_are_between_points():
    grid, staggered = {X: (P, H)}, {F: {X: Rational(1, 2)}}
    assert body(Eq(G(X), F(X + H / 2) - F(X - H / 2)), grid=grid, staggered=staggered) == ["G[i] = -F[i - 1] + F[i];"]
    with pytest.raises(ValueError, match="is not at a point of its array"):
        trv.from_sympy(Eq(G(X), F(X)), grid=grid, staggered=staggered)
    with pytest.raises(ValueError, match="is no coordinate of grid="):
        trv.from_sympy(Eq(G(X), F(X + W * T)), grid={T: (P, H)})


def example(name):
    return runpy.run_path(str(EXAMPLES / f"{name}.py"))["main"]


def test_heat():
    n, steps = 12, 5
    u = np.zeros((n, n))
    u[0] = 1
    for _ in range(steps):
        inner = u[1:-1, 1:-1] + 0.2 * (u[2:, 1:-1] + u[:-2, 1:-1] + u[1:-1, 2:] + u[1:-1, :-2] - 4 * u[1:-1, 1:-1])
        u = u.copy()
        u[1:-1, 1:-1] = inner
    assert np.allclose(example("heat")(n, steps), u, rtol=1e-12, atol=1e-14)


def test_wave():
    n, steps = 21, 6
    x = np.linspace(0, 1, n)
    u = np.exp(-200 * ((x - 0.5) ** 2 + (x[:, None] - 0.5) ** 2))
    old, weights = u.copy(), np.array([-1, 16, -30, 16, -1]) / 12
    for _ in range(steps):
        along_x = sum(w * u[2:-2, k : n - 4 + k] for k, w in enumerate(weights))
        along_y = sum(w * u[k : n - 4 + k, 2:-2] for k, w in enumerate(weights))
        new = u.copy()
        new[2:-2, 2:-2] = 2 * u[2:-2, 2:-2] - old[2:-2, 2:-2] + 0.16 * (along_x + along_y)
        old, u = u, new
    assert np.allclose(example("wave")(n, steps)[2:-2, 2:-2], u[2:-2, 2:-2], rtol=1e-9, atol=1e-12)


def test_fdtd():
    n, steps, h = 12, 4, 1 / 11
    Ex, Ey, Hz = (np.zeros((n, n)) for _ in range(3))
    Hz[6, 6], dt, inner = 1, 0.5 * h, (slice(1, -1), slice(1, -1))
    for _ in range(steps):
        Ex[inner] += dt * (Hz[1:-1, 1:-1] - Hz[:-2, 1:-1]) / h
        Ey[inner] -= dt * (Hz[1:-1, 1:-1] - Hz[1:-1, :-2]) / h
        Hz[inner] += dt * ((Ex[2:, 1:-1] - Ex[1:-1, 1:-1]) / h - (Ey[1:-1, 2:] - Ey[1:-1, 1:-1]) / h)
    for found, expected in zip(example("fdtd")(n, steps), (Ex, Ey, Hz), strict=True):
        assert np.allclose(found, expected, rtol=1e-11, atol=1e-13)


def test_lattice_boltzmann_keeps_mass_and_damps_the_shear_wave():
    f = example("lattice_boltzmann")(16, 20)
    momentum = f[[1, 5, 8]].sum(0) - f[[3, 6, 7]].sum(0)
    viscosity = (1 / 1.2 - 0.5) / 3
    expected = 0.05 * np.exp(-viscosity * (2 * np.pi / 16) ** 2 * 20)
    assert f.sum() == pytest.approx(256) and momentum.max() == pytest.approx(expected, rel=0.02)
