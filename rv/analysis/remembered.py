"""Results about functions that are remembered, found again by the function's identity.

Functions are immutable, and passes look at one function many times: once for every loop or nest, or for every brush that is
tried. Comparing two functions costs as much as most analyses, so equal functions are analyzed each for itself. Only what was last
used is kept.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache, wraps
from typing import Concatenate, Final, ParamSpec, TypeVar

from rv.ir.function import Function

T = TypeVar("T")
P = ParamSpec("P")

REMEMBERED: Final = 8
"""Of how many functions facts are kept: those that the passes of one pipeline go back and forth between."""


@dataclass(frozen=True, slots=True, eq=False)
class _Identity:
    function: Function

    def __hash__(self) -> int:
        return id(self.function)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Identity) and self.function is other.function


def remembered(analysis: Callable[Concatenate[Function, P], T]) -> Callable[Concatenate[Function, P], T]:
    """The analysis, which gives the same object again for the same function and equal other arguments: it must not be changed."""
    anew: Callable[..., T] = analysis

    @lru_cache(REMEMBERED)
    def kept(same: _Identity, arguments: tuple[object, ...], named: tuple[tuple[str, object], ...]) -> T:
        return anew(same.function, *arguments, **dict(named))

    @wraps(analysis)
    def found(function: Function, /, *arguments: P.args, **named: P.kwargs) -> T:
        return kept(_Identity(function), arguments, tuple(named.items()))

    return found
