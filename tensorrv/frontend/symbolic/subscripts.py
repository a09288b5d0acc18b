"""Subscripts and bounds of formulas as integer expressions in C.

C's quotients round toward zero and its remainders have the sign of the dividend, a formula's the sign of the divisor.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

import sympy
from sympy.core.relational import Relational


def length_text(expr: sympy.Expr) -> str:
    """A length: integers, names, sums and products. Raises ValueError for anything else."""
    for part in sympy.preorder_traversal(expr):
        if not (part.is_Integer or part.is_Symbol or isinstance(part, sympy.Idx) or part.is_Add or part.is_Mul):
            raise ValueError(f"'{expr}' is not a length: {part} is no integer, name, sum or product")
    return index_text(expr)


def index_text(expr: sympy.Expr) -> str:
    """A subscript or a bound in C. Raises ValueError for what is no integer, or has no counterpart in C."""
    try:
        return _text(expr)
    except _NoInteger as unknown:
        message = f"'{expr}' is not a subscript or bound: {unknown} is no integer, name, sum or product"
        raise ValueError(f"{message}, nor one of {KNOWN}") from None


class _NoInteger(Exception):
    pass


def _text(expr: sympy.Expr) -> str:
    if expr.is_Integer:
        if abs(int(expr)) >= 1 << 31:
            raise _NoInteger(expr)
        return str(int(expr))
    if expr.is_Symbol or isinstance(expr, sympy.Idx):
        return str(expr)
    if expr.is_Add:
        return _sum(expr)
    if expr.is_Mul:
        return "*".join(_factor(factor) for factor in expr.args) if expr.args[0] != -1 else f"-{_product(expr.args[1:])}"
    if expr.is_Pow and expr.exp.is_Integer and 1 < int(expr.exp) <= 4:
        return "*".join([_factor(expr.base)] * int(expr.exp))
    write = _FUNCTIONS.get(expr.func)
    if write is None:
        raise _NoInteger(expr)
    return write(*expr.args)


def _product(factors: tuple[sympy.Expr, ...]) -> str:
    return "*".join(map(_factor, factors))


def _sum(expr: sympy.Expr) -> str:
    text = ""
    for term in sorted(expr.args, key=lambda t: (not t.free_symbols, t.could_extract_minus_sign(), str(t))):
        negative = term.could_extract_minus_sign()
        part = _text(-term if negative else term)
        part = f"({part})" if (-term if negative else term).is_Add else part
        text += f" {'-' if negative else '+'} {part}" if text else f"-{part}" if negative else part
    return text


def _factor(expr: sympy.Expr) -> str:
    text = _text(expr)
    return text if text.isidentifier() or text.isdigit() else f"({text})"


def _mod(number: sympy.Expr, divisor: sympy.Expr) -> str:
    a, b = _factor(number), _factor(divisor)
    return f"(({a} % {b} + {b}) % {b})"


def _floor(number: sympy.Expr) -> str:
    """Of a quotient: what remains after the remainder is taken away is a multiple of the divisor."""
    numerator, denominator = sympy.fraction(sympy.together(number))
    if denominator == 1:
        return f"({_text(numerator)})"
    a, b = _factor(numerator), _factor(denominator)
    return f"(({a} - ({a} % {b} + {b}) % {b})/{b})"


def _ceiling(number: sympy.Expr) -> str:
    return f"(-{_floor(-number)})"


def _extreme(operator: str) -> Callable[..., str]:
    def write(*numbers: sympy.Expr) -> str:
        first, *others = sorted(numbers, key=str)
        a = f"({_text(first)})"
        if not others:
            return a
        b = write(*others)
        return f"({a} {operator} {b} ? {a} : {b})"

    return write


def _abs(number: sympy.Expr) -> str:
    a = f"({_text(number)})"
    return f"({a} < 0 ? -{a} : {a})"


def _piecewise(*pairs: Any) -> str:
    (value, condition), *others = pairs
    if condition == True:  # noqa: E712 - sympy's truth
        return f"({_text(value)})"
    if not others:
        raise _NoInteger("a Piecewise without (value, True) at its end")
    return f"({_condition(condition)} ? ({_text(value)}) : {_piecewise(*others)})"


def _condition(condition: Any) -> str:
    if isinstance(condition, (sympy.And, sympy.Or)):
        operator = " && " if isinstance(condition, sympy.And) else " || "
        return "(" + operator.join(_condition(part) for part in sorted(condition.args, key=str)) + ")"
    if isinstance(condition, sympy.Not):
        return f"!({_condition(condition.args[0])})"
    if not isinstance(condition, Relational):
        raise _NoInteger(condition)
    return f"({_text(condition.lhs)}) {condition.rel_op} ({_text(condition.rhs)})"


_FUNCTIONS: Final[dict[Any, Callable[..., str]]] = {
    sympy.Mod: _mod,
    sympy.floor: _floor,
    sympy.ceiling: _ceiling,
    sympy.Max: _extreme(">"),
    sympy.Min: _extreme("<"),
    sympy.Abs: _abs,
    sympy.Piecewise: _piecewise,
}
KNOWN: Final = ", ".join(sorted(function.__name__ for function in _FUNCTIONS))
