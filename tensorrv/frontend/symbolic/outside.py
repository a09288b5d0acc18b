"""Subscripts of formulas that certainly lie outside of the declared shape."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import sympy
from sympy.logic.boolalg import Boolean

Bounds = tuple[sympy.Expr, sympy.Expr]


def check_inside(
    assignments: Sequence[Any], shapes: Mapping[sympy.IndexedBase, Sequence[sympy.Expr]], bounds: Mapping[sympy.Expr, Bounds]
) -> None:
    """Raises ValueError for a subscript that is outside whatever the lengths are, if the loops have any iteration.

    Subscripts are taken at the ends of the ranges where they are linear; elements in a Piecewise may not be read there.
    """
    for assignment in assignments:
        for element in (*_certain(assignment.rhs), *_certain(assignment.lhs)):
            for subscript, length in zip(element.indices, shapes[element.base], strict=False):
                end = _outside(subscript, length, bounds)
                if end is not None:
                    ranges = ", ".join(
                        f"{index} from {low} to {high - 1}" for index, (low, high) in bounds.items() if subscript.has(index)
                    )
                    raise ValueError(
                        f"in '{assignment.lhs} = {assignment.rhs}' the subscript '{subscript}' of {element.base} is {end}"
                        f"{' for ' + ranges if ranges else ''}, where the length is {length}"
                    )


def _certain(expr: Any) -> Iterator[sympy.Indexed]:
    """The elements that are read whatever the values are."""
    if isinstance(expr, sympy.Indexed):
        yield expr
    elif not isinstance(expr, (sympy.Piecewise, Boolean)) or expr.is_Atom:
        for argument in expr.args:
            yield from _certain(argument)


def _outside(subscript: sympy.Expr, length: sympy.Expr, bounds: Mapping[sympy.Expr, Bounds]) -> sympy.Expr | None:
    """A value of a linear subscript that is negative or not below the length."""
    least, greatest = _end(subscript, bounds, -1), _end(subscript, bounds, 1)
    if least is not None and sympy.expand(least).is_negative and sympy.expand(least).is_Integer:
        return least
    beyond = None if greatest is None else sympy.expand(greatest - length)
    return greatest if beyond is not None and beyond.is_Integer and beyond >= 0 else None


def _end(subscript: sympy.Expr, bounds: Mapping[sympy.Expr, Bounds], sign: int) -> sympy.Expr | None:
    """The greatest (least) value of a subscript, inner loops first, whose bounds may contain outer indices."""
    value = sympy.expand(subscript)
    for index, (low, high) in reversed([*bounds.items()]):
        slope = value.coeff(index)
        rest = sympy.expand(value - slope * index)
        if rest.has(index) or not slope.is_Integer:
            return None
        value = sympy.expand(rest + slope * (high - 1 if sign * slope > 0 else low))
    return value
