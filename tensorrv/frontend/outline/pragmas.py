"""What pragmas before and inside of loops mean for outlining.

Without -fopenmp the compiler ignores OpenMP's, and so does outlining: no hints. With it, loops that OpenMP divides are the C
compiler's; nests inside of them are outlined, and each thread calls the function with what are its own variables.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

Meaning = Literal["nothing", "hint", "statement", "loop", "alone"]

_ALONE: Final = frozenset(
    "barrier flush taskwait taskyield cancel cancellation threadprivate depobj requires assume assumes nothing error interop "
    "allocate".split()
)
_LOOPS: Final = frozenset("for simd loop distribute taskloop tile unroll".split())
_PRIVATE: Final = re.compile(r"\b(?:private|firstprivate|lastprivate|linear|reduction|in_reduction)\s*\(([^()]*)\)")


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which of OpenMP's pragmas the C compiler follows: all of them, or those for lanes."""

    openmp: bool = False
    simd: bool = False

    def meaning(self, pragma: Any) -> Meaning:
        """What a pragma applies to: the next loop (`hint` if any order of its lanes is right), the statement that follows,
        nothing that follows (`alone`), or nothing at all."""
        words = words_of(pragma)
        if words[:1] != ["omp"]:
            hints = (["GCC", "ivdep"], ["GCC", "unroll"], ["clang", "loop"], ["ivdep"], ["novector"], ["unroll"], ["nounroll"])
            return "hint" if words[:2] in hints or words[:1] in hints else "nothing"
        names = set(words[1:])
        if words[1:2] == ["simd"] and (self.openmp or self.simd):
            return "hint"
        if not self.openmp:
            return "nothing"
        if (words[1:2] and words[1] in _ALONE) or {"update", "enter", "exit"} & names:
            return "alone"
        return "loop" if _LOOPS & names else "statement"


def words_of(pragma: Any) -> list[str]:
    """The words of a pragma up to its first clause with parentheses."""
    return re.findall(r"\w+", text_of(pragma).partition("(")[0])


def text_of(pragma: Any) -> str:
    if isinstance(pragma.string, str):
        return pragma.string
    return str(pragma.string.value).strip('"')


def private_names(pragmas: Iterable[Any]) -> frozenset[str]:
    """The names that clauses of constructs around make variables of every thread's own."""
    found: set[str] = set()
    for pragma in pragmas:
        for names in _PRIVATE.findall(text_of(pragma)):
            found |= set(re.findall(r"[A-Za-z_]\w*", names.rpartition(":")[2] if ":" in names else names))
    return frozenset(found)
