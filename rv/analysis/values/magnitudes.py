"""Floating-point numbers that are never small: +0, or of magnitude 2^-63 (doubles: 2^-511) and more, infinity or NaN.

Sums with a constant c are: cancellation leaves +0 or at least a unit in the last place of c, or of the product of two numbers
that are near c, when a product is added without being rounded. Integers are. A cycle of phis is when all that enters it is.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from rv.analysis.values.uses import Definition
from rv.ir.instructions import Binary, Convert, Phi, Select
from rv.ir.types import FloatType
from rv.ir.values import Const, Undef, Value, Var, decode_float

LEAST: Final = {32: 2.0**-63, 64: 2.0**-511}
ADDED: Final = 2.0**-10
"""What is added is at least this: 50 bits more than 2^-63, 108 bits more than 2^-511."""


def never_small(value: Value, definition: Callable[[str], Definition | None]) -> bool:
    """Whether `value` is never small, given the definitions of variables; nothing is known of parameters."""
    return _never_small(value, definition, set())


def _never_small(value: Value, definition: Callable[[str], Definition | None], seen: set[str]) -> bool:
    if not isinstance(value, Var):
        return isinstance(value, Undef) or _is_large(value, LEAST) or (isinstance(value, Const) and value.bits == 0)
    if value.name in seen:
        return True
    seen.add(value.name)
    match definition(value.name):
        case Binary(op="fadd" | "fsub", left=left, right=right):
            return any(_is_large(operand, dict.fromkeys(LEAST, ADDED)) for operand in (left, right))
        case Convert(op="sitofp" | "uitofp"):
            return True
        case Select(then=then, otherwise=otherwise):
            return all(_never_small(operand, definition, seen) for operand in (then, otherwise))
        case Phi(incoming=incoming):
            return all(_never_small(operand, definition, seen) for _, operand in incoming)
        case _:
            return False


def _is_large(value: Value, least: dict[int, float]) -> bool:
    return (
        isinstance(value, Const)
        and isinstance(value.type, FloatType)
        and (not abs(decode_float(value.type, value.bits)) < least[value.type.bits])
    )
