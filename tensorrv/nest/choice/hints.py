"""The user's hints and preferences for a loop: hints on its header, and loops named in the plan."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rv.evolution.facts import Loop


def declared_independent(loop: Loop, assume_parallel: frozenset[str]) -> bool:
    """Whether iterations of one brush are declared independent of each other.

    With a `safelen` clause only as long as the brush keeps to it: `safe_length`.
    """
    return is_named(loop, assume_parallel) or loop.hints.independent != ""


def independent_in_threads(loop: Loop, assume_parallel: frozenset[str]) -> bool:
    """Whether iterations are declared to run at the same time in any order; `omp simd` covers lock step only."""
    return is_named(loop, assume_parallel) or loop.hints.independent == "threads"


def is_assumed(loop: Loop, assume_parallel: frozenset[str]) -> bool:
    """Whether the user's word is only about dependences that cannot be proved, as that of `#pragma ivdep` is."""
    return not is_named(loop, assume_parallel) and loop.hints.independent == "assumed"


def is_named(loop: Loop, assume_parallel: frozenset[str]) -> bool:
    """Whether the plan declares the loop's iterations independent by name."""
    return loop.name in assume_parallel or loop.header in assume_parallel


def safe_length(loop: Loop, assume_parallel: frozenset[str]) -> int | None:
    """For how many consecutive iterations the hint holds; None for all, or when there is none."""
    return None if is_named(loop, assume_parallel) else loop.hints.safelen


def stored_around_caches(loops: Iterable[Loop]) -> frozenset[str]:
    """The arrays that `nontemporal` clauses of some loops name."""
    return frozenset(name for loop in loops for name in loop.hints.nontemporal)


def aligned_arrays(loops: Iterable[Loop]) -> Mapping[str, int]:
    """The alignments in bytes in `aligned` clauses of some loops, by the names of pointers."""
    return dict(sorted(pair for loop in loops for pair in loop.hints.aligned))


def parallel_hint(loops: Sequence[Loop]) -> str:
    """What the user can do about a dependence between iterations that is not proved absent, or what withdrew a hint."""
    loop = next((loop for loop in loops if loop.hints.withdrawn), loops[-1])
    if not loop.hints.withdrawn:
        return f"if no two iterations access the same element, use `#pragma omp simd` or --assume-parallel {loop.name}"
    place = "" if loop.hints.withdrawn_at is None else f", line {loop.hints.withdrawn_at.line}"
    return f"the pragma before the {loop.called} does not make its iterations independent: {loop.hints.withdrawn}{place}"
