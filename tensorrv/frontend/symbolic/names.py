"""What the names in sympy's assignments stand for: each for one thing, and each symbol for one name."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import sympy

ARRAY = "an array"
NAME = "a number, index or length"


def check_names(expressions: Iterable[Any]) -> None:
    """Raises ValueError where one name stands for different symbols, or for an array and for something else."""
    seen: dict[str, tuple[str, sympy.Basic]] = {}
    for expression in expressions:
        for symbol, role in names_in(expression):
            before, other = seen.setdefault(str(symbol), (role, symbol))
            if before != role:
                raise ValueError(f"'{symbol}' names two things: {before}, and {role}")
            if other != symbol:
                raise ValueError(f"'{symbol}' names two symbols, which differ in assumptions or are dummies; rename one of them")


def names_in(expression: Any) -> Iterator[tuple[sympy.Basic, str]]:
    """The symbols in an expression, and what they are used as."""
    if isinstance(expression, sympy.IndexedBase):
        yield expression.label, ARRAY
        for length in expression.shape or ():
            yield from names_in(length)
    elif isinstance(expression, sympy.Idx):
        yield expression.label, NAME
    elif isinstance(expression, sympy.Symbol):
        yield expression, NAME
    elif isinstance(expression, sympy.Basic):
        for argument in expression.args:
            yield from names_in(argument)


def check_ranges(elements: Sequence[sympy.Indexed], values: Sequence[Any], known: Iterable[Any]) -> None:
    """Raises ValueError for names in subscripts, and for indices in formulas, that have no range and are no length."""
    names = {str(name) for name in known}
    for element in elements:
        for subscript in element.indices:
            for symbol, role in names_in(subscript):
                if role == ARRAY:
                    raise ValueError(f"'{element}' has a subscript that is an element of '{symbol}', which formulas cannot have")
                if str(symbol) not in names:
                    raise ValueError(f"'{symbol}' in {element} has no range and is no length; pass ranges={{{symbol}: ...}}")
    for value in values:
        for index in value.atoms(sympy.Idx):
            if str(index) not in names:
                raise ValueError(f"index '{index}' in {value} has no range; pass ranges={{{index}: (first, behind the last)}}")
