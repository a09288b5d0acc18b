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

Which elements qualify is `rv.analysis.memory.promotable`'s question. The element is loaded before the loop and stored after it
only if the loop runs at all, so that nothing is touched that the source would not touch; where the first test is known to be true
the guards vanish. Loops that only read an element are left alone: their loads are invariant already.

Needs the form of `prepare`, and gives it. Loops are visited from the inside out.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from rv.analysis.cfg.conditions import Known
from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.loops import NaturalLoop, find_loops
from rv.analysis.memory.alias import AliasAnalysis, Distinct, Place, alias_analysis
from rv.analysis.memory.promotable import Promotable, find_promotable, place_of
from rv.analysis.remembered import remembered
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Instruction, Jump, Load, Phi, Store, Terminator, successors
from rv.ir.rewrite import FreshNames, rename_predecessor, substitute
from rv.ir.values import Undef, Value, Var
from rv.transform.loops.first_test import FirstTest, first_test, only_if
from rv.transform.loops.hoist_loads import fetch_before
from rv.transform.prepare import canonicalize


@remembered
def promote(function: Function, distinct: Distinct) -> Function:
    """The function with accumulators of loops in variables; `distinct`: where pointer parameters point to separate arrays.

    Facts that hold only for distinct arrays are used for hoisting and known loads as well. Loads that say where loops go are made
    before them (`rv.transform.loops.hoist_loads`).
    """
    function = _fetched(canonicalize(function, distinct), distinct)
    finished: set[str] = set()
    while found := _next_groups(function, distinct, finished):
        function = canonicalize(_promoted(function, found), distinct)
    return function


def _fetched(function: Function, distinct: Distinct) -> Function:
    """The function with loads of addresses and bounds hoisted out of loops; one may give the address of the next one."""
    while (fetched := _first_fetched(function, distinct)) is not None:
        function = canonicalize(fetched, distinct)
    return function


def _first_fetched(function: Function, distinct: Distinct) -> Function | None:
    """The function after one step of this, for the innermost loop that has such loads."""
    headers = (loop.header for loop in find_loops(function).innermost_first())
    return next((found for header in headers if (found := fetch_before(function, header, distinct)) is not None), None)


def _next_groups(function: Function, distinct: Distinct, finished: set[str]) -> list[tuple[NaturalLoop, Promotable]]:
    """What can be promoted next, in loops of which none is in another one, later loops first.

    `finished` gets the headers of loops in which there is nothing to promote, and in no loop inside.
    """
    forest = find_loops(function)
    aliases = {known: alias_analysis(function, known) for known in (False, True)}
    waiting: set[str | None] = set()
    found: list[tuple[NaturalLoop, Promotable]] = []
    for loop in forest.innermost_first():
        group = None
        if loop.header not in waiting | finished:
            group = find_promotable(function, loop, aliases[distinct.holds_in(forest, loop.header)])
        if group is not None:
            found.append((loop, group))
        if group is not None or loop.header in waiting:
            waiting.add(loop.parent)
        else:
            finished.add(loop.header)
    return found


def _promoted(function: Function, found: list[tuple[NaturalLoop, Promotable]]) -> Function:
    """The function with these elements in variables."""
    rewriting = _Rewriting.of(function)
    for loop, group in found:
        rewriting.promote(loop, group)
    blocks = tuple(block for chain in rewriting.chains.values() for block in chain)
    return substitute(replace(function, blocks=blocks), rewriting.replaced)


@dataclass(frozen=True, slots=True)
class _Moved:
    """An element with its values before and after the loop. `load` is None when the loop only stores it."""

    pointer: Value
    first: Var
    last: Var
    load: Load | None
    store: Store


