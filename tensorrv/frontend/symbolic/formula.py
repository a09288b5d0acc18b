"""Formulas as C text: sympy expressions by sympy's own C printer, with what a formula means where C means something else.

Formulas are mathematical: integers do not wrap, i/n is a fraction, and `Mod` has the sign of the divisor. So constants and
the loops' indices and lengths are printed as numbers of the kernel's type; only comparisons between indices stay integers.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from fractions import Fraction
from typing import Any, Final

import sympy
from sympy.codegen.ast import float32, float64, real
from sympy.core.function import Application
from sympy.core.relational import Relational
from sympy.functions.elementary.piecewise import ExprCondPair
from sympy.logic.boolalg import Boolean, BooleanAtom, BooleanFunction
from sympy.printing.c import C99CodePrinter, get_math_macros
from sympy.printing.codeprinter import PrintMethodNotImplementedError

from tensorrv.frontend.symbolic.c_numbers import fraction_text, number_text
from tensorrv.frontend.symbolic.subscripts import index_text

READ = Callable[[sympy.Indexed], str]
"""How an array element that is read is written in C."""

LONGEST_PRODUCT = 4
"""x**n up to this n is a product."""

_PARTS: Final = (
    *(sympy.Number, sympy.NumberSymbol, sympy.Symbol, sympy.Idx, sympy.Indexed),
    *(sympy.Add, sympy.Mul, sympy.Pow, Application, ExprCondPair, Relational, Boolean),
)
"""What formulas consist of. Whatever else sympy has, its printer would print as sympy's own text."""


_TRUTH: Final = (BooleanFunction, BooleanAtom, Relational)
_DIGITS: Final = 80
"""Decimal digits of constants before they are rounded to the type."""


class FormulaPrinter(C99CodePrinter):  # type: ignore[misc]
    """Prints expressions over numbers of one type, `float` or `double`, where `integers` are names of C's ints."""

    def __init__(self, single: bool, integers: Collection[str], read: READ) -> None:
        macros = get_math_macros()
        if single:
            macros = {number: f"((float){macro})" for number, macro in macros.items()}
        super().__init__({"type_aliases": {real: float32 if single else float64}, "math_macros": macros})
        self.read = read
        self.integers = integers
        self.one = "1.0F" if single else "1.0"
        self.suffix = "f" if single else ""
        self.type = "float" if single else "double"

    def value(self, expr: sympy.Basic) -> str:
        """The formula on one line. Raises ValueError for what has no counterpart in C."""
        self._check(expr)
        try:
            return " ".join(str(self.doprint(expr)).split())
        except PrintMethodNotImplementedError:
            raise ValueError(f"'{expr}' has no counterpart in C") from None

    def _check(self, part: sympy.Basic, *, truth: bool = False) -> None:
        if not isinstance(part, _PARTS):
            self._print_not_supported(part)
        if isinstance(part, _TRUTH) and not truth:
            raise ValueError(f"'{part}' is a truth value where a number has to be; write Piecewise((1, {part}), (0, True))")
        if isinstance(part, ExprCondPair):
            self._check(part.expr)
            self._check(part.cond, truth=True)
        elif not isinstance(part, (sympy.Indexed, sympy.Idx)):
            for argument in part.args:
                self._check(argument, truth=isinstance(part, BooleanFunction))

    def _print_Indexed(self, expr: sympy.Indexed) -> str:
        return self.read(expr)

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return f"({self.type}){expr}" if str(expr) in self.integers else str(expr)

    def _print_Integer(self, expr: sympy.Integer) -> str:
        return number_text(int(expr), self.type)

    def _print_Rational(self, expr: sympy.Rational) -> str:
        exact = 1 << (24 if self.type == "float" else 53)
        if max(abs(expr.p), expr.q) <= exact:
            return f"{number_text(int(expr.p), self.type)}/{number_text(int(expr.q), self.type)}"
        return fraction_text(Fraction(int(expr.p), int(expr.q)), self.type)

    def _print_Float(self, expr: sympy.Float) -> str:
        exact = sympy.Rational(expr)
        return fraction_text(Fraction(int(exact.p), int(exact.q)), self.type) if exact else number_text(0.0, self.type)

    def _print_NumberSymbol(self, expr: sympy.NumberSymbol) -> str:
        """A constant of mathematics."""
        return self._print_Float(expr.evalf(_DIGITS))

    _print_Pi = _print_Exp1 = _print_NumberSymbol

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

    def _print_Mod(self, expr: sympy.Mod) -> str:
        counted = self._counted(*expr.args)
        if counted is not None:
            number, divisor = counted
            return f"({self.type})((({number}) % ({divisor}) + ({divisor})) % ({divisor}))"
        number, divisor = map(self._print, expr.args)
        rest = f"fmod{self.suffix}({number}, {divisor})"
        other_sign = f"{rest} < 0" if expr.args[1].is_positive else f"{rest} != 0 && ({rest} < 0) != ({divisor} < 0)"
        return f"({other_sign} ? {rest} + {divisor} : {rest})"

    def _print_Abs(self, expr: sympy.Abs) -> str:
        return f"fabs{self.suffix}({self._print(expr.args[0])})"

    def _print_sign(self, expr: sympy.sign) -> str:
        number = self._print(expr.args[0])
        return f"({self.type})((({number}) > 0) - (({number}) < 0))"

    def _print_KroneckerDelta(self, expr: sympy.KroneckerDelta) -> str:
        return str(self._print(expr.rewrite(sympy.Piecewise)))

    def _print_Relational(self, expr: Relational) -> str:
        counted = self._counted(expr.lhs, expr.rhs)
        if counted is None:
            return str(super()._print_Relational(expr))
        return f"{counted[0]} {expr.rel_op} {counted[1]}"

    def _counted(self, *expressions: sympy.Expr) -> tuple[str, ...] | None:
        """The expressions as C's integers, if they are linear in such."""
        names = {symbol for expression in expressions for symbol in expression.free_symbols}
        if not {str(name) for name in names} <= set(self.integers):
            return None
        if not all(expression.is_integer and _is_linear(expression) for expression in expressions):
            return None
        return tuple(map(index_text, expressions))

    def _print_not_supported(self, expr: Any) -> str:
        raise ValueError(f"'{expr}' has no counterpart in C")

    emptyPrinter = _print_not_supported  # what the printer does with unsupported expressions


def _is_linear(expr: sympy.Expr) -> bool:
    if expr.is_Add:
        return all(map(_is_linear, expr.args))
    if expr.is_Mul:
        return sum(not factor.is_Integer for factor in expr.args) <= 1 and all(map(_is_linear, expr.args))
    return bool(expr.is_Integer or expr.is_Symbol or isinstance(expr, sympy.Idx))
