"""Names that come from formulas as names in C."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

KEYWORDS: Final = frozenset(
    """auto break case char const continue default do double else enum extern float for goto if inline int long register
    restrict return short signed sizeof static struct switch typedef union unsigned void volatile while""".split()
)
MACROS: Final = frozenset(("INFINITY", "NAN", "HUGE_VAL", "HUGE_VALF", "HUGE_VALL"))
"""Names that math.h gives a meaning, besides those that begin with `M_`."""


def checked_name(name: str) -> str:
    """The name, if it can be one in C. Raises ValueError."""
    if not (name.isascii() and name.isidentifier()) or name in KEYWORDS or name in MACROS or name.startswith(("_", "M_")):
        raise ValueError(f"'{name}' is not a name in C that is free to use")
    return name


def check_distinct(names: Iterable[str]) -> None:
    """Raises ValueError where two of the parameters and loop variables of a function have one name."""
    seen: set[str] = set()
    for name in names:
        if checked_name(name) in seen:
            raise ValueError(f"'{name}' names two things: arrays, lengths, numbers and indices need names of their own")
        seen.add(name)
