"""Random formulas, and their values by sympy's own arithmetic in forty digits."""

from __future__ import annotations

import random

import sympy
from sympy import IndexedBase, Rational, symbols

n, i = symbols("n i", integer=True)
w = sympy.Symbol("w", real=True)
A = IndexedBase("A", shape=(n,), real=True)
LENGTH = 24
WEIGHT = 0.375
CONSTANTS = (
    sympy.pi, sympy.E, sympy.GoldenRatio, sympy.EulerGamma, sympy.Catalan, sympy.TribonacciConstant, sympy.sqrt(2),
    sympy.log(2), Rational(1, 3), Rational(-7, 5), Rational(10**30 + 1, 10**29 + 7), sympy.Integer(2), sympy.Float(0.1),
    1 / sympy.pi, sympy.sqrt(sympy.pi), Rational(1, 2),
)  # fmt: skip
SMOOTH = (sympy.sin, sympy.cos, sympy.tan, sympy.atan, sympy.tanh, sympy.asinh, sympy.erf, sympy.Abs, sympy.sinh, sympy.cosh)
STEPS = (sympy.sign, sympy.floor, sympy.ceiling)


class Generator:
    def __init__(self, seed):
        self.random = random.Random(seed)

    def pick(self, choices):
        return self.random.choice(choices)

    def subscript(self):
        """An integer in 0..n-1 for i in 0..n-1."""
        k = self.random.randint(1, 5)
        moved = self.pick((i + k, i - k, 2 * i + k, n - i - k, k - 3 * i))
        return self.pick((
            i, n - 1 - i, sympy.Mod(moved, n), sympy.floor(i / k), sympy.Max(0, sympy.Min(n - 1, moved)), sympy.ceiling(i / k),
            sympy.Mod(sympy.Abs(moved), n), sympy.Piecewise((i - k, i >= k), (i, True)), sympy.floor(Rational(k, 7) * i),
            sympy.Piecewise((i + k, (i + k < n) & (i > 2)), (0, sympy.Eq(i, 1)), (n - 1, True)), sympy.Mod(i**2, n),
        ))  # fmt: skip

    def leaf(self):
        number = self.pick((self.pick(CONSTANTS), sympy.Integer(self.random.randint(-9, 9))))
        return self.pick((A[self.subscript()], A[self.subscript()], A[i], w, number, number, i, n))

    def condition(self, depth):
        relation = self.pick((sympy.Lt, sympy.Le, sympy.Gt, sympy.Ge, sympy.Eq, sympy.Ne))
        first = relation(self.formula(depth + 1), self.formula(depth + 1))
        return self.pick((first, first, sympy.And(first, i > 3), sympy.Or(first, A[i] > 1), sympy.Not(first)))

    def formula(self, depth=0):
        if depth > 2 or self.random.random() < 0.15:
            return self.leaf()
        a, b = self.formula(depth + 1), self.formula(depth + 1)
        match self.random.randrange(12):
            case 0 | 1 | 2:
                return a + b
            case 3 | 4:
                return a * b
            case 5:
                return a / (sympy.Abs(b) + 1)
            case 6:
                return a ** self.pick((2, 3, 5, -1, -2))
            case 7:
                return sympy.Abs(a) ** self.pick((Rational(1, 2), Rational(1, 3), Rational(-1, 2), Rational(3, 2), w))
            case 8:
                return self.pick(SMOOTH)(a)
            case 9:
                rest = sympy.Mod(a, self.pick((3, -2, Rational(5, 2), n)))
                return self.pick((sympy.Min(a, b), sympy.Max(a, b), sympy.atan2(a, b), rest))
            case 10:
                return sympy.Piecewise((a, self.condition(depth + 1)), (b, True))
            case _:
                return self.pick((sympy.log(sympy.Abs(a) + 1), sympy.exp(-sympy.Abs(a)), self.pick(STEPS)(a)))


def value(formula, data, place):
    """The formula's value for one index; None where it has none among the numbers."""
    known = {i: place, n: LENGTH, w: sympy.Rational(WEIGHT)}
    numbers = {}
    for element in formula.atoms(sympy.Indexed):
        at = int(element.indices[0].subs(known))
        # an element that no taken branch reads may be outside
        numbers[element] = sympy.Rational(float(data[at])) if 0 <= at < LENGTH else sympy.nan
    try:
        found = sympy.N(formula.subs(numbers).subs(known), 40)
        return float(found) if found.is_real and found.is_finite else None
    except (TypeError, ValueError, ZeroDivisionError, OverflowError, RecursionError):
        return None
