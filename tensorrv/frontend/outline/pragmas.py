"""What pragmas before and inside of loops mean for outlining.

Without -fopenmp the compiler ignores OpenMP's, and so does outlining: no hints. With it, loops that OpenMP divides are the C
compiler's; nests inside of them are outlined, and each thread calls the function with what are its own variables.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, Literal

from tensorrv.frontend.c.pragmas.directives import follows
from tensorrv.frontend.c.pragmas.text import Directive, Malformed, parse_pragma, pragma_text

Meaning = Literal["nothing", "hint", "statement", "loop", "alone"]

_PRIVATE: Final = frozenset("private firstprivate lastprivate linear reduction in_reduction".split())


@dataclass(frozen=True, slots=True)
class Dialect:
    """Which of OpenMP's pragmas the C compiler follows: all of them, or those for lanes."""

    openmp: bool = False
    simd: bool = False

    def meaning(self, pragma: Any) -> Meaning:
        """What a pragma applies to: the next loop (`hint` if any order of its lanes is right), the statement that follows,
        nothing that follows (`alone`), or nothing at all."""
        directive = directive_of(pragma)
        match directive:
            case None:
                return "nothing"
            case Directive(openmp=False):
                return "hint"
            case Directive(words=("simd",)) if self.openmp or self.simd:
                return "hint"
            case _ if not self.openmp:
                return "nothing"
            case _ if directive.of_any_kind:
                return "loop"
            case _ if directive.stands_alone:
                return "alone"
            case _:
                return "loop" if follows(directive.words) == "loop" else "statement"


def directive_of(pragma: Any) -> Directive | None:
    """The directive of a pragma; None for one without a meaning here. Of a malformed one nothing is known: it has no words."""
    try:
        return parse_pragma(pragma_text(pragma), checked=False)
    except Malformed:
        return Directive((), openmp=True)


def is_openmp(pragma: Any) -> bool:
    directive = directive_of(pragma)
    return directive is not None and directive.openmp


def called(pragma: Any) -> str:
    """How messages name a pragma."""
    directive = directive_of(pragma)
    return "" if directive is None else f"{'omp ' * directive.openmp}{directive.name or '(unknown)'}"


def private_names(pragmas: Iterable[Any]) -> frozenset[str]:
    """The names that clauses of constructs around make variables of every thread's own."""
    directives = (directive for pragma in pragmas if (directive := directive_of(pragma)) is not None)
    clauses = (clause for directive in directives for clause in directive.clauses if clause.name in _PRIVATE)
    return frozenset(name for clause in clauses for name in clause.names)


def on_device(pragma: Any) -> bool:
    """Whether a construct may run on a device."""
    directive = directive_of(pragma)
    return directive is not None and not {"target", "teams"}.isdisjoint(directive.words)
