"""Branches on superword condition codes: code under a divergent branch is skipped when no thread is active (thesis, section 9.2).

    a: ...                                    a: ...
       branch %c, b, d                           %any = horizontal i1 any(i1 %c)
    b: (expensive)                    ->         branch %any, a.some, d
       jump d                                 a.some:
                                                 branch %c, b, d
                                              b: (expensive)
                                                 jump d

The gadget is put in front of linearization, which keeps the uniform branch (theorem 5) and makes a line of the rest. It pays
where what is skipped costs more, times the chance that it is skipped, than the test. The *cost* of a side is that of the blocks
that only this side reaches. Of two sides the more expensive one can be skipped: both arms are one line behind `a.some`. A branch
is left alone when one of its sides leaves a loop or goes back to a header; loops that become uniform test for threads in them
anyway. Code that tests for active threads anyway, before loads and branches that all threads have in common, is
tested at any cost: after a test it needs no second one.

Costs are rough numbers of machine instructions (`rv.cost.instructions`, unless the caller weighs them otherwise); how often code
runs is in `rv.cost.frequencies`. What lies behind several branches is executed by few threads: an arm of an if-cascade the more
rarely, the later it comes.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rv.analysis.cfg.region import Edge, Region, find_region
from rv.analysis.values.uses import Definition, definitions
from rv.cost.frequencies import EQUAL, LOOP_TRIPS, NAN, unwanted
from rv.cost.instructions import masked_instructions
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, CompareFloat, CompareInt, Horizontal, Instruction
from rv.ir.rewrite import FreshNames, rename_predecessor
from rv.ir.types import I1
from rv.ir.values import Value, Var

Weigh = Callable[[Instruction], int]


@dataclass(frozen=True, slots=True)
class SkippedCode:
    """The function, its divergent branches, and the blocks of the region."""

    function: Function
    divergent: frozenset[str]
    region: frozenset[str] | None


def expensive_sides(
    function: Function,
    divergent: frozenset[str],
    region: frozenset[str] | None = None,
    *,
    least: float,
    threads: int,
    weigh: Weigh = masked_instructions,
    guarded: frozenset[str] = frozenset(),
) -> Mapping[str, str]:
    """The sides of divergent branches, by the blocks that branch, for which a test is expected to save at least `least`.

    That is in units of `weigh`, for `threads` threads; 0: the sides of all branches that a test can stand in front of. `guarded`
    are the blocks that test for active threads unless that is known: a branch in front of them replaces that test at no cost.
    """
    part = find_region(function, region)
    blocks = {block.label: block for block in function.blocks}
    own = {label: sum(map(weigh, blocks[label].body)) for label in part.dominators.order}
    costs = {label: cost * LOOP_TRIPS ** len(part.around(label)) for label, cost in own.items()}
    taken = chances(function, part).edges
    found: dict[str, str] = {}
    for label in part.dominators.order:
        end = blocks[label].terminator
        if label in divergent and isinstance(end, Branch) and end.then != end.otherwise and _stays(part, label, end):
            relative = LOOP_TRIPS ** len(part.around(label))
            sides = {side: _side_cost(part, costs, label, side) // relative for side in (end.then, end.otherwise)}
            side = max(sides, key=sides.__getitem__)
            skipped = unwanted(taken[label, side], threads)
            if sides[side] and (sides[side] * skipped >= least or _reaches_guarded(part, divergent, side, guarded)):
                found[label] = side
    return found


def _reaches_guarded(region: Region, divergent: frozenset[str], side: str, guarded: frozenset[str]) -> bool:
    """Whether all threads that take a side reach a guarded block, whatever the uniform branches in between decide."""
    pending, seen = [side], {side}
    while pending:
        label = pending.pop()
        if label in guarded:
            return True
        if label not in divergent:
            onwards = {t for t in region.graph.successors[label] if region.dominators.dominates(side, t)} - seen
            pending += onwards
            seen |= onwards
    return False


@dataclass(frozen=True, slots=True)
class Chances:
    """The chances that a thread comes to a block, and takes an edge that leads onwards, in an iteration of the loop around."""

    blocks: Mapping[str, float]
    edges: Mapping[Edge, float]


def chances(function: Function, part: Region) -> Chances:
    """What to expect of a region without a profile."""
    blocks = {block.label: block for block in function.blocks}
    known = definitions(function)
    reached = dict.fromkeys(part.dominators.order, 0.0) | {part.entry: 1.0}
    found: dict[Edge, float] = {}
    edges = [(label, target) for label in part.dominators.order for target in part.graph.successors[label]]
    exits = Counter(_outermost_left(part, *edge) for edge in edges)
    for label in part.dominators.order:
        end = blocks[label].terminator
        staying = [t for t in part.graph.successors[label] if _in_loop_of(part, label, t)]
        then = _chance(end.condition, known) if isinstance(end, Branch) and len(staying) == 2 else 1.0
        for target in part.graph.successors[label]:
            # threads that are still in a loop, or in the region, continue there; those that exit do not matter
            chance = 1 - then if len(staying) == 2 and isinstance(end, Branch) and target == end.otherwise else then
            found[label, target] = reached[label] * chance
            left = _outermost_left(part, label, target)
            if target not in part.around(label):
                # what leaves a loop has been in it: the threads behind all exits together are those in front of the loop
                coming = reached[left] / exits[left] if left is not None else found[label, target]
                reached[target] = min(1.0, reached[target] + coming)  # sums of rounded numbers may be a little more
    return Chances(reached, found)


def _outermost_left(part: Region, label: str, target: str) -> str | None:
    """The header of the outermost loop that an edge leaves."""
    left = [header for header in part.around(label) if target not in part.loops.loops[header].blocks]
    return left[-1] if left else None


def _in_loop_of(part: Region, label: str, target: str) -> bool:
    """Whether an edge of the region stays in the innermost loop around its source."""
    around = part.around(label)
    return not around or target in part.loops.loops[around[0]].blocks


def _chance(condition: Value, known: Mapping[str, Definition]) -> float:
    """The chance that a condition holds."""
    match known.get(condition.name) if isinstance(condition, Var) else None:
        case CompareInt(predicate="eq") | CompareFloat(predicate="oeq" | "ueq"):
            return EQUAL
        case CompareInt(predicate="ne"):
            return 1 - EQUAL
        case CompareFloat(predicate="une" | "one", left=left, right=right):
            return NAN if left == right else 1 - EQUAL
        case CompareFloat(predicate="uno"):
            return NAN
        case _:
            return 0.5


def skip_sides(
    function: Function, divergent: frozenset[str], region: frozenset[str] | None, sides: Mapping[str, str]
) -> SkippedCode:
    """The function with tests in front of sides of divergent branches, which are given by the blocks that branch."""
    result, names = SkippedCode(function, divergent, region), FreshNames.of(function)
    for label, side in sides.items():
        result = _with_gadget(result, label, side, names)
    return result


def _side_cost(region: Region, costs: Mapping[str, int], branch: str, side: str) -> int:
    """The cost of what a side dominates; none when the side is also reached in another way."""
    if region.graph.predecessors.get(side) != (branch,):
        return 0
    return sum(cost for label, cost in costs.items() if region.dominators.dominates(side, label))


def _stays(region: Region, label: str, end: Branch) -> bool:
    """Whether both sides are in the block's loop, and the region, and none is its header."""
    around = region.around(label)
    sides = (end.then, end.otherwise)
    return all(s in region.graph.successors[label] and region.around(s) == around and s not in around for s in sides)


def _with_gadget(before: SkippedCode, label: str, side: str, names: FreshNames) -> SkippedCode:
    """The function in which `label` goes to its other successor when no thread goes to `side`."""
    function = before.function
    block = function.block(label)
    end = block.terminator
    assert isinstance(end, Branch)
    some = names.name(f"{label}.some")
    on_then = side == end.then
    test = Horizontal(names.variable("any" if on_then else "all", I1), "any" if on_then else "all", (end.condition,), end.span)
    other = end.otherwise if on_then else end.then
    skip = Branch(test.result, some, other, end.span) if on_then else Branch(test.result, other, some, end.span)
    blocks: list[Block] = []
    for old in function.blocks:
        if old.label == label:
            blocks += [replace(old, body=(*old.body, test), terminator=skip), Block(some, (), (), end)]
        elif old.label == side:
            blocks.append(rename_predecessor(old, label, some))
        elif old.label == other:
            phis = tuple(replace(p, incoming=(*p.incoming, (some, p.value_from(label)))) for p in old.phis)
            blocks.append(replace(old, phis=phis))
        else:
            blocks.append(old)
    region = None if before.region is None else before.region | {some}
    return SkippedCode(replace(function, blocks=tuple(blocks)), before.divergent - {label} | {some}, region)
