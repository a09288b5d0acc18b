"""Memory promotion: an array element that a loop updates in every iteration lives in a variable while the loop runs.

    pre:                                  pre:
      jump head                             %runs = icmp slt i64 0, %n
    head:                                   branch %runs, head.load, head.pre
      %k = phi i64 [0, pre], ...          head.load:
      %c = icmp slt i64 %k, %n              %old = load double, %p
      branch %c, body, out                  jump head.pre
    body:                                 head.pre:
      %x = load double, %p          ->      %first = phi double [%old, head.load], [undef, pre]
      %y = fadd double %x, %z               jump head
      store double %y, %p                 head:
      ...                                   %x = phi double [%first, head.pre], [%y, latch]
    out:                                    ...
      ...                                 out:
                                            %last = phi double [%x, head]
                                            branch %runs, head.store, head.done
                                          head.store:
                                            store double %last, %p
                                            jump head.done

Which elements: the address is the same in the whole loop, a store to it is executed in every iteration (its block dominates the
latch, or it would if an invariant condition that guards all accesses held: such are the guards that promotion in an inner loop
leaves), and every other access of the loop is provably to another element or another array. The element is loaded before the loop
and stored after it only if the loop runs at all, so that nothing is touched that the source would not touch; where the first
test is known to be true the guards vanish. Loops that only read an element are left alone: their loads are invariant already.

Needs the form of `prepare`, and gives it. Loops are visited from the inside out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rv.analysis.alias import AliasAnalysis, Place, alias_analysis
from rv.analysis.conditions import Known, edge_condition, known_conditions
from rv.analysis.dominance import dominator_tree
from rv.analysis.effects import may_write
from rv.analysis.flow import flow_graph
from rv.analysis.loops import NaturalLoop, find_loops
from rv.analysis.uses import defining_blocks
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Instruction, Jump, Load, Phi, Store
from rv.ir.rewrite import FreshNames, rename_predecessor, substitute
from rv.ir.values import Undef, Value, Var
from rv.transform.first_test import FirstTest, first_test, only_if
from rv.transform.prepare import canonicalize


def promote(function: Function, distinct_arrays: bool) -> Function:
    """The function with accumulators of loops in variables; `distinct_arrays`: pointer parameters point to separate arrays.

    Facts that hold only for distinct arrays are used for hoisting and known loads as well.
    """
    function = canonicalize(function, distinct_arrays)
    for header in [loop.header for loop in find_loops(function).innermost_first()]:
        while (loop := find_loops(function).loops.get(header)) is not None:
            group = _promotable(function, loop, alias_analysis(function, distinct_arrays))
            if group is None:
                break
            function = canonicalize(_promote_in(function, loop, group), distinct_arrays)
    return function


@dataclass(frozen=True, slots=True)
class _Group:
    """Elements that are promoted together; they are accessed only if the guard, a condition of before the loop, holds."""

    elements: tuple[Place, ...]
    guard: Known | None


def _promotable(function: Function, loop: NaturalLoop, aliases: AliasAnalysis) -> _Group | None:
    """Some places that can live in variables under one guard, in the order of their first access."""
    if [inside for inside, _ in loop.exits] != [loop.header]:
        return None
    blocks = [block for block in function.blocks if block.label in loop.blocks]
    code = [instruction for block in blocks for instruction in block.body]
    if any(may_write(instruction) and not isinstance(instruction, Store) for instruction in code):
        return None
    if any(isinstance(instruction, Load | Store) for instruction in function.block(loop.header).body):
        return None
    places = [_place(instruction) for instruction in code if isinstance(instruction, Load | Store)]
    guards = _stored_in_every_iteration(function, blocks, loop)
    defined = defining_blocks(function)

    def is_promotable(place: Place) -> bool:
        outside = not _is_inside(place[0], loop, defined)
        return outside and all(place == other or not aliases.may_alias(place, other) for other in places)

    found = [place for place in dict.fromkeys(places) if place in guards and is_promotable(place)]
    if not found:
        return None
    guard = guards[found[0]]
    return _Group(tuple(place for place in found if guards[place] == guard), guard)


def _place(access: Load | Store) -> Place:
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
        conditions = set(known_conditions(function, graph, dominators, block.label))
        edge = edge_condition(function, graph, block.label)
        decided = edge is not None and dominators.dominates(graph.predecessors[block.label][0], latch)
        for access in (i for i in block.body if isinstance(i, Load | Store)):
            place = _place(access)
            known[place] = known.get(place, conditions) & conditions
            if isinstance(access, Store) and dominators.dominates(block.label, latch):
                always.add(place)
            elif isinstance(access, Store) and edge is not None and decided and not _is_inside(edge[0], loop, defined):
                guarded.setdefault(place, edge)
    unguarded: dict[Place, Known | None] = dict.fromkeys(always)
    return {place: guard for place, guard in guarded.items() if guard in known[place]} | unguarded


def _is_inside(value: Value, loop: NaturalLoop, defined: Mapping[str, str]) -> bool:
    return isinstance(value, Var) and defined[value.name] in loop.blocks


def _promote_in(function: Function, loop: NaturalLoop, group: _Group) -> Function:
    names = FreshNames.of(function)
    aliases = alias_analysis(function)
    moved = []
    for pointer, type_ in group.elements:
        base = aliases.root(pointer) or "element"
        first, last = names.variable(f"{base}.first", type_), names.variable(f"{base}.last", type_)
        loaded, stored = _accesses(function, loop, (pointer, type_))
        moved.append(_Moved(pointer, first, last, loaded, stored))
        function = _ElementVariable(function, loop, (pointer, type_), group.guard, first, names).rewrite(last)
    test = first_test(function, loop, names)
    if group.guard is not None:
        test = only_if(test, group.guard, names)
    return _store_after(_load_before(function, loop, test, moved, names), loop, test, moved, names)


@dataclass(frozen=True, slots=True)
class _Moved:
    """An element with its values before and after the loop. `load` is None when the loop only stores it."""

    pointer: Value
    first: Var
    last: Var
    load: Load | None
    store: Store


def _accesses(function: Function, loop: NaturalLoop, place: Place) -> tuple[Load | None, Store]:
    """The first load and the last store of the place in the loop: their source places are kept."""
    code = [i for block in function.blocks if block.label in loop.blocks for i in block.body]
    accesses = [i for i in code if isinstance(i, Load | Store) and _place(i) == place]
    loads = [access for access in accesses if isinstance(access, Load)]
    stores = [access for access in accesses if isinstance(access, Store)]
    return loads[0] if loads else None, stores[-1]


class _ElementVariable:
    """Replaces the accesses of one place in a loop by SSA values: the element is a variable with several assignments.

    Every block of the loop with several predecessors gets a phi; simplification removes those that were not needed. Nobody reads
    the element where the guard does not hold, so it is undefined along the edges that are taken then.
    """

    def __init__(
        self, function: Function, loop: NaturalLoop, place: Place, guard: Known | None, first: Var, names: FreshNames
    ) -> None:
        self.function, self.loop, self.place, self.guard, self.first = function, loop, place, guard, first
        self.predecessors = flow_graph(function).predecessors
        self.inside = [block for block in function.blocks if block.label in loop.blocks]
        self.leaving = {
            block.label: instruction.value
            for block in self.inside
            for instruction in block.body
            if isinstance(instruction, Store) and _place(instruction) == place
        }
        name = first.name.replace(".first", ".now")
        self.phis = {
            block.label: names.variable(name, first.type)
            for block in self.inside
            if len(self.predecessors[block.label]) > 1
        }

    def rewrite(self, last: Var) -> Function:
        """The function without the accesses; `last` becomes the phi of the exit that has the element after the loop."""
        replaced: dict[str, Value] = {}
        changed = {block.label: self._without_accesses(block, replaced) for block in self.inside}
        for label, phi in self.phis.items():
            incoming = tuple((p, self._along(p, label)) for p in self.predecessors[label])
            changed[label] = replace(changed[label], phis=(*changed[label].phis, Phi(phi, incoming)))
        ((header, outside),) = self.loop.exits
        exit_block = self.function.block(outside)
        changed[outside] = replace(exit_block, phis=(*exit_block.phis, Phi(last, ((header, self.phis[header]),))))
        blocks = tuple(changed.get(block.label, block) for block in self.function.blocks)
        return substitute(replace(self.function, blocks=blocks), replaced)

    def _along(self, source: str, target: str) -> Value:
        """The element along an edge."""
        branch = self.function.block(source).terminator
        if self.guard is not None and isinstance(branch, Branch) and branch.then != branch.otherwise:
            if (branch.condition, branch.then != target) == self.guard:
                return Undef(self.first.type)
        return self._at_end(source)

    def _at_end(self, label: str) -> Value:
        if label not in self.loop.blocks:
            return self.first
        return self.leaving.get(label) or self._at_start(label)

    def _at_start(self, label: str) -> Value:
        if label in self.phis:
            return self.phis[label]
        (before,) = self.predecessors[label]
        return self._at_end(before)

    def _without_accesses(self, block: Block, replaced: dict[str, Value]) -> Block:
        """The block without loads and stores of the element; `replaced` gets the values of the loads."""
        current = self._at_start(block.label)
        body: list[Instruction] = []
        for instruction in block.body:
            if not isinstance(instruction, Load | Store) or _place(instruction) != self.place:
                body.append(instruction)
            elif isinstance(instruction, Store):
                current = instruction.value
            else:
                replaced[instruction.result.name] = current
        return replace(block, body=tuple(body))


def _guard(test: FirstTest, runs: str, skipped: str) -> Branch:
    """To `runs` when the loop runs, else to `skipped`."""
    return Branch(test.condition, runs, skipped) if test.runs_when else Branch(test.condition, skipped, runs)


def _load_before(function: Function, loop: NaturalLoop, test: FirstTest, moved: list[_Moved], names: FreshNames) -> Function:
    """Defines the first values: loaded at the end of the preheader, in a block of its own unless the loop always runs."""
    (label,) = loop.entering
    preheader = function.block(label)
    if test.always:
        always = tuple(Load(m.first, m.pointer, m.load.span) for m in moved if m.load is not None)
        function = _insert(function, label, [replace(preheader, body=(*preheader.body, *always))])
        return substitute(function, {m.first.name: Undef(m.first.type) for m in moved if m.load is None})
    load_label, new_preheader = names.name(f"{loop.header}.load"), names.name(f"{loop.header}.pre")
    loads: list[Load] = []
    phis: list[Phi] = []
    for m in moved:
        value: Value = Undef(m.first.type)
        if m.load is not None:
            value = names.variable(m.first.name, m.first.type)
            loads.append(Load(value, m.pointer, m.load.span))
        phis.append(Phi(m.first, ((load_label, value), (label, Undef(m.first.type)))))
    chain = [
        replace(preheader, body=(*preheader.body, *test.code), terminator=_guard(test, load_label, new_preheader)),
        Block(load_label, (), tuple(loads), Jump(new_preheader)),
        Block(new_preheader, tuple(phis), (), preheader.terminator),
    ]
    return _insert(function, label, chain)


def _store_after(function: Function, loop: NaturalLoop, test: FirstTest, moved: list[_Moved], names: FreshNames) -> Function:
    """Stores the last values at the start of the exit, in a block of its own unless the loop always runs."""
    ((_, label),) = loop.exits
    block = function.block(label)
    stores = tuple(Store(m.last, m.pointer, m.store.span) for m in moved)
    if test.always:
        return _insert(function, label, [replace(block, body=(*stores, *block.body))])
    store_label, rest = names.name(f"{loop.header}.store"), names.name(f"{loop.header}.done")
    chain = [
        replace(block, body=(), terminator=_guard(test, store_label, rest)),
        Block(store_label, (), stores, Jump(rest)),
        Block(rest, (), block.body, block.terminator),
    ]
    return _insert(function, label, chain)


def _insert(function: Function, label: str, chain: list[Block]) -> Function:
    """The function with one block replaced by several, the last of which leads where the block led."""
    last = chain[-1]
    blocks: list[Block] = []
    for block in function.blocks:
        if block.label == label:
            blocks.extend(chain)
        else:
            blocks.append(rename_predecessor(block, label, last.label) if block.label in last.successors else block)
    return replace(function, blocks=tuple(blocks))
