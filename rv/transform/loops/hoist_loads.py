"""Loads of addresses and bounds are hoisted out of a loop: base pointers, bounds and subscripts that do not change in it.

    pre:                                  pre:
      jump head                             %runs = icmp slt i32 0, %n
    head:                                   branch %runs, head.load, head.pre
      %i = phi i32 [0, pre], ...          head.load:
      %c = icmp slt i32 %i, %n              %x.1 = load ptr, %p
      branch %c, body, out                  jump head.pre
    body:                           ->    head.pre:
      %x = load ptr, %p                     %x = phi ptr [%x.1, head.load], [undef, pre]
      %q = elemptr float, %x [%i]           jump head
      store float %f, %q                  ...
                                          body:
                                            %q = elemptr float, %x [%i]

Hoisting (`rv.transform.loops.hoist`) moves what runs whenever the loop is entered; this moves what runs whenever an iteration is,
and is loaded only if there is one. What an inner loop's first test guards leaves the outer loop as well, under both tests.
Pointers leave every loop that they do not change in; numbers only if they leave all loops: as subscripts that differ between
iterations of an outer loop they are better off where they are used.

Needs the form of `prepare`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from rv.analysis.cfg.conditions import Known, edge_condition
from rv.analysis.cfg.dominance import DominatorTree, dominator_tree
from rv.analysis.cfg.flow import FlowGraph, flow_graph
from rv.analysis.cfg.loops import LoopForest, NaturalLoop, find_loops
from rv.analysis.memory.alias import AliasAnalysis, Distinct, alias_analysis
from rv.analysis.values.effects import may_write
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.ir.function import Function
from rv.ir.instructions import Branch, ElementPointer, Instruction, Load, Phi, Store, operands
from rv.ir.rewrite import FreshNames, substitute
from rv.ir.types import PTR
from rv.ir.values import TRUE, Undef, Value, Var
from rv.transform.loops.around_loop import Fetched, load_before
from rv.transform.loops.first_test import first_test, only_if


def fetch_before(function: Function, header: str, distinct: Distinct) -> Function | None:
    """The function with some such loads before one loop; None when there are none. `distinct`: see `rv.analysis.memory.alias`."""
    forest = find_loops(function)
    found = _Search(function, forest, forest.loops[header], distinct).first()
    return None if found is None else _moved(function, forest.loops[header], *found)


def _moved(function: Function, loop: NaturalLoop, loads: list[Load], guard: Known | None) -> Function:
    names = FreshNames.of(function)
    test = first_test(function, loop, names)
    if guard is not None:
        test = only_if(test, guard, names)
    first = {load.result.name: names.variable(load.result.name, load.result.type) for load in loads}
    fetched = [Fetched(load.pointer, first[load.result.name], load) for load in loads]
    bodies = tuple(replace(block, body=tuple(i for i in block.body if i not in loads)) for block in function.blocks)
    merged: dict[str, Value] = dict(first)
    for block in bodies:
        for phi in block.phis:
            # where the inner loop does not run, nothing depends on the value
            values = {value for _, value in phi.incoming if not isinstance(value, Undef)}
            (value,) = values if len(values) == 1 else (None,)
            if guard is not None and isinstance(value, Var) and value.name in first and phi.shadow is None:
                merged[phi.result.name] = first[value.name]
    gone = frozenset(merged) - frozenset(first)
    blocks = tuple(replace(b, phis=tuple(phi for phi in b.phis if phi.result.name not in gone)) for b in bodies)
    return load_before(substitute(replace(function, blocks=blocks), merged), loop, test, fetched, names)


@dataclass(slots=True)
class _Search:
    """Looks for the loads of one loop."""

    function: Function
    forest: LoopForest
    loop: NaturalLoop
    distinct: Distinct

    def first(self) -> tuple[list[Load], Known | None] | None:
        """The loads under the first guard, and the guard."""
        if not self._is_simple():
            return None
        inside = [block for block in self.function.blocks if block.label in self.loop.blocks]
        defined = defining_blocks(self.function)
        loads = [(b.label, i) for b in inside for i in b.body if isinstance(i, Load) and self._is_outside(i.pointer, defined)]
        if not loads or any(may_write(i) and not isinstance(i, Store) for b in inside for i in b.body):
            return None
        graph = flow_graph(self.function)
        dominators = dominator_tree(graph)
        aliases = alias_analysis(self.function, self.distinct.holds_in(self.forest, self.loop.header), self.distinct.types)
        steering = _steering(self.function)
        groups: dict[Known | None, list[Load]] = {}
        for label, load in loads:
            if load.result.name not in steering or self._may_change(load, aliases):
                continue
            if load.result.type != PTR and not self._leaves_all(load, defined):
                continue
            guard = self._guard(label, graph, dominators, defined)
            if guard is not None:
                groups.setdefault(None if guard == _ALWAYS else guard, []).append(load)
        return next(((loads, guard) for guard, loads in groups.items()), None)

    def _is_simple(self) -> bool:
        """Whether the header alone leaves the loop, and only computes."""
        header = self.function.block(self.loop.header)
        only_computes = all(i.result is not None and not isinstance(i, Load) for i in header.body)
        single = len(self.loop.entering) == 1 == len(self.loop.latches)
        leaves = [inside for inside, _ in self.loop.exits] == [self.loop.header]
        return single and leaves and only_computes and isinstance(header.terminator, Branch)

    def _is_outside(self, value: Value, defined: Mapping[str, str]) -> bool:
        return not isinstance(value, Var) or defined[value.name] not in self.loop.blocks

    def _may_change(self, load: Load, aliases: AliasAnalysis) -> bool:
        inside = (i for b in self.function.blocks if b.label in self.loop.blocks for i in b.body)
        return any(isinstance(i, Store) and not aliases.unchanged_by(i, load) for i in inside)

    def _leaves_all(self, load: Load, defined: Mapping[str, str]) -> bool:
        """Whether the place is the same in all loops around."""
        return not isinstance(load.pointer, Var) or self.forest.loop_of(defined[load.pointer.name]) is None

    def _guard(self, label: str, graph: FlowGraph, dominators: DominatorTree, defined: Mapping[str, str]) -> Known | None:
        """What decides, before the loop, whether an iteration executes the block; None when that is not so simple."""
        (latch,) = self.loop.latches
        if self.function.block(label).predicate != TRUE:
            return None
        if label != self.loop.header and dominators.dominates(label, latch):
            return _ALWAYS
        edge = edge_condition(self.function, graph, label)
        if edge is None or not self._is_outside(edge[0], defined):
            return None
        (before,) = graph.predecessors[label]
        return edge if before != self.loop.header and dominators.dominates(before, latch) else None


_ALWAYS: Known = (TRUE, True)


def _steering(function: Function) -> frozenset[str]:
    """The variables that addresses and tests of loops are computed from."""
    known = definitions(function)
    pending: list[Value] = [v for _, i in function.instructions() if isinstance(i, ElementPointer) for v in operands(i)]
    for loop in find_loops(function).loops.values():
        branch = function.block(loop.header).terminator
        pending += [branch.condition] if isinstance(branch, Branch) else []
    return frozenset(_slice(pending, known))


def _slice(pending: list[Value], known: Mapping[str, Definition]) -> Iterator[str]:
    seen: set[str] = set()
    while pending:
        value = pending.pop()
        if isinstance(value, Var) and value.name not in seen:
            seen.add(value.name)
            yield value.name
            definition: Instruction | Phi | None = known.get(value.name)
            if definition is not None and not isinstance(definition, Load):
                pending += operands(definition)
