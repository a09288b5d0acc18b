"""Neighbouring loops run as one: the body of the second behind that of the first.

    for (i = 0; i < n; ++i)              for (i = 0; i < n; ++i) {
      B[i] = A[i];                         B[i] = A[i];
    for (i = 0; i < n; ++i)       ->       C[i] = B[i];
      C[i] = B[i];                       }

Both loops have equal bounds. What is computed between them moves before the first one; it must not rest on what that computes.
Nests are fused in all of their loops or not at all: each loop that holds others holds one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

from rv.analysis.cfg.block_order import block_order
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.region import find_region
from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, definitions, pointer_roots, use_counts
from rv.evolution.facts import Loop
from rv.evolution.polynomial import Polynomial, counter
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Instruction, Jump, Load, Store
from rv.ir.rewrite import rename_predecessor, retarget, substitute
from rv.ir.values import Value, Var
from rv.transform.prepare import canonicalize
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.model import Nests
from tensorrv.nest.reorder.bands import Obstacle
from tensorrv.schedule.schedule import Dimension, Schedule

Pair = tuple[Loop, Loop]


def neighbours(nests: Nests) -> Iterator[Pair]:
    """All pairs of loops that follow each other, in textual order, outer ones first."""
    places = {label: number for number, label in enumerate(block_order(find_region(nests.function)))}
    parents = dict.fromkeys(loop.parent for loop in nests.loops.values())
    for parent in parents:
        siblings = [loop for loop in nests.loops.values() if loop.parent == parent]
        siblings.sort(key=lambda loop: places[loop.header])
        yield from pairwise(siblings)


def pairs_of(nests: Nests, first: Loop, second: Loop) -> tuple[Pair, ...]:
    """The loops that become one, outermost first. Raises Obstacle where the nests are not alike."""
    found: list[Pair] = []
    inside: tuple[Sequence[Loop], Sequence[Loop]] = ([first], [second])
    while inside[0] or inside[1]:
        if len(inside[0]) != 1 or len(inside[1]) != 1:
            raise Obstacle("the nests have different loops inside", second.span)
        found.append((inside[0][0], inside[1][0]))
        _check_bounds(found)
        one, other = (
            [loop for loop in nests.loops.values() if loop.parent == outer[0].header] for outer in inside
        )
        inside = (one, other)
    return tuple(found)


def fused_schedule(pairs: Sequence[Pair]) -> Schedule:
    """The order of the fused nest."""
    return Schedule(tuple(Dimension((one.header, other.header)) for one, other in pairs))


def region_of(function: Function, first: Loop, second: Loop) -> Loop:
    """Both loops and what stands between them, as one loop. Raises Obstacle where control may go elsewhere between them."""
    between = frozenset(block.label for block in _between(function, first, second))
    return replace(first, blocks=first.blocks | between | second.blocks, exit=second.exit)


def fused(function: Function, pairs: Sequence[Pair]) -> Function:
    """The function with these nests as one. Raises Obstacle."""
    for one, other in pairs:
        nests = analyze_nests(function)
        function = canonicalize(_Fusion(nests, nests.loops[one.header], nests.loops[other.header]).result())
    return function


def _check_bounds(pairs: Sequence[Pair]) -> None:
    """The innermost of the pairs run equally often."""
    first, second = pairs[-1]
    if first.trip is None or second.trip is None:
        unknown = first if first.trip is None else second
        raise Obstacle(f"the trip count of the {unknown.called} is not computable before the loop", unknown.span)
    one, other = first.trip, second.trip
    if (one.start, one.bound, one.step, one.predicate, one.type, one.offset) == (
        other.start, other.bound, other.step, other.predicate, other.type, other.offset,
    ):  # fmt: skip
        return
    counters = {counter(inner.header): Polynomial.symbol(counter(outer.header)) for outer, inner in pairs}
    same = one.distance == other.distance.substitute(counters) and abs(one.step) == abs(other.step)
    if not same or first.conditions or second.conditions:
        raise Obstacle("the loops have different bounds", second.span)


def _between(function: Function, first: Loop, second: Loop) -> Iterator[Block]:
    """The blocks from the exit of the first loop to the preheader of the second."""
    predecessors = flow_graph(function).predecessors
    label = first.exit
    while True:
        block = function.block(label)
        if not isinstance(block.terminator, Jump) or len(predecessors[label]) > 1:
            raise Obstacle("the two loops are not executed under the same conditions", second.span)
        yield block
        if label == second.preheader:
            return
        label = block.terminator.target


@dataclass(frozen=True, slots=True)
class _Fusion:
    """One pair of loops with nothing else inside the loop around them that stands between them."""

    nests: Nests
    first: Loop
    second: Loop

    @property
    def function(self) -> Function:
        return self.nests.function

    def result(self) -> Function:
        between = tuple(_between(self.function, self.first, self.second))
        moved = self._moved(between)
        first, second = self.function.block(self.first.header), self.function.block(self.second.header)
        for instruction in second.body:
            if not is_speculatable(instruction):
                raise Obstacle("the condition of the second loop does more than compare", instruction.span)
        gone = {block.label for block in between} | {second.label}
        blocks = [self._changed(block, moved, first, second) for block in self.function.blocks if block.label not in gone]
        return substitute(replace(self.function, blocks=tuple(blocks)), self._same_variables(first, second))

    def _changed(self, block: Block, moved: tuple[Instruction, ...], first: Block, second: Block) -> Block:
        entry = self.second.body
        if block.label == self.first.preheader:
            return replace(block, body=(*block.body, *moved))
        if block.label == first.label:
            return self._header(first, second)
        if block.label == self.first.latch:
            return replace(block, terminator=retarget(block.terminator, first.label, entry))
        if block.label == self.second.latch:
            changed = replace(block, terminator=retarget(block.terminator, second.label, first.label))
            return rename_predecessor(changed, second.label, self.first.latch)
        if block.label in (entry, self.second.exit):
            return rename_predecessor(block, second.label, first.label if block.label == self.second.exit else self.first.latch)
        return block

    def _header(self, first: Block, second: Block) -> Block:
        names = {self.second.preheader: self.first.preheader, self.first.latch: self.second.latch}
        phis = tuple(
            replace(phi, incoming=tuple((names.get(label, label), value) for label, value in phi.incoming))
            for phi in (*first.phis, *second.phis)
        )
        assert isinstance(first.terminator, Branch)
        terminator = retarget(first.terminator, self.first.exit, self.second.exit)
        hints = first.hints.also(second.hints).without_promise("it is made of two loops")
        return replace(first, phis=phis, body=(*first.body, *second.body), terminator=terminator, hints=hints)

    def _moved(self, between: Sequence[Block]) -> tuple[Instruction, ...]:
        """What is computed between the loops, which can be computed before them."""
        known = definitions(self.function)
        stored = frozenset(self._stored(known))
        phis = {phi.result for phi in self.function.block(self.first.exit).phis}
        uses = use_counts(self.function)
        for result in phis:
            if uses[result.name]:
                raise Obstacle(f"`{result.source_name}` is used after the first loop", self.first.span)
        moved = [instruction for block in between for instruction in block.body]
        for instruction in moved:
            if not is_speculatable(instruction) and not _is_free_load(known, stored, instruction):
                raise Obstacle("this is between the loops", instruction.span)
        return tuple(moved)

    def _stored(self, known: Mapping[str, Definition]) -> Iterator[str]:
        for _, instruction in self.function.instructions_in(self.first.blocks):
            if isinstance(instruction, Store) and isinstance(instruction.pointer, Var):
                yield from (root.name for root in pointer_roots(known, instruction.pointer))

    def _same_variables(self, first: Block, second: Block) -> Mapping[str, Value]:
        """Variables of the second loop that count as one of the first does."""
        moved = {counter(second.label): Polynomial.symbol(counter(first.label))}
        forms = self.nests.congruences
        own = {(forms[phi.result.name], phi.result.type): phi.result for phi in first.phis if phi.result.name in forms}
        found: dict[str, Value] = {}
        for phi in second.phis:
            form = forms.get(phi.result.name)
            same = None if form is None else own.get((form.substitute(moved), phi.result.type))
            if same is not None:
                found[phi.result.name] = same
        return found


def _is_free_load(known: Mapping[str, Definition], stored: frozenset[str], instruction: Instruction) -> bool:
    """Whether an instruction loads what is not stored to."""
    if not isinstance(instruction, Load) or not isinstance(instruction.pointer, Var):
        return False
    return stored.isdisjoint(root.name for root in pointer_roots(known, instruction.pointer))
