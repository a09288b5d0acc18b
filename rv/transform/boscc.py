"""Branches on superword condition codes: code under a divergent branch is skipped when no thread wants it (thesis, section 9.2).

    a: ...                                    a: ...
       branch %c, b, d                           %any = horizontal i1 any(i1 %c)
    b: (expensive)                    ->         branch %any, a.some, d
       jump d                                 a.some:
                                                 branch %c, b, d
                                              b: (expensive)
                                                 jump d

The gadget is put in front of linearization, which keeps the uniform branch (theorem 5) and makes a line of the rest. It pays
where what is skipped costs more than the test: the *cost* of a side is that of the blocks that only this side reaches. Of two
sides the more expensive one can be skipped: both arms are one line behind `a.some`.

Costs are rough numbers of vector instructions: an access under a mask counts for four, a call for twenty, a division for eight,
and what is in a loop eight times. A branch is left alone when one of its sides leaves a loop or goes back to a header; loops
that become uniform test whether anybody is in them anyway.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from rv.analysis.effects import DIVISIONS
from rv.analysis.region import Region, find_region
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, Call, Horizontal, Instruction, Load, Store
from rv.ir.rewrite import FreshNames, rename_predecessor
from rv.ir.types import I1

DEFAULT_THRESHOLD: Final = 40
LOOP_WEIGHT: Final = 8


@dataclass(frozen=True, slots=True)
class SkippedCode:
    """The function, its divergent branches, and the blocks of the region."""

    function: Function
    divergent: frozenset[str]
    region: frozenset[str] | None


def skip_unwanted(
    function: Function,
    divergent: frozenset[str],
    region: frozenset[str] | None = None,
    threshold: int = DEFAULT_THRESHOLD,
) -> SkippedCode:
    """The function with tests in front of those sides of divergent branches that cost at least `threshold`."""
    part = find_region(function, region)
    blocks = {block.label: block for block in function.blocks}
    costs = {label: _block_cost(blocks[label]) * LOOP_WEIGHT ** len(part.around(label)) for label in part.dominators.order}
    result = SkippedCode(function, divergent, region)
    for label in part.dominators.order:
        end = blocks[label].terminator
        if label in divergent and isinstance(end, Branch) and end.then != end.otherwise:
            relative = LOOP_WEIGHT ** len(part.around(label))
            sides = {side: _side_cost(part, costs, label, side) // relative for side in (end.then, end.otherwise)}
            side = max(sides, key=sides.__getitem__)
            if sides[side] >= threshold and _stays(part, label, end):
                result = _with_gadget(result, label, side)
    return result


def _block_cost(block: Block) -> int:
    return sum(map(_cost, block.body))


def _cost(instruction: Instruction) -> int:
    match instruction:
        case Load() | Store():
            return 4
        case Call():
            return 20
        case Binary(op=op) if op in DIVISIONS or op == "fdiv":
            return 8
        case _:
            return 1


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


def _with_gadget(before: SkippedCode, label: str, side: str) -> SkippedCode:
    """The function in which `label` goes to its other successor when no thread wants to go to `side`."""
    function = before.function
    names = FreshNames.of(function)
    block = function.block(label)
    end = block.terminator
    assert isinstance(end, Branch)
    some = names.name(f"{label}.some")
    wanted = side == end.then
    test = Horizontal(names.variable("any" if wanted else "all", I1), "any" if wanted else "all", (end.condition,), end.span)
    other = end.otherwise if wanted else end.then
    skip = Branch(test.result, some, other, end.span) if wanted else Branch(test.result, other, some, end.span)
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
