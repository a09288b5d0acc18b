"""Where threads come to have different contents in a stack object: Alloca SSA, reduced to what is live (thesis, section 6.6).

Every thread has an object of its own. It is uniform when the threads do the same to it, as long as they need what it holds; then
one object can stand for those of all threads. Contents differ
 - by data: a varying value is stored, or a value at a varying place (figure 6.11); `rv.analysis.divergence.propagation` sees to
   that;
 - by control: a thread runs a store without another one that still needs its own contents. Two threads part at a branch, one
   takes an edge that leads to the store before they meet again, the other one an edge at which the object is live.

The second rule stands for the joins of Alloca SSA, and is what a sync or temporal dependence means for an object: where the
parted threads meet, or outside of the loop that they leave apart, the object is live exactly if a thread loads what a join would
join. Joins of dead states, as behind a traversal that a thread ends at the node that it looks for, are no joins: the thread does
not need its stack any more, the others may go on with it. On the other hand a store taints the object when the other thread
never meets the one that stores, but loads on a way of its own: the shared object would be overwritten before that.

Liveness is that of the object as a whole: loads begin it, the alloca ends it (to the contents of before nothing leads). A store
into the object does not: the threads of the two arms of a branch may each store and then meet. An alloca counts as a store.
Objects that one pointer may lead to are taken together as a group, named after its first alloca: they share shape and layout.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from rv.analysis.cfg.flow import flow_graph
from rv.analysis.cfg.region import Edge
from rv.analysis.divergence.control_divergence import ControlDependences
from rv.analysis.memory.stack_objects import StackObjects, stack_objects
from rv.analysis.values.uses import defining_blocks
from rv.ir.function import Block, Function
from rv.ir.instructions import Alloca, Load, Store
from rv.ir.values import Value

NONE: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class AllocaSsa:
    """The objects whose allocas are in a region, in groups.

    `groups`: the group of every object. `parted_by`: for every group the branches that give threads different contents when
    they are divergent. `live_out`: the groups that are live at the end of a block.
    """

    objects: StackObjects
    groups: Mapping[str, str]
    parted_by: Mapping[str, tuple[str, ...]]
    live_out: Mapping[str, frozenset[str]]

    def of(self, pointer: Value) -> str | None:
        """The group of the objects that a pointer may lead to; None when these are no objects of the region."""
        return next((self.groups[name] for name in self.objects.of(pointer).objects if name in self.groups), None)


def alloca_ssa(function: Function, control: ControlDependences) -> AllocaSsa:
    """The contents of the stack objects in the region of `control`."""
    objects = stack_objects(function)
    inside = control.region.graph.successors
    homes = defining_blocks(function) if objects.allocas else {}
    groups = _groups(objects, [name for name in objects.allocas if homes[name] in inside])
    if not groups:
        return AllocaSsa(objects, {}, {}, {})
    memory = _Memory(objects, groups)
    live_in, live_out = _liveness(function, memory)
    parted: dict[str, list[str]] = {group: [] for group in groups.values()}
    for branch in control.branches:
        for group in sorted(_parted(function, control, branch, memory, live_in)):
            parted[group].append(branch)
    return AllocaSsa(objects, groups, {group: tuple(found) for group, found in parted.items()}, live_out)


def _groups(objects: StackObjects, inside: list[str]) -> Mapping[str, str]:
    """The first object of every object's group: the classes of objects that share a pointer."""
    first = {name: name for name in inside}
    for targets in objects.targets.values():
        together = {first[name] for name in targets.objects if name in first}
        if len(together) > 1:
            chosen = next(name for name in inside if name in together)
            first = {name: chosen if group in together else group for name, group in first.items()}
    return first


@dataclass(frozen=True, slots=True)
class _Memory:
    """What blocks do to groups of objects."""

    objects: StackObjects
    groups: Mapping[str, str]

    def of(self, pointers: Iterable[Value]) -> frozenset[str]:
        return frozenset(self.groups[o] for pointer in pointers for o in self.objects.of(pointer).objects if o in self.groups)

    def written(self, block: Block) -> frozenset[str]:
        """The groups that the block stores to, or whose contents it makes undefined."""
        stores = [i.pointer for i in block.body if isinstance(i, Store)]
        return self.of([*stores, *(i.result for i in block.body if isinstance(i, Alloca))])

    def live_before(self, block: Block, after: frozenset[str]) -> frozenset[str]:
        """The groups that are live at the start of the block, from those at its end."""
        alone = {group for group in self.groups.values() if list(self.groups.values()).count(group) == 1}
        live = set(after)
        for instruction in reversed(block.body):
            match instruction:
                case Load(pointer=pointer):
                    live |= self.of([pointer])
                case Alloca(result=result):
                    live -= self.of([result]) & alone
        return frozenset(live)


def _liveness(function: Function, memory: _Memory) -> tuple[Mapping[str, frozenset[str]], Mapping[str, frozenset[str]]]:
    """The live groups at the start and at the end of every block."""
    graph = flow_graph(function)
    before: dict[str, frozenset[str]] = dict.fromkeys(graph.successors, NONE)
    after = dict(before)
    pending = list(function.blocks)
    blocks = {block.label: block for block in function.blocks}
    while pending:
        block = pending.pop()
        after[block.label] = NONE.union(*(before[target] for target in graph.successors[block.label]))
        live = memory.live_before(block, after[block.label])
        if live != before[block.label]:
            before[block.label] = live
            pending += [blocks[label] for label in graph.predecessors[block.label]]
    return before, after


def _parted(
    function: Function, control: ControlDependences, branch: str, memory: _Memory, live: Mapping[str, frozenset[str]]
) -> frozenset[str]:
    """The groups that threads of one edge out of `branch` write while threads of another edge need them."""
    targets = control.region.ways_out(branch)
    blocks = {block.label: block for block in function.blocks}
    found: set[str] = set()
    for target in targets:
        others = NONE.union(*(live[other] for other in targets if other != target))
        if others:
            apart = _run_apart(control, (branch, target))
            found |= others & NONE.union(*(memory.written(blocks[label]) for label in apart))
    return frozenset(found)


def _run_apart(control: ControlDependences, edge: Edge) -> frozenset[str]:
    """The blocks that threads may come to over an edge before they meet those that took another one."""
    branch, target = edge
    inside = control.region.graph.successors
    apart = control.predicated_by(branch)
    if target not in inside[branch]:
        return NONE
    seen: set[str] = set()
    pending = [target]
    while pending:
        label = pending.pop()
        if label in apart and label not in seen:
            seen.add(label)
            pending += inside[label]
    return frozenset(seen)
