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

Which elements qualify is `rv.analysis.promotable`'s question. The element is loaded before the loop and stored after it only if
the loop runs at all, so that nothing is touched that the source would not touch; where the first test is known to be true
the guards vanish. Loops that only read an element are left alone: their loads are invariant already.

Needs the form of `prepare`, and gives it. Loops are visited from the inside out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rv.analysis.alias import Distinct, Place, alias_analysis
from rv.analysis.conditions import Known
from rv.analysis.flow import flow_graph
from rv.analysis.loops import NaturalLoop, find_loops
from rv.analysis.promotable import Promotable, find_promotable, place_of
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Instruction, Jump, Load, Phi, Store
from rv.ir.rewrite import FreshNames, rename_predecessor, substitute
from rv.ir.values import Undef, Value, Var
from rv.transform.first_test import FirstTest, first_test, only_if
from rv.transform.prepare import canonicalize


def promote(function: Function, distinct: Distinct) -> Function:
    """The function with accumulators of loops in variables; `distinct`: where pointer parameters point to separate arrays.

    Facts that hold only for distinct arrays are used for hoisting and known loads as well.
    """
    function = canonicalize(function, distinct)
    for header in [loop.header for loop in find_loops(function).innermost_first()]:
        while (loop := (forest := find_loops(function)).loops.get(header)) is not None:
            group = find_promotable(function, loop, alias_analysis(function, distinct.holds_in(forest, header)))
            if group is None:
                break
            function = canonicalize(_promote_in(function, loop, group), distinct)
    return function


def _promote_in(function: Function, loop: NaturalLoop, group: Promotable) -> Function:
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
    accesses = [i for i in code if isinstance(i, Load | Store) and place_of(i) == place]
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
            if isinstance(instruction, Store) and place_of(instruction) == place
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
            if not isinstance(instruction, Load | Store) or place_of(instruction) != self.place:
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
