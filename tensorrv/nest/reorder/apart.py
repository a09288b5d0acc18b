"""Loops distributed so that some of them, each in the one before, hold nothing else.

    for (i ...) {                              for (i ...)
      s[i] = 0;                                  s[i] = 0;
      for (j ...) s[i] += A[i][j];      ->     for (i ...)
      r[i] = s[i];                               for (j ...) s[i] += A[i][j];
    }                                          for (i ...)
                                                 r[i] = s[i];

All that stands before the innermost of the loops is executed first, then the loops alone, then all that stands behind it. What
is between the loops is put in loops of one iteration for the proof, which are straight code again afterwards.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rv.analysis.remembered import remembered
from rv.analysis.values.uses import definitions
from rv.analysis.verify import verify
from rv.evolution.facts import Legal, Loop
from rv.ir.function import Function
from rv.transform.prepare import canonicalize
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.legality.proof import check_order
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.bands import check_counting
from tensorrv.nest.reorder.one_iteration import Wrapped, with_loops_of_one_iteration, without_loops_of_one_iteration
from tensorrv.nest.split.distribute import in_copies
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.schedule import Dimension, Schedule


@dataclass(frozen=True, slots=True)
class Apart:
    """The function with the loops `path` by themselves, and the one with loops of one iteration that it was made from."""

    function: Function
    path: tuple[str, ...]
    wrapped: Wrapped

    @property
    def is_distributed(self) -> bool:
        return bool(self.wrapped.before or self.wrapped.behind)


@remembered
def set_apart(function: Function, path: tuple[str, ...]) -> Apart:
    """The function with these loops, each in the one before, apart from what is between them. Raises Obstacle."""
    known, loops = definitions(function), analyze_nests(function).loops
    for header in path[:-1]:
        check_counting(function, known, loops[header])
    wrapped = with_loops_of_one_iteration(function, path)
    if not wrapped.before and not wrapped.behind:
        return Apart(function, path, wrapped)
    nests = analyze_nests(verify(wrapped.function))
    groups = _groups(wrapped, path)
    function, copies = in_copies(wrapped.function, nests.loops[path[0]], [_left_out(nests, path, group) for group in groups])
    own = copies[groups.index((path[-1],))]
    once = [copy.label(header) for copy in copies for header in (*wrapped.before, *wrapped.behind)]
    return Apart(canonicalize(without_loops_of_one_iteration(function, once)), tuple(map(own.label, path)), wrapped)


def check_apart(apart: Apart, path: Sequence[str], what: str, plan: Plan) -> Legal | Diagnostic:
    """Whether the loops of `path` could be distributed so."""
    nests = analyze_nests(apart.wrapped.function)
    outer = nests.loops[path[0]]
    one, *others = reversed(_groups(apart.wrapped, path))
    times = (Dimension(group, "apart") for group in (one, *others[:-1]))
    return check_order(
        nests, Schedule((*times, Dimension((outer.header,)))), f"{what} distributes the {outer.called}, which", outer,
        assume_no_alias=plan.assume_no_alias, assume_parallel=frozenset(plan.assume_parallel),
    )  # fmt: skip


def _groups(wrapped: Wrapped, path: Sequence[str]) -> list[tuple[str, ...]]:
    """The loops that run one group after the other."""
    return [group for group in (wrapped.before, (path[-1],), wrapped.behind) if group]


def _left_out(nests: Nests, path: Sequence[str], group: Sequence[str]) -> list[Loop]:
    """The loops that are not in a copy for a group, as far as the loops around them are."""
    kept = [header for header in path[:-1] if any(one in nests.loops[header].blocks for one in group)]
    children = (loop for loop in nests.loops.values() if loop.parent in kept)
    return [loop for loop in children if loop.header not in (*kept, *group)]
