"""Array extents as polynomials over the integer parameters, for checks of arrays against the C signature."""

from __future__ import annotations

from rv.evolution.polynomial import Kind, Polynomial, Symbol
from tensorrv.frontend.c.tree.nodes import Arithmetic, Convert, Expression, Literal, Minus, Read, VariablePlace
from tensorrv.frontend.c.types.c_types import IntegerC


def polynomial(e: Expression) -> Polynomial | None:
    """The extent as an exact integer; None when it is not a polynomial. Narrowing conversions are not followed."""
    match e:
        case Literal(value=int() as value):
            return Polynomial.constant(value)
        case Read(type=IntegerC(signed=signed), place=VariablePlace(variable=variable)) if variable.name:
            return Polynomial.symbol(Symbol(Kind.SIGNED if signed else Kind.UNSIGNED, variable.name))
        case Convert(type=IntegerC(bits=bits), value=inner) if isinstance(inner.type, IntegerC) and bits >= inner.type.bits:
            return polynomial(inner)
        case Minus(value=inner):
            operand = polynomial(inner)
            return None if operand is None else -operand
        case Arithmetic(op="+" | "-" | "*", left=left, right=right):
            a, b = polynomial(left), polynomial(right)
            if a is None or b is None:
                return None
            return a + b if e.op == "+" else a - b if e.op == "-" else a * b
        case _:
            return None
