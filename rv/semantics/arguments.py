"""What callers of the interpreters give and get."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rv.ir.function import Function
from rv.ir.types import FloatType, IntType, Type
from rv.semantics import arithmetic
from rv.semantics.memory import Region
from rv.semantics.undefined import UNDEFINED, UndefinedValue

Argument = int | float | Region | UndefinedValue
Result = int | float | UndefinedValue | None


def argument_values(function: Function, arguments: Sequence[Argument]) -> list[Any]:
    """The values of the parameters: regions become addresses, numbers are wrapped or rounded to their types."""
    parameters = [parameter.var.type for parameter in function.parameters]
    if len(parameters) != len(arguments):
        raise TypeError(f"{function.name} takes {len(parameters)} arguments, not {len(arguments)}")
    return [argument_value(type_, given) for type_, given in zip(parameters, arguments, strict=True)]


def result_value(value: Any) -> Result:
    """What a function returned, truth values as 0 and 1."""
    result: Result = int(value) if isinstance(value, bool) else value
    return result


def argument_value(type_: Type, given: Argument) -> Any:
    """The value of a parameter of this type."""
    match type_, given:
        case _, UndefinedValue():
            return UNDEFINED
        case _, Region(base=base):
            return base
        case FloatType(bits), int() | float():
            return arithmetic.to_binary32(float(given)) if bits == 32 else float(given)
        case IntType(bits), _:
            return int(given) & ((1 << bits) - 1)
        case _:
            return int(given) & ((1 << 64) - 1)
