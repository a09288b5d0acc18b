"""Bands: chains of loops with nothing between them that has to stay there, so that they can run in another order.

    for (i ...) {              Between the loops only values are computed, from counters and from what no loop of the band
      x = 2 * i;               writes. They can be computed again in the innermost body. All loops of a band count their own
      for (j ...)              iterations and carry nothing else.
        body;
    }
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, defining_blocks, definitions, pointer_roots
from rv.evolution.facts import Loop
from rv.ir.function import Block, Function
from rv.ir.instructions import Instruction, Jump, Load, Phi, Store, operands
from rv.ir.source import Span
from rv.ir.values import Var


class Obstacle(Exception):
    """Why loops cannot run in another order, whatever depends on what; `span` is where."""

    def __init__(self, reason: str, span: Span | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.span = span


@dataclass(frozen=True, slots=True)
class Band:
    """The loops, outermost first, and what is computed in each of them before the next one, in textual order."""

    loops: tuple[Loop, ...]
    between: tuple[tuple[Instruction, ...], ...]

    @property
    def blocks(self) -> frozenset[str]:
        return self.loops[0].blocks


def find_band(function: Function, loops: Sequence[Loop]) -> Band:
    """The band of these loops, each of which is the only one directly inside the one before. Raises Obstacle."""
    known = definitions(function)
    stored = frozenset(stored_in(function, known, loops[0]))
    for loop in loops:
        check_counting(function, known, loop)
    between = [tuple(_between(function, known, stored, outer, inner)) for outer, inner in pairwise(loops)]
    for phi in function.block(loops[0].exit).phis:
        raise Obstacle(f"`{phi.result.source_name}` is used after the {loops[0].called}", loops[0].span)
    return Band(tuple(loops), tuple(between))


def stored_in(function: Function, known: Mapping[str, Definition], region: Loop) -> Iterator[str]:
    """What stores in a loop may go to, by the names of the pointers that theirs come from."""
    for _, instruction in function.instructions_in(region.blocks):
        if isinstance(instruction, Store) and isinstance(instruction.pointer, Var):
            yield from (root.name for root in pointer_roots(known, instruction.pointer))


def check_counting(function: Function, known: Mapping[str, Definition], loop: Loop) -> None:
    """The loop's trip count is known before it runs, and its phis only count."""
    if loop.trip is None or loop.variable is None:
        raise Obstacle(f"the trip count of the {loop.called} is not computable before the loop", loop.span)
    header = function.block(loop.header)
    for phi in header.phis:
        if not _counts(function, known, loop, phi):
            raise Obstacle(f"the {loop.called} carries `{phi.result.source_name}` from one iteration to the next", phi.span)
    for instruction in header.body:
        if not is_speculatable(instruction):
            raise Obstacle(f"the condition of the {loop.called} does more than compare", instruction.span)


def _counts(function: Function, known: Mapping[str, Definition], loop: Loop, phi: Phi) -> bool:
    """Whether the next value follows from phis of the header and from outside by pure operations."""
    places = defining_blocks(function)
    own = {p.result.name for p in function.block(loop.header).phis}
    pending, seen = [phi.value_from(loop.latch)], set[str]()
    while pending:
        value = pending.pop()
        if not isinstance(value, Var) or value.name in seen | own or places[value.name] not in loop.blocks:
            continue
        seen.add(value.name)
        definition = known[value.name]
        if isinstance(definition, Phi) or not is_speculatable(definition):
            return False
        pending += operands(definition)
    return True


def _between(
    function: Function, known: Mapping[str, Definition], stored: frozenset[str], outer: Loop, inner: Loop
) -> Iterator[Instruction]:
    """What is computed in `outer` before `inner` runs."""
    for block in _way(function, outer.body, inner.preheader, outer, inner):
        for instruction in block.body:
            if not can_repeat(known, stored, instruction):
                raise Obstacle(_stands(outer, inner), instruction.span)
            yield instruction
    for block in _way(function, inner.exit, outer.latch, outer, inner):
        for instruction in block.body:
            if not is_speculatable(instruction):
                raise Obstacle(_stands(outer, inner), instruction.span)


def _stands(outer: Loop, inner: Loop) -> str:
    return f"this is in the {outer.called}, but not in the {inner.called}"


def _way(function: Function, first: str, last: str, outer: Loop, inner: Loop) -> Iterator[Block]:
    """The blocks from one to the other, without any choice."""
    label = first
    while True:
        block = function.block(label)
        yield block
        if label == last:
            return
        if not isinstance(block.terminator, Jump) or label not in outer.blocks:
            raise Obstacle(f"not every iteration of the {outer.called} executes the {inner.called}", inner.span)
        label = block.terminator.target


def can_repeat(known: Mapping[str, Definition], stored: frozenset[str], instruction: Instruction) -> bool:
    """Whether an instruction may be executed again in every iteration of loops further in: loads, if nothing is stored there."""
    if isinstance(instruction, Load) and isinstance(instruction.pointer, Var):
        return stored.isdisjoint(root.name for root in pointer_roots(known, instruction.pointer))
    return is_speculatable(instruction)
