"""What formulas are made of: names, numbers, subscripts, and what is refused with a ValueError."""

import re
import struct
from fractions import Fraction

import numpy as np
import pytest
import sympy
from sympy import Dummy, Idx, IndexedBase, Piecewise, Rational, Symbol, symbols
from sympy.codegen.ast import Assignment

import tensorrv as trv
from tests.symbolic.random_formulas import LENGTH, WEIGHT, Generator, value

n, m, i, j = symbols("n m i j", integer=True)
A, B = IndexedBase("A", shape=(n,)), IndexedBase("B", shape=(n,))
WHOLE = {i: (0, n)}

CONSTANTS = [sympy.pi, sympy.E, sympy.GoldenRatio, sympy.EulerGamma, sympy.Catalan, sympy.TribonacciConstant]
HUGE = [
    Rational(1, 10**310), Rational(10**400, 3**830), Rational(2**53 + 1, 3), Rational(1, 3), Rational(2**24 + 1, 2**30 + 1),
    sympy.Float("0.1", 50), sympy.Float("1.00000005960464477539062500000000001", 50), sympy.Integer(2**53 + 1),
]  # fmt: skip


def nearest(exact, single):
    """The nearest number by bisection of the bit patterns."""
    code, word = ("<f", "<I") if single else ("<d", "<Q")
    number = lambda bits: struct.unpack(code, struct.pack(word, bits))[0]  # noqa: E731
    low, high = 0, 0x7F7FFFFF if single else 0x7FEFFFFFFFFFFFFF
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if Fraction(number(middle)) <= exact else (low, middle)
    return min((low, high), key=lambda bits: (abs(Fraction(number(bits)) - exact), bits & 1)), number


@pytest.mark.parametrize("dtype", ["float64", "float32"])
def test_numbers_are_correctly_rounded(dtype):
    single = dtype == "float32"
    numbers = CONSTANTS + [number for number in HUGE if not (single and number == HUGE[0])]
    rows = [IndexedBase(f"B{k}", shape=(n,)) for k in range(len(numbers))]
    kernel = trv.from_sympy([Assignment(b[i], x) for b, x in zip(rows, numbers, strict=True)], WHOLE, dtype=dtype)
    found = [np.zeros(1, dtype) for _ in rows]
    kernel.compile(brush=None)(*found)
    for exact, got in zip(numbers, found, strict=True):
        fraction = sympy.Rational(exact.evalf(100)) if not isinstance(exact, sympy.Float) else sympy.Rational(exact)
        bits, number = nearest(Fraction(int(fraction.p), int(fraction.q)), single)
        assert float(got[0]) == number(bits), exact


@pytest.mark.parametrize(
    "statement, message",
    [
        (Assignment(B[i], A[i] * Symbol("i")), "'i' names two symbols"),
        (Assignment(B[i], A[i] * Symbol("w") + Symbol("w", positive=True)), "'w' names two symbols"),
        (Assignment(B[i], A[i] * Dummy("w") + Dummy("w")), "'_w' names two symbols"),
        (Assignment(B[i], A[i] * Dummy("w")), "'_w' is not a name in C"),
        (Assignment(B[i], A[i] * Symbol("n")), "'n' names two symbols"),
        (Assignment(B[i], sympy.exp(IndexedBase("exp", shape=(n,))[i])), "'exp' is not a name in C"),
        (Assignment(B[i], A[i] * Symbol("B")), "'B' names two things: an array"),
        (Assignment(B[i], IndexedBase(i, shape=(n,))[i]), "'i' names two things"),
        (Assignment(B[i], A[i] + B), "no counterpart in C"),
        (Assignment(IndexedBase("B", shape=(n, m))[i, j], 1), "'j' in B.i, j. has no range"),
        (Assignment(B[i], A[j]), "'j' in A.j. has no range"),
        (Assignment(B[i], A[i] * Idx("k")), "index 'k' in .* has no range"),
        (Assignment(B[i], A[A[i]]), "which formulas cannot have"),
        (Assignment(B[i], sympy.true), "'True' is a truth value"),
        (Assignment(B[i], A[i] > 0), "is a truth value where a number has to be"),
        (Assignment(B[i], sympy.And(A[i] > 0, i > 3)), "is a truth value where a number has to be"),
        (Assignment(B[i], A[i / 2]), "1/2 is no integer"),
        (Assignment(B[i], A[sympy.sin(i)]), "is not a subscript or bound"),
        (Assignment(B[i], A[Piecewise((i, i > 2))]), "is not a subscript or bound"),
        (Assignment(B[i], A[i] * Rational(1, 10**400)), "too small for 'double'"),
        (Assignment(B[i], A[i] * Rational(10**400, 3)), "does not fit 'double'"),
        (Assignment(B[i], A[i + 1]), "in 'B.i. = A.i . 1.' the subscript 'i . 1' of A is n for i from 0 to n - 1"),
        (Assignment(B[i - 3], A[i]), "the subscript 'i - 3' of B is -3"),
        (Assignment(B[i], A[n - i]), "the subscript '.*' of A is n"),
        (Assignment(B[i], A[2]), None),
        (Assignment(B[i], A[-1]), "the subscript '-1' of A is -1"),
        *((Assignment(B[i], A[i] * Symbol(name)), "free to use") for name in
          ("double", "sin", "fmaf", "NAN", "M_PI", "bool", "asm", "rv_any", "linux", "isnan", "float_t")),
    ],
)  # fmt: skip
def test_what_is_refused(statement, message):
    if message is None:
        assert trv.from_sympy(statement, WHOLE).c
        return
    with pytest.raises(ValueError, match=message):
        trv.from_sympy(statement, WHOLE)


