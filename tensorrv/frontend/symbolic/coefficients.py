"""Formulas in which what is the same at all points is computed once: coefficients become constants in front of the loops.

    dt*k*((A[i + 1] - 2*A[i] + A[i - 1])/h**2) + A[i]   ->   double c0 = 1 - 2*dt*k/h**2, c1 = dt*k/h**2;
                                                             c0*A[i] + c1*(A[i + 1] + A[i - 1])

Only formulas that divide by such names, or take powers or functions of them, are rewritten: as sums over the parts that differ
between points, each with its coefficient, parts with equal coefficients added first (docs/decisions/formula-coefficients.md).
Products in which more than one factor differs between points stay products.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import sympy
from sympy.core.function import Application
from sympy.logic.boolalg import Boolean

Terms = Mapping[sympy.Expr, sympy.Expr]
"""A sum: parts that differ between points, with their coefficients. The part 1 stands for what is the same everywhere."""


@dataclass(slots=True)
class Coefficients:
    """The constants so far. `varies` says whether a name differs between points; `unused` gives new names."""

    varies: Callable[[sympy.Expr], bool]
    unused: Callable[[], sympy.Symbol]
    constants: dict[sympy.Expr, sympy.Symbol] = field(default_factory=dict)

    def simplified(self, expr: sympy.Expr) -> sympy.Expr:
        """The formula with constants, if it has coefficients that cost something."""
        return self._sum(expr) if any(self._costs(part) for part in sympy.preorder_traversal(expr)) else expr

    def _fixed(self, expr: sympy.Expr) -> bool:
        """Whether the expression has the same value at all points."""
        return not any(self.varies(atom) for atom in expr.atoms(sympy.Symbol, sympy.Idx, sympy.Indexed))

    def _costs(self, part: Any) -> bool:
        """A quotient, a power or a function of names that are the same at all points."""
        costly = isinstance(part, (sympy.Pow, Application)) and not isinstance(part, Boolean)
        return costly and bool(part.free_symbols) and self._fixed(part)

    def _sum(self, expr: sympy.Expr) -> sympy.Expr:
        """The expression as a sum of parts with coefficients."""
        by_size: dict[sympy.Expr, list[sympy.Expr]] = {}
        for part, coefficient in self._terms(expr).items():
            same = sympy.factor_terms(coefficient)
            if same == 0:
                continue
            if not same.is_Add and same.could_extract_minus_sign():
                same, part = -same, -part
            if -same in by_size:
                by_size[-same].append(-part)
            else:
                by_size.setdefault(same, []).append(part)
        return sympy.Add(*(self._product(coefficient, parts) for coefficient, parts in by_size.items()))

    def _product(self, coefficient: sympy.Expr, parts: list[sympy.Expr]) -> sympy.Expr:
        if parts == [sympy.S.One]:
            return self._constant(coefficient)
        if len(parts) == 1:
            return sympy.Mul(self._constant(coefficient), parts[0])
        return sympy.Mul(self._constant(coefficient), sympy.Add(*parts), evaluate=abs(coefficient) == 1)

    def _constant(self, coefficient: sympy.Expr) -> sympy.Expr:
        """The coefficient by name, unless it is a number or a name with a sign."""
        if coefficient.is_Number or coefficient.is_Symbol or (-coefficient).is_Symbol:
            return coefficient
        if coefficient not in self.constants:
            self.constants[coefficient] = self.unused()
        return self.constants[coefficient]

    def _terms(self, expr: sympy.Expr) -> Terms:
        if self._fixed(expr):
            return {sympy.S.One: expr}
        if expr.is_Add:
            found: dict[sympy.Expr, sympy.Expr] = {}
            for term in sympy.ordered(expr.args):
                for part, coefficient in self._terms(term).items():
                    found[part] = found.get(part, sympy.S.Zero) + coefficient
            return found
        if expr.is_Mul:
            fixed = sympy.Mul(*(factor for factor in expr.args if self._fixed(factor)))
            rest = [factor for factor in sympy.ordered(expr.args) if not self._fixed(factor)]
            if len(rest) == 1:
                return {part: fixed * coefficient for part, coefficient in self._terms(rest[0]).items()}
            return {sympy.Mul(*map(self._sum, rest)): fixed}
        return {self._inside(expr): sympy.S.One}

    def _inside(self, expr: sympy.Expr) -> sympy.Expr:
        """Arguments of functions, powers and pieces are formulas of their own."""
        if expr.is_Atom or isinstance(expr, (sympy.Indexed, sympy.Idx)):
            return expr
        if isinstance(expr, sympy.Piecewise):
            return sympy.Piecewise(*((self._sum(value), condition) for value, condition in expr.args), evaluate=False)
        if expr.is_Pow:
            return sympy.Pow(self._sum(expr.base), expr.exp)
        return expr
