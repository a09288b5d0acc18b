"""Expressions that may be evaluated although C would not: they cannot trap, read no memory, change nothing, overflow nothing.

Signed +, - and * are not among them: their results are assumed not to overflow, which holds only where C computes them.
"""

from __future__ import annotations

from tensorrv.frontend.c.tree.nodes import (
    Arithmetic,
    Compare,
    Complement,
    Conditional,
    Convert,
    Expression,
    Literal,
    Logical,
    Minus,
    Not,
    NullPointer,
    PartOf,
    Read,
    Reinterpret,
    TablePlace,
    VariablePlace,
)
from tensorrv.frontend.c.types.c_types import FloatingC, IntegerC


def is_total(e: Expression) -> bool:
    """Whether evaluating `e` too often does no harm."""
    match e:
        case Literal() | NullPointer() | Read(place=VariablePlace() | PartOf(whole=VariablePlace())):
            return True
        case Read(place=TablePlace(index=index)):
            return is_total(index)
        case Reinterpret(value=inner):
            return is_total(inner)
        case Convert(type=type_, value=inner):
            truncates = isinstance(inner.type, FloatingC) and isinstance(type_, IntegerC) and type_.rank > 0
            return isinstance(type_, IntegerC | FloatingC) and not truncates and is_total(inner)
        case Arithmetic(op="/" | "%"):
            return False
        case Arithmetic(op="<<" | ">>", left=left, right=right):
            return isinstance(right, Literal) and is_total(left)
        case Arithmetic(type=type_, op=op, left=left, right=right):
            wraps = op in ("&", "|", "^") or not isinstance(type_, IntegerC) or not type_.signed
            return wraps and is_total(left) and is_total(right)
        case Compare(left=left, right=right) | Logical(left=left, right=right):
            return is_total(left) and is_total(right)
        case Minus(type=type_, value=inner):
            return not (isinstance(type_, IntegerC) and type_.signed) and is_total(inner)
        case Complement(value=inner) | Not(value=inner):
            return is_total(inner)
        case Conditional(condition=test, then=then, otherwise=otherwise):
            return is_total(test) and is_total(then) and is_total(otherwise)
        case _:
            return False
