"""A loop that holds the pieces of one loop, distributed over them: then the long ones are perfect nests again.

    for (j ...) {                          for (j ...) {
      for (i in 0 .. 1) edge;                for (i in 0 .. 1) edge;
      for (i in 1 .. n - 1) body;    ->      for (i in n - 1 .. n) edge;
      for (i in n - 1 .. n) edge;          }
    }                                      for (j ...)
                                             for (i in 1 .. n - 1) body;

Short pieces stay together, in front of the long ones. The new order is compared with the old one (`tensorrv.nest.legality`);
between the loops only values may be computed.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rv.analysis.values.uses import definitions, use_counts
from rv.evolution.facts import Legal, Loop
from rv.ir.function import Block, Function
from rv.ir.instructions import Jump
from rv.ir.rewrite import FreshNames, retarget
from rv.transform.prepare import canonicalize
from tensorrv.nest.legality.proof import check_order
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.bands import Obstacle, can_repeat, check_counting, stored_in
from tensorrv.nest.reorder.versions import behind_test
from tensorrv.nest.split.in_a_row import Copy, Part, copies_of, in_a_row
from tensorrv.schedule.plan import Plan
from tensorrv.schedule.schedule import Dimension, Schedule


def distributed(
    nests: Nests, outer: Loop, groups: Sequence[Sequence[Loop]], plan: Plan
) -> tuple[Function, tuple[Copy, ...], Schedule]:
    """The function with the loop once for each group of the loops in it, in that order. Raises Obstacle."""
    _check_between(nests, outer, groups)
    apart = (Dimension(tuple(loop.header for loop in group), "apart") for group in reversed(groups[1:]))
    schedule = Schedule((*apart, Dimension((outer.header,))))
    legal = check_order(
        nests, schedule, f"distributing the {outer.called}", outer,
        assume_no_alias=plan.assume_no_alias, assume_parallel=frozenset(plan.assume_parallel), witnessed=False,
    )  # fmt: skip
    if not isinstance(legal, Legal):
        raise Obstacle(legal.message, legal.span)
    nests = behind_test(nests, outer, outer.header, legal)
    outer, function = nests.loops[outer.header], nests.function
    everything = [nests.loops[loop.header] for group in groups for loop in group]
    function, copies = in_copies(function, outer, [[one for one in everything if not _is_in(one, group)] for group in groups])
    return canonicalize(function), copies, schedule


def in_copies(function: Function, outer: Loop, left_out: Sequence[Sequence[Loop]]) -> tuple[Function, tuple[Copy, ...]]:
    """The function with copies of a loop that only counts, one after the other, each without some of the loops in it."""
    copies = copies_of(function, outer, FreshNames.of(function), len(left_out))
    starts = {phi.result: phi.value_from(outer.preheader) for phi in function.block(outer.header).phis}
    parts = [Part((), starts, _without(function, loops)) for loops in left_out]
    return in_a_row(function, outer, copies, parts), copies


def _is_in(loop: Loop, group: Sequence[Loop]) -> bool:
    return any(loop.header == other.header for other in group)


def _without(function: Function, loops: Sequence[Loop]) -> dict[str, Block]:
    """The blocks before and behind some loops, so that control passes them by."""
    before = {loop.preheader: loop for loop in loops}
    behind = {loop.exit for loop in loops}
    changed: dict[str, Block] = {}
    for block in function.blocks:
        found = replace(block, phis=()) if block.label in behind else block
        if block.label in before:
            loop = before[block.label]
            found = replace(found, terminator=retarget(found.terminator, loop.header, loop.exit))
        if found is not block:
            changed[block.label] = found
    return changed


def _check_between(nests: Nests, outer: Loop, groups: Sequence[Sequence[Loop]]) -> None:
    """Raises Obstacle where the loop does more than count and run the loops in it, or where those give it results."""
    function = nests.function
    known, uses = definitions(function), use_counts(function)
    check_counting(function, known, outer)
    inside = [loop for group in groups for loop in group]
    stored = frozenset(stored_in(function, known, outer))
    for block in function.blocks:
        if block.label not in outer.blocks or any(block.label in loop.blocks for loop in inside):
            continue
        if block.label != outer.header and not isinstance(block.terminator, Jump):
            raise Obstacle(f"the {outer.called} decides which loops in it run", block.terminator.span)
        for instruction in block.body:
            if not can_repeat(known, stored, instruction):
                raise Obstacle(f"the {outer.called} does more than to run the loops in it", instruction.span)
    for label in (*(loop.exit for loop in inside), outer.exit):
        for phi in function.block(label).phis:
            if uses[phi.result.name]:
                raise Obstacle(f"`{phi.result.source_name}` is used behind a loop", phi.span)
