"""Which array elements of a loop can live in variables while it runs.

An element qualifies when its address is the same in the whole loop, a store to it is executed in every iteration (its block
dominates the latch), and every other access of the loop is provably to another element or another array. A store that an
invariant condition guards counts as well if the same guard is over all accesses of the element: such guards are what promotion
in an inner loop leaves. The loop leaves from its header, which accesses no memory, and calls nothing that may write.

Needs loop-simplify form.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.cfg.conditions import Known, edge_condition, known_conditions
from rv.analysis.cfg.dominance import dominator_tree
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import NaturalLoop
from rv.analysis.memory.alias import AliasAnalysis, Place
from rv.analysis.values.effects import may_write
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Block, Function
from rv.ir.instructions import Load, Store
from rv.ir.values import Value, Var


@dataclass(frozen=True, slots=True)
class Promotable:
    """Elements that are promoted together; they are accessed only if the guard, a condition of before the loop, holds."""

    elements: tuple[Place, ...]
    guard: Known | None


def find_promotable(function: Function, loop: NaturalLoop, aliases: AliasAnalysis) -> Promotable | None:
    """Some places that can live in variables under one guard, in the order of their first access."""
    if [inside for inside, _ in loop.exits] != [loop.header]:
        return None
    blocks = [block for block in function.blocks if block.label in loop.blocks]
    code = [instruction for block in blocks for instruction in block.body]
    if any(may_write(instruction) and not isinstance(instruction, Store) for instruction in code):
        return None
    if not any(isinstance(instruction, Store) for instruction in code):
        return None
    if any(isinstance(instruction, Load | Store) for instruction in function.block(loop.header).body):
        return None
    places = [place_of(instruction) for instruction in code if isinstance(instruction, Load | Store)]
    untyped = {place_of(instruction) for instruction in code if isinstance(instruction, Load | Store) and instruction.untyped}
    guards = _stored_in_every_iteration(function, blocks, loop)
    defined = defining_blocks(function)

    def is_promotable(place: Place) -> bool:
        outside = not _is_inside(place[0], loop, defined) and place not in untyped
        return outside and all(place == other or not aliases.may_alias(place, other) for other in places)

    found = [place for place in dict.fromkeys(places) if place in guards and is_promotable(place)]
    if not found:
        return None
    guard = guards[found[0]]
    return Promotable(tuple(place for place in found if guards[place] == guard), guard)


def place_of(access: Load | Store) -> Place:
    match access:
        case Load(result=result, pointer=pointer):
            return pointer, result.type
        case Store(value=value, pointer=pointer):
            return pointer, value.type


def _stored_in_every_iteration(function: Function, blocks: list[Block], loop: NaturalLoop) -> dict[Place, Known | None]:
    """The places that every iteration stores to, or every iteration if an invariant guard holds and no iteration otherwise."""
    graph = flow_graph(function)
    dominators = dominator_tree(graph)
    defined = defining_blocks(function)
    (latch,) = loop.latches
    always: set[Place] = set()
    guarded: dict[Place, Known] = {}
    known: dict[Place, set[Known]] = {}
    for block in blocks:
        if not any(isinstance(i, Load | Store) for i in block.body):
            continue
        conditions = set(known_conditions(function, graph, dominators, block.label))
        edge = edge_condition(function, graph, block.label)
        decided = edge is not None and dominators.dominates(graph.predecessors[block.label][0], latch)
        for access in (i for i in block.body if isinstance(i, Load | Store)):
            place = place_of(access)
            known[place] = known.get(place, conditions) & conditions
            if isinstance(access, Store) and dominators.dominates(block.label, latch):
                always.add(place)
            elif isinstance(access, Store) and edge is not None and decided and not _is_inside(edge[0], loop, defined):
                guarded.setdefault(place, edge)
    unguarded: dict[Place, Known | None] = dict.fromkeys(always)
    return {place: guard for place, guard in guarded.items() if guard in known[place]} | unguarded


def _is_inside(value: Value, loop: NaturalLoop, defined: Mapping[str, str]) -> bool:
    return isinstance(value, Var) and defined[value.name] in loop.blocks
