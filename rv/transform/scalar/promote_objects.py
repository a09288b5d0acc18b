"""Stack objects that become variables: those that are only loaded and stored at constant places.

    %a = alloca i32 x 2
    store i32 %n, %a
    %p = elemptr i32, %a [1]
    store i32 7, %p                ->     ...
    %x = load i32, %a                     (%x is %n, %y is 7)
    %y = load i32, %p

Every place is a variable of its own; what it holds where is found by the method of Braun and others (Simple and Efficient
Construction of Static Single Assignment Form, 2013): a load looks backwards, and blocks with several predecessors get phis. Where
the alloca stands, places become undefined. Loops of at most `MOST_TRIPS` iterations are unrolled when subscripts that only
depend on their counters become constants by that, unless the loop has hints.

Objects that are accessed at variable places, in overlapping parts, or under predicates stay; those that are arrays of structs are
split (`rv.transform.scalar.split_objects`).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise
from typing import Final

from rv.analysis.cfg.flow import FlowGraph, flow_graph
from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.memory.object_accesses import AccessedObject, accessed_objects
from rv.analysis.values.uses import Definition, definitions
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS
from rv.ir.instructions import Alloca, Instruction, Load, Phi, Store, operands
from rv.ir.rewrite import FreshNames, substitute
from rv.ir.types import Type, size_of
from rv.ir.values import Const, Undef, Value, Var
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from rv.transform.loops.unroll import constant_trips, unroll
from rv.transform.scalar.dead import eliminate_dead_code
from rv.transform.scalar.split_objects import split_objects
from rv.transform.simplify import simplify

MOST_TRIPS: Final = 16
MOST_PLACES: Final = 64
MOST_INSTRUCTIONS: Final = 2000
"""That a loop is unrolled to."""


def promote_objects(function: Function) -> Function:
    """The function with variables for the objects that qualify, simplified if anything was changed."""
    if not any(isinstance(i, Alloca) for _, i in function.instructions()):
        return function
    while True:
        function = simplify(function)
        changed = _promoted(function) or split_objects(function)
        if changed is None:
            function = close_loops(simplify_loops(function))
            changed = _unrolled(function)
        if changed is None:
            return function
        function = changed


# -- unrolling


def _unrolled(function: Function) -> Function | None:
    """The function with innermost ones of the loops unrolled that keep an object from being promoted."""
    forest, known = find_loops(function), definitions(function)
    trips: dict[str, int] = {}
    for header, loop in forest.loops.items():
        found = None if function.block(header).hints != NO_HINTS else constant_trips(function, loop, known, MOST_TRIPS)
        if found is not None:
            trips[header] = found
    counters = {phi.result.name: header for header in trips for phi in function.block(header).phis}
    wanted: set[str] = set()
    for found_object in accessed_objects(function):
        wanted |= _loops_in_the_way(found_object, counters, known) or set()
    changed, done = function, set[str]()
    for loop in forest.innermost_first():
        apart = not loop.blocks & done  # of nested loops, one at a time
        if loop.header in wanted and apart and _size(function, loop) * trips[loop.header] <= MOST_INSTRUCTIONS:
            changed = unroll(changed, loop, trips[loop.header])
            done |= loop.blocks
    return changed if done else None


def _loops_in_the_way(accessed: AccessedObject, counters: Mapping[str, str], known: Mapping[str, Definition]) -> set[str] | None:
    """The headers of the loops on whose counters subscripts depend; None when they depend on anything else."""
    if accessed.alloca.count > MOST_PLACES:
        return None
    found: set[str] = set()
    for access in accessed.accesses:
        for value in access.subscripts:
            headers = _counted_by(value, counters, known)
            if headers is None:
                return None
            found |= headers
    return found


def _counted_by(value: Value, counters: Mapping[str, str], known: Mapping[str, Definition]) -> set[str] | None:
    match value:
        case Const():
            return set()
        case Var(name) if name in counters:
            return {counters[name]}
        case Var(name) if name in known and not isinstance(known[name], Phi | Load) and operands(known[name]):
            parts = [_counted_by(operand, counters, known) for operand in operands(known[name])]
            return None if None in parts else set[str]().union(*(part for part in parts if part is not None))
        case _:
            return None


def _size(function: Function, loop: NaturalLoop) -> int:
    return sum(len(function.block(label).body) for label in loop.blocks)


# -- promotion


@dataclass(frozen=True, slots=True)
class _Place:
    """One variable: a part of an object, by its offset in bytes."""

    object: str
    offset: int
    type: Type


def _promoted(function: Function) -> Function | None:
    """The function without the objects that qualify; None when none does."""
    objects = [(o, places) for o in accessed_objects(function) if (places := _places(o)) is not None]
    if not objects:
        return None
    accesses: dict[tuple[str, int], _Place] = {}
    for accessed, places in objects:
        for access, place in zip(accessed.accesses, places, strict=True):
            accesses[access.label, id(access.access)] = place
    renaming = _Renaming(function, flow_graph(function), accesses, {o.alloca.result.name: places for o, places in objects})
    return eliminate_dead_code(renaming.run())


def _places(accessed: AccessedObject) -> list[_Place] | None:
    """The place of every access; None when one is not constant, outside of the object, or overlaps another one.

    Where nothing is loaded, places do not matter.
    """
    if not any(isinstance(access.access, Load) for access in accessed.accesses):
        return [_Place(accessed.alloca.result.name, 0, access.type) for access in accessed.accesses]
    found: list[_Place] = []
    types: dict[int, Type] = {}
    size = size_of(accessed.alloca.element) * accessed.alloca.count
    for access in accessed.accesses:
        offset = access.offset
        if offset is None or not 0 <= offset <= size - size_of(access.type):
            return None
        if types.setdefault(offset, access.type) != access.type:
            return None
        found.append(_Place(accessed.alloca.result.name, offset, access.type))
    ordered = sorted(types.items(), key=lambda item: item[0])
    if any(offset + size_of(type_) > following for (offset, type_), (following, _) in pairwise(ordered)):
        return None
    return found


@dataclass(slots=True)
class _Renaming:
    """The values of places: at the end of a block (`leaving`), and at the start where a phi was made (`phis`)."""

    function: Function
    graph: FlowGraph
    accesses: Mapping[tuple[str, int], _Place]
    objects: Mapping[str, list[_Place]]
    names: FreshNames = field(init=False)
    leaving: dict[tuple[str, _Place], Value] = field(default_factory=dict)
    phis: dict[tuple[str, _Place], Var] = field(default_factory=dict)
    pending: list[tuple[str, _Place]] = field(default_factory=list)
    loaded: dict[str, Value] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.names = FreshNames.of(self.function)

    def run(self) -> Function:
        for block in self.function.blocks:
            self._leave(block)
        bodies = {block.label: self._body(block) for block in self.function.blocks}
        incoming: dict[str, list[Phi]] = {}
        while self.pending:
            label, place = self.pending.pop()
            values = tuple((p, self._at_end(p, place)) for p in self.graph.predecessors[label])
            incoming.setdefault(label, []).append(Phi(self.phis[label, place], values))
        blocks = tuple(
            replace(b, phis=(*b.phis, *incoming.get(b.label, ())), body=bodies[b.label]) for b in self.function.blocks
        )
        return substitute(replace(self.function, blocks=blocks), self.loaded)

    def _leave(self, block: Block) -> None:
        """What the block itself leaves in places. A loaded value is what was there, so it counts as well."""
        for instruction in block.body:
            for place, value in self._effects(block, instruction):
                self.leaving[block.label, place] = value

    def _effects(self, block: Block, instruction: Instruction) -> Iterator[tuple[_Place, Value]]:
        place = self.accesses.get((block.label, id(instruction)))
        match instruction:
            case Alloca(result=result):
                yield from ((place, Undef(place.type)) for place in self.objects.get(result.name, ()))
            case Store(value=value) if place is not None:
                yield place, value
            case Load(result=result) if place is not None:
                yield place, result

    def _body(self, block: Block) -> tuple[Instruction, ...]:
        """The block without accesses to places; loads are replaced by the values that are there."""
        current: dict[_Place, Value] = {}
        kept: list[Instruction] = []
        for instruction in block.body:
            place = self.accesses.get((block.label, id(instruction)))
            if isinstance(instruction, Load) and place is not None:
                value = current[place] if place in current else self._at_start(block.label, place)
                self.loaded[instruction.result.name] = current[place] = value
                continue
            current.update(self._effects(block, instruction))
            if place is None:
                kept.append(instruction)
        return tuple(kept)

    def _at_end(self, label: str, place: _Place) -> Value:
        while (label, place) not in self.leaving:
            before = self.graph.predecessors[label]
            if len(before) != 1:
                return self._at_start(label, place)
            (label,) = before
        return self.leaving[label, place]

    def _at_start(self, label: str, place: _Place) -> Value:
        """The value that comes in: that of the only predecessor, or a phi."""
        before = self.graph.predecessors[label]
        if not before:
            return Undef(place.type)
        if len(before) == 1:
            return self._at_end(before[0], place)
        if (label, place) not in self.phis:
            self.phis[label, place] = self.names.variable(f"{place.object}.{place.offset}", place.type)
            self.pending.append((label, place))
        return self.phis[label, place]
