"""Functions of coordinates on a grid, and their derivatives, as elements of arrays.

    grid={y: (j, h), x: (i, h)}       f(x + h, y) -> f[j, i + 1]
    staggered={E: {x: 1/2}}           E(x + h/2, y) -> E[j, i], the array's element i is at x + h/2

Derivatives that are still there become central differences of second order; others are what `as_finite_difference` and
`apply_finite_diff` of sympy's make of them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import sympy
from sympy.calculus.finite_diff import apply_finite_diff
from sympy.core.function import AppliedUndef

Axes = Mapping[sympy.Symbol, tuple[sympy.Expr, sympy.Expr]]
"""For each coordinate, outermost dimension first, the index and the distance of neighbouring points."""
Stagger = Mapping[Any, Mapping[sympy.Symbol, Any]]
"""For functions or their names, how far along coordinates their elements are from the grid's points, in distances."""


@dataclass(frozen=True, slots=True)
class Grid:
    """Which array elements functions of coordinates are."""

    axes: Axes
    staggered: Stagger

    def discrete(self, expr: Any) -> Any:
        """The expression over array elements. Raises ValueError for values between the points of the grid."""
        expr = expr.replace(lambda part: isinstance(part, sympy.Derivative), self._difference)
        return expr.replace(lambda part: isinstance(part, AppliedUndef), self._element)

    def _difference(self, derivative: sympy.Derivative) -> sympy.Expr:
        value = derivative.expr
        for coordinate, order in derivative.variable_count:
            if coordinate not in self.axes:
                raise ValueError(f"'{derivative}' is a derivative by '{coordinate}', which grid= does not have")
            value = self._central(value, coordinate, int(order))
        return value

    def _central(self, value: sympy.Expr, coordinate: sympy.Symbol, order: int) -> sympy.Expr:
        """The derivative at the point itself, from as many neighbours on both sides as second order needs."""
        distance = self.axes[coordinate][1]
        most = (order + 1) // 2
        points = [coordinate + k * distance for k in range(-most, most + 1)]
        return apply_finite_diff(order, points, [value.subs(coordinate, point) for point in points], coordinate)

    def _element(self, applied: AppliedUndef) -> sympy.Indexed:
        moved = {str(key): offsets for key, offsets in self.staggered.items()}.get(str(applied.func), {})
        subscripts = {}
        for argument in applied.args:
            own = [coordinate for coordinate in self.axes if argument.has(coordinate)]
            if len(own) != 1:
                raise ValueError(f"'{argument}' in {applied} is no coordinate of grid= with a distance")
            index, distance = self.axes[own[0]]
            offset = sympy.simplify((argument - own[0]) / distance) - sympy.nsimplify(moved.get(own[0], 0))
            if not offset.is_integer or own[0] in subscripts:
                raise ValueError(f"{applied} is not at a point of its array: {argument} is {offset} points from {own[0]}")
            subscripts[own[0]] = index + offset
        base = sympy.IndexedBase(str(applied.func))
        return base[tuple(subscripts[coordinate] for coordinate in self.axes if coordinate in subscripts)]