@pytest.mark.parametrize("name", ["main", "exp", "y0", "double"])
def test_names_of_kernels(name):
    with pytest.raises(ValueError, match="free to use"):
        trv.from_sympy(Assignment(B[i], A[i]), WHOLE, name=name)


@pytest.mark.parametrize(
    "subscript",
    [
        sympy.Mod(i - 3, n), sympy.floor(i / 2), sympy.ceiling(i / 3), sympy.Max(i - 1, 0), sympy.Min(i + 1, n - 1),
        sympy.Abs(i - 2), Piecewise((i - 1, i > 0), (0, True)), Piecewise((0, (i < 2) | sympy.Eq(i, 5)), (i - 2, True)),
        sympy.floor((2 * i - 9) / sympy.Integer(5)) + 2, n - 1 - sympy.Mod(i, -3) - 2, sympy.Mod(i**2, n), sympy.floor(i / n),
    ],
)  # fmt: skip
def test_subscripts(subscript):
    kernel = trv.from_sympy(Assignment(B[i], A[subscript]), WHOLE).compile(brush=8)
    a, b = np.arange(21.0) * 3, np.zeros(21)
    kernel(a, b)
    assert b.tolist() == [a[int(subscript.subs({i: k, n: 21}))] for k in range(21)]


def test_calls_out_of_range_name_statement_and_range():
    longer = IndexedBase("C", shape=(m,))
    kernel = trv.from_sympy(Assignment(longer[i], A[2 * i]), {i: (0, m)}).compile(brush=8)
    kernel(np.ones(15), np.ones(8))
    message = "has 14 elements, but the kernel needs 15 in `C[i] = A[2*i];` under for (int i = 0; i < m; ++i)"
    with pytest.raises(ValueError, match=re.escape(message)):
        kernel(np.ones(14), np.ones(8))


def test_elements_under_conditions_may_be_outside():
    kernel = trv.from_sympy(Assignment(B[i], Piecewise((A[i - 1], i > 0), (0, True))), WHOLE).compile(brush=8)
    a, b = np.arange(1.0, 20), np.zeros(19)
    kernel(a, b)
    assert b.tolist() == [0, *a[:-1]]


def check_formulas(seed, count):
    """Several random formulas in one kernel."""
    generator = Generator(seed)
    formulas = [generator.formula() for _ in range(count)]
    size, index, weight = sympy.Symbol("n", integer=True), sympy.Symbol("i", integer=True), sympy.Symbol("w", real=True)
    targets = [IndexedBase(f"B{k}", shape=(size,)) for k in range(count)]
    extra = Assignment(targets[0][index], formulas[0] + 0 * weight)
    statements = [extra, *(Assignment(b[index], f) for b, f in zip(targets[1:], formulas[1:], strict=True))]
    kernel = trv.from_sympy(statements, {index: (0, size)}).compile(brush=None)
    data = np.random.default_rng(seed).integers(-20, 20, LENGTH) / 8
    found = {f"B{k}": np.full(LENGTH, np.nan) for k in range(count)}
    passed = {a.name for a in kernel._facts.signature.arguments}
    kernel(**{k: v for k, v in {**found, "A": data, "w": WEIGHT, "n": LENGTH}.items() if k in passed})
    for k, formula in enumerate(formulas):
        for place in (0, 3, LENGTH - 1):
            wanted = value(formula, data, place)
            if wanted is not None:
                assert found[f"B{k}"][place] == pytest.approx(wanted, rel=1e-9, abs=1e-9), (seed, place, formula)


def test_random_formulas():
    check_formulas(3, 6)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(100, 200))
def test_many_random_formulas(seed):
    check_formulas(seed, 12)
