"""What the user promises about a loop, and wishes for it: pragmas on its header, and loops named in the plan.

The front end writes pragmas in one spelling: "ivdep", "omp parallel for", "omp simd simdlen(8) safelen(4)
nontemporal(a b) aligned(a:64)".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

from tensorrv.nest.model import Loop

_ANSWERS: Final = ("omp simd", "omp parallel for", "ivdep")
_SAFELEN: Final = re.compile(r"\bsafelen\((\d+)\)")
_NONTEMPORAL: Final = re.compile(r"\bnontemporal\(([^)]*)\)")
_ALIGNED: Final = re.compile(r"\baligned\(([^)]*)\)")
_SIMDLEN: Final = re.compile(r"\bsimdlen\((\d+)\)")


def answered_for(loop: Loop, assume_parallel: frozenset[str]) -> bool:
    """Whether the user says that iterations that a brush takes at once do not depend on each other.

    With a `safelen` clause only as long as the brush keeps to it: `safe_length`.
    """
    named = loop.name in assume_parallel or loop.header in assume_parallel
    return named or any(pragma.startswith(_ANSWERS) for pragma in loop.pragmas)


def safe_length(loop: Loop, assume_parallel: frozenset[str]) -> int | None:
    """For how many consecutive iterations the promise holds; None for all, or when there is none."""
    if loop.name in assume_parallel or loop.header in assume_parallel:
        return None
    lengths = [_number(_SAFELEN, pragma) for pragma in loop.pragmas if pragma.startswith(_ANSWERS)]
    return max((n for n in lengths if n is not None), default=None) if None not in lengths else None


def is_marked(loop: Loop) -> bool:
    """Whether a pragma asks for lanes in this loop."""
    return any(pragma.startswith("omp") and "simd" in pragma.split() for pragma in loop.pragmas)


def wanted_lanes(loop: Loop) -> int | None:
    """How many iterations at once a `simdlen` clause wishes for."""
    return next((n for pragma in loop.pragmas if (n := _number(_SIMDLEN, pragma)) is not None), None)


def stored_around_caches(loops: Iterable[Loop]) -> frozenset[str]:
    """The arrays that `nontemporal` clauses of some loops name."""
    found = [_NONTEMPORAL.search(pragma) for loop in loops for pragma in loop.pragmas]
    return frozenset(name for clause in found if clause for name in clause[1].split())


def aligned_arrays(loops: Iterable[Loop]) -> Mapping[str, int]:
    """The alignments in bytes that `aligned` clauses of some loops promise, by the names of pointers."""
    found = [_ALIGNED.search(pragma) for loop in loops for pragma in loop.pragmas]
    pairs = [item.rsplit(":", 1) for clause in found if clause for item in clause[1].split()]
    return {name: max(int(bytes_) for other, bytes_ in pairs if other == name) for name, _ in pairs}


def _number(clause: re.Pattern[str], pragma: str) -> int | None:
    found = clause.search(pragma)
    return int(found[1]) if found else None