@dataclass(slots=True)
class _Rewriting:
    """The blocks of a function while loops in it are rewritten, each with what was put behind it.

    `before` is the function as it was: what is rewritten changes nothing about other loops. `replaced` are the values of
    variables that are no longer defined.
    """

    before: Function
    names: FreshNames
    aliases: AliasAnalysis
    chains: dict[str, list[Block]]
    homes: dict[str, str]
    """By new blocks, those that they were put behind."""
    replaced: dict[str, Value]

    @staticmethod
    def of(function: Function) -> _Rewriting:
        chains = {block.label: [block] for block in function.blocks}
        return _Rewriting(function, FreshNames.of(function), alias_analysis(function), chains, {}, {})

    def promote(self, loop: NaturalLoop, group: Promotable) -> None:
        """Rewrites one loop."""
        moved = []
        for pointer, type_ in group.elements:
            base = self.aliases.root(pointer) or "element"
            first, last = self.names.variable(f"{base}.first", type_), self.names.variable(f"{base}.last", type_)
            variable = _ElementVariable(self, loop, (pointer, type_), group.guard, first)
            loaded, stored = variable.accesses()
            moved.append(_Moved(pointer, first, last, loaded, stored))
            variable.rewrite(last)
        test = first_test(self.before, loop, self.names)
        if group.guard is not None:
            test = only_if(test, group.guard, self.names)
        self._load_before(loop, test, moved)
        self._store_after(loop, test, moved)

    def _load_before(self, loop: NaturalLoop, test: FirstTest, moved: list[_Moved]) -> None:
        """Defines the first values: loaded at the end of the preheader, in a block of its own unless the loop always runs."""
        (label,) = loop.entering
        preheader = self.chains[label][-1]
        if test.always:
            always = tuple(Load(m.first, m.pointer, m.load.span) for m in moved if m.load is not None)
            self.chains[label][-1] = replace(preheader, body=(*preheader.body, *always))
            self.replaced |= {m.first.name: Undef(m.first.type) for m in moved if m.load is None}
            return
        load_label, new_preheader = self.names.name(f"{loop.header}.load"), self.names.name(f"{loop.header}.pre")
        loads: list[Load] = []
        phis: list[Phi] = []
        for m in moved:
            value: Value = Undef(m.first.type)
            if m.load is not None:
                value = self.names.variable(m.first.name, m.first.type)
                loads.append(Load(value, m.pointer, m.load.span))
            phis.append(Phi(m.first, ((load_label, value), (preheader.label, Undef(m.first.type)))))
        guard = _guard(test, load_label, new_preheader)
        self.chains[label][-1:] = [
            replace(preheader, body=(*preheader.body, *test.code), terminator=guard),
            Block(load_label, (), tuple(loads), Jump(new_preheader)),
            Block(new_preheader, tuple(phis), (), preheader.terminator),
        ]
        self.homes |= {load_label: label, new_preheader: label}
        self._rename_predecessor(preheader.terminator, preheader.label, new_preheader)

    def _store_after(self, loop: NaturalLoop, test: FirstTest, moved: list[_Moved]) -> None:
        """Stores the last values at the start of the exit, in a block of its own unless the loop always runs."""
        ((_, label),) = loop.exits
        block = self.chains[label][0]
        stores = tuple(Store(m.last, m.pointer, m.store.span) for m in moved)
        if test.always:
            self.chains[label][0] = replace(block, body=(*stores, *block.body))
            return
        store_label, rest = self.names.name(f"{loop.header}.store"), self.names.name(f"{loop.header}.done")
        self.chains[label][:1] = [
            replace(block, body=(), terminator=_guard(test, store_label, rest)),
            Block(store_label, (), stores, Jump(rest)),
            Block(rest, (), block.body, block.terminator),
        ]
        self.homes |= {store_label: label, rest: label}
        self._rename_predecessor(block.terminator, block.label, rest)

    def _rename_predecessor(self, terminator: Terminator, old: str, new: str) -> None:
        """Updates the phis of successors: the terminator is in another block now."""
        for target in dict.fromkeys(successors(terminator)):
            chain = self.chains[self.homes.get(target, target)]
            chain[:] = [rename_predecessor(block, old, new) if block.label == target else block for block in chain]


class _ElementVariable:
    """Replaces the accesses of one place in a loop by SSA values: the element is a variable with several assignments.

    Every block of the loop with several predecessors gets a phi; simplification removes those that were not needed. The element
    is not read where the guard does not hold, so it is undefined along the edges that are taken then.
    """

    def __init__(self, rewriting: _Rewriting, loop: NaturalLoop, place: Place, guard: Known | None, first: Var) -> None:
        self.rewriting, self.loop, self.place, self.guard, self.first = rewriting, loop, place, guard, first
        function = rewriting.before
        self.predecessors = flow_graph(function).predecessors
        self.inside = [rewriting.chains[block.label][0] for block in function.blocks if block.label in loop.blocks]
        self.leaving = {
            block.label: instruction.value
            for block in self.inside
            for instruction in block.body
            if isinstance(instruction, Store) and place_of(instruction) == place
        }
        name = first.name.replace(".first", ".now")
        self.phis = {
            block.label: rewriting.names.variable(name, first.type)
            for block in self.inside
            if len(self.predecessors[block.label]) > 1
        }

    def accesses(self) -> tuple[Load | None, Store]:
        """The first load and the last store of the place in the loop: their source places are kept."""
        code = (i for block in self.inside for i in block.body)
        accesses = [i for i in code if isinstance(i, Load | Store) and place_of(i) == self.place]
        loads = [access for access in accesses if isinstance(access, Load)]
        stores = [access for access in accesses if isinstance(access, Store)]
        return loads[0] if loads else None, stores[-1]

    def rewrite(self, last: Var) -> None:
        """Removes the accesses; `last` becomes the phi of the exit that has the element after the loop."""
        chains = self.rewriting.chains
        for block in self.inside:
            changed = self._without_accesses(block, self.rewriting.replaced)
            if (phi := self.phis.get(block.label)) is not None:
                incoming = tuple((p, self._along(p, block.label)) for p in self.predecessors[block.label])
                changed = replace(changed, phis=(*changed.phis, Phi(phi, incoming)))
            chains[block.label] = [changed]
        ((header, outside),) = self.loop.exits
        exit_block = chains[outside][0]
        chains[outside][0] = replace(exit_block, phis=(*exit_block.phis, Phi(last, ((header, self.phis[header]),))))

    def _along(self, source: str, target: str) -> Value:
        """The element along an edge."""
        branch = self.rewriting.before.block(source).terminator
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
