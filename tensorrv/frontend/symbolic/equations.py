"""What users write as equations, as a list of assignments to elements and temporaries.

    Assignment(B[j, i], ...)   Eq(B[j, i], ...)      an element, or with a `Symbol` on the left a temporary of the point
    CodeBlock(...)                                   its assignments
    Eq(Matrix([u[i], v[i]]), Matrix([...]))          a vector equation: all right sides are computed before the first is stored
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy
from sympy.codegen.ast import Assignment, CodeBlock
from sympy.matrices.matrixbase import MatrixBase


def assignments_of(equations: Iterable[Any]) -> tuple[Any, ...]:
    """The assignments in order. Raises ValueError for what is none."""
    return tuple(_assignments(equations, _Unused(equations)))


class _Unused:
    """Names of temporaries for the components of vectors, which no equation has."""

    def __init__(self, equations: Iterable[Any]) -> None:
        self.taken = {str(s) for equation in equations if isinstance(equation, sympy.Basic) for s in equation.free_symbols}
        self.count = 0

    def __call__(self) -> sympy.Symbol:
        while f"v{self.count}" in self.taken:
            self.count += 1
        self.count += 1
        return sympy.Symbol(f"v{self.count - 1}", real=True)


def _assignments(equations: Iterable[Any], unused: _Unused) -> Iterator[Any]:
    for equation in equations:
        if isinstance(equation, CodeBlock):
            yield from _assignments(equation.args, unused)
        elif isinstance(equation, (Assignment, sympy.Equality)):
            left, right = equation.args
            if isinstance(left, MatrixBase):
                yield from _components(equation, left, right, unused)
            else:
                yield _assignment(equation, left, right)
        else:
            yield _assignment(equation, None, None)


def _assignment(equation: Any, left: Any, right: Any) -> Any:
    if not isinstance(left, (sympy.Indexed, sympy.Symbol)):
        raise ValueError(f"'{equation}' is not an Assignment to an Indexed element, or to a Symbol as a temporary")
    return Assignment(left, right)


def _components(equation: Any, left: MatrixBase, right: Any, unused: _Unused) -> Iterator[Any]:
    """One assignment a component; through temporaries where a component is read that an earlier one has stored."""
    if not isinstance(right, MatrixBase) or left.shape != right.shape:
        raise ValueError(f"the sides of '{equation}' are no vectors of one length")
    targets, values = list(left), list(right)
    arrays = {target.base for target in targets if isinstance(target, sympy.Indexed)}
    if any(element.base in arrays for value in values for element in value.atoms(sympy.Indexed)):
        names = [unused() for _ in values]
        yield from (_assignment(equation, name, value) for name, value in zip(names, values, strict=True))
        values = names
    yield from (_assignment(equation, target, value) for target, value in zip(targets, values, strict=True))


def temporaries(assignments: Sequence[Any]) -> frozenset[sympy.Symbol]:
    """The symbols that are assigned. Raises ValueError for one that is assigned twice, or used before."""
    found: set[sympy.Symbol] = set()
    all_of_them = {a.lhs for a in assignments if isinstance(a.lhs, sympy.Symbol)}
    for assignment in assignments:
        early = sorted((assignment.rhs.free_symbols & all_of_them) - found, key=str)
        if early:
            raise ValueError(f"'{early[0]}' is used in '{assignment}' before it is assigned")
        if assignment.lhs in found:
            raise ValueError(f"the temporary '{assignment.lhs}' is assigned twice")
        if assignment.lhs in all_of_them:
            found.add(assignment.lhs)
    return frozenset(found)
