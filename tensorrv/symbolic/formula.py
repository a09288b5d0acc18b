"""Formulas as C text: sympy expressions by sympy's own C printer, with the few things that this C needs differently."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import sympy
from sympy.codegen.ast import float32, float64, real
from sympy.printing.c import C99CodePrinter

READ = Callable[[sympy.Indexed], str]
"""How an array element that is read is written in C."""

LONGEST_PRODUCT = 4
"""x**n up to this n is a product."""


class FormulaPrinter(C99CodePrinter):  # type: ignore[misc]
    """Prints expressions over numbers of one type, `float` or `double`."""

    def __init__(self, single: bool, read: READ) -> None:
        super().__init__({"type_aliases": {real: float32 if single else float64}})
        self.read = read
        self.one = "1.0F" if single else "1.0"
        self.suffix = "f" if single else ""

    def _print_Indexed(self, expr: sympy.Indexed) -> str:
        return self.read(expr)

    def _print_Pow(self, expr: sympy.Pow) -> str:
        power = expr.exp
        if power.is_Integer and 2 <= abs(int(power)) <= LONGEST_PRODUCT:
            product = "*".join([self._factor(expr.base)] * abs(int(power)))
            return f"({product})" if power > 0 else f"{self.one}/({product})"
        if power == sympy.Rational(-1, 2):
            return f"{self.one}/sqrt{self.suffix}({self._print(expr.base)})"
        return str(super()._print_Pow(expr))

    def _factor(self, expr: sympy.Expr) -> str:
        text = self._print(expr)
        return text if expr.is_Atom or expr.is_Indexed else f"({text})"

    def _print_not_supported(self, expr: Any) -> str:
        raise ValueError(f"'{expr}' has no counterpart in C")

    emptyPrinter = _print_not_supported  # what the printer does with expressions it does not know


def index_text(expr: sympy.Expr) -> str:
    """A subscript or a bound: integers, names, sums, products. Raises ValueError for anything else."""
    _check_index(expr, expr)
    return str(C99CodePrinter().doprint(expr))


def _check_index(part: sympy.Expr, whole: sympy.Expr) -> None:
    if part.is_Integer or part.is_Symbol or isinstance(part, sympy.Idx):
        return
    if not (part.is_Add or part.is_Mul):
        raise ValueError(f"'{whole}' is not a subscript or bound: {part} is no integer, name, sum or product")
    for argument in part.args:
        _check_index(argument, whole)
