"""Shapes of all values of a region, by data flow and by control flow (thesis, chapter 6), over any join semilattice.

The least fixed point of three kinds of dependence, from the bottom ("the same for all threads") upwards:
 - data: the caller's transfer function computes the shape of a definition from the shapes of its operands;
 - sync: a phi at a join of a branch that parts threads takes on what the branch adds, unless all values that they come with are
   the same;
 - temporal: a value of a loop, read outside, takes on what the branches add that make threads leave the loop apart. This is
   judged at each use: loop-closed form is not needed, but makes the result sharper where a loop has uniform exits as well.
What runs with some of the threads (activation dependence) is known to the transfer function as the `activation` of the block:
`mask()` and phis with shadows depend on it.

Shapes speak about threads that are active together (masked concretization, section 6.2). Joins, loops and predicates are those
of `rv.analysis.divergence.control_divergence`. Iteration is round-robin in block order, over the blocks that have read something
that has changed since; a transfer function may query shapes of any values, not only of operands, and depends on nothing else.
The shapes must have finite height, the transfer function must be monotone. Stack objects (section 6.6) have a shape of what they
hold (`rv.analysis.divergence.alloca_ssa`): what a branch on that would add to values, since elements may have any types. A load
takes it on, besides the shape of its address. The address of a stack object itself is uniform: it has the shape of its place in
the object. Other memory is the transfer function's affair.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import reduce
from typing import Generic, TypeVar

from rv.analysis.cfg.block_order import block_order
from rv.analysis.divergence.alloca_ssa import AllocaSsa, alloca_ssa
from rv.analysis.divergence.causes import Activation, Apart, Cause, Contents, Given, Mixed, Operand, Overwritten, Own
from rv.analysis.divergence.control_divergence import ControlDependences, LoopExit
from rv.analysis.values.uses import Definition
from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Load, Mask, Phi, Store, operands
from rv.ir.values import Undef, Value, Var

S = TypeVar("S")


@dataclass(frozen=True, slots=True)
class Semilattice(Generic[S]):
    """Shapes. `parted`: what a branch on a condition of some shape adds to values that it taints; bottom for a uniform one."""

    bottom: S
    join: Callable[[S, S], S]
    parted: Callable[[S], S]

    def below(self, left: S, right: S) -> bool:
        return self.join(left, right) == right


@dataclass(frozen=True, slots=True)
class Site(Generic[S]):
    """The inputs of a transfer function for a definition: the shapes of its operands as they are read there, in the order
    of `operands`; which threads run its block; the shape of what the stack objects hold that a load may read; and `of`, the
    shape of any value as the block reads it."""

    label: str
    operands: tuple[S, ...]
    activation: S
    contents: S
    of: Callable[[Value], S]


Transfer = Callable[[Definition, Site[S]], S]


@dataclass(frozen=True, slots=True)
class Rise(Generic[S]):
    """A step of the fixed point: the shape has become `shape` because of `cause`, which had its own shape before."""

    shape: S
    cause: Cause


@dataclass(frozen=True, slots=True)
class Shapes(Generic[S]):
    """The shapes of a region. What is not in a mapping has the shape `bottom`.

    `values`: of variables. `branches`: what each branch adds to the values that it taints, by block. `activations`: of blocks.
    `loops`: what is added to values that leave a loop, by header. `objects`: of what stack objects hold, by their allocas.
    The rises are the reasons, in the order in which they happened; those of objects are those of their groups.
    """

    control: ControlDependences
    memory: AllocaSsa
    lattice: Semilattice[S]
    values: Mapping[str, S]
    branches: Mapping[str, S]
    activations: Mapping[str, S]
    loops: Mapping[str, S]
    objects: Mapping[str, S]
    value_rises: Mapping[str, tuple[Rise[S], ...]]
    branch_rises: Mapping[str, tuple[Rise[S], ...]]
    object_rises: Mapping[str, tuple[Rise[S], ...]]

    def of(self, value: Value) -> S:
        """The shape of a value where it is defined."""
        return self.values.get(value.name, self.lattice.bottom) if isinstance(value, Var) else self.lattice.bottom


def propagate(
    function: Function,
    control: ControlDependences,
    lattice: Semilattice[S],
    initial: Mapping[str, S],
    transfer: Transfer[S],
    separated: Mapping[str, S] | None = None,
) -> Shapes[S]:
    """The shapes of everything that the region of `control` defines.

    `initial` gives shapes of parameters, of values from outside the region, and of definitions that shall not be computed; the
    rest starts at the bottom. At the entry of a loop's region the phis are computed like others, from their values on all
    edges: give their shapes, since threads that stand for iterations have different values in them.

    `separated` is for code that was linearized after its objects had been analyzed: the shapes that they had then. Threads that
    are passive now need no object that others store to, so control adds nothing.
    """
    return _Propagation(function, control, lattice, initial, transfer, separated).run()


Contribution = tuple[S, Cause]


@dataclass(slots=True)
class _Propagation(Generic[S]):
    function: Function
    control: ControlDependences
    lattice: Semilattice[S]
    initial: Mapping[str, S]
    transfer: Transfer[S]
    separated: Mapping[str, S] | None
    memory: AllocaSsa = field(init=False)
    values: dict[str, S] = field(default_factory=dict)
    branches: dict[str, S] = field(default_factory=dict)
    objects: dict[str, S] = field(default_factory=dict)
    value_rises: dict[str, list[Rise[S]]] = field(default_factory=dict)
    branch_rises: dict[str, list[Rise[S]]] = field(default_factory=dict)
    object_rises: dict[str, list[Rise[S]]] = field(default_factory=dict)
    defined: dict[str, str] = field(default_factory=dict)
    joined: dict[str, list[str]] = field(default_factory=dict)
    predicating: dict[str, list[str]] = field(default_factory=dict)
    exiting: dict[str | LoopExit, list[str]] = field(default_factory=dict)
    activated: dict[str, S] = field(default_factory=dict)
    """For each block the join of the branches that predicate it."""
    readers: dict[str, set[str]] = field(default_factory=dict)
    """For each variable the blocks that have read its shape."""
    stale: set[str] = field(default_factory=set)
    """The blocks for which something has changed since they were visited."""

    def __post_init__(self) -> None:
        self.memory = alloca_ssa(self.function, self.control)

    def run(self) -> Shapes[S]:
        blocks = {block.label: block for block in self.function.blocks}
        inside = block_order(self.control.region)
        order = [blocks[label] for label in inside]
        self._index(order)
        for name, shape in self.initial.items():
            self._raise(self.values, self.value_rises, name, shape, [(shape, Given(name))])
        for name, shape in (self.separated or {}).items():
            self._raise(self.objects, self.object_rises, self.memory.groups[name], shape, [(shape, Given(name))])
        self.stale = set(blocks)
        while not self.stale.isdisjoint(inside):
            for block in order:
                if block.label in self.stale:
                    self.stale.discard(block.label)
                    self._visit(block)
            self._part_objects()
        bottom = self.lattice.bottom
        objects = {name: self.objects.get(group, bottom) for name, group in self.memory.groups.items()}
        activations = {block.label: self._activation(block) for block in order}
        loops = {header: self._total(self.exiting.get(header, [])) for header in self.control.region.loops.loops}
        return Shapes(
            self.control,
            self.memory,
            self.lattice,
            {name: shape for name, shape in self.values.items() if shape != bottom},
            {label: shape for label, shape in self.branches.items() if shape != bottom},
            {label: shape for label, shape in activations.items() if shape != bottom},
            {header: shape for header, shape in loops.items() if shape != bottom},
            {name: shape for name, shape in objects.items() if shape != bottom},
            {name: tuple(rises) for name, rises in self.value_rises.items()},
            {label: tuple(rises) for label, rises in self.branch_rises.items()},
            {name: tuple(self.object_rises.get(group, ())) for name, group in self.memory.groups.items()},
        )

    def _index(self, order: list[Block]) -> None:
        """Which branches taint a join, a loop as a whole (by header), and an exit edge."""
        for block in order:
            for definition in (*block.phis, *block.body):
                if definition.result is not None:
                    self.defined[definition.result.name] = block.label
        for branch, effects in self.control.effects.items():
            for label in sorted(effects.joins):
                self.joined.setdefault(label, []).append(branch)
            for exit in sorted(effects.exits):
                self.exiting.setdefault(exit, []).append(branch)
                if branch not in self.exiting.setdefault(exit.header, []):
                    self.exiting[exit.header].append(branch)

    def _visit(self, block: Block) -> None:
        activation = self._activation(block)
        for definition in (*block.phis, *block.body):
            if definition.result is not None and definition.result.name not in self.initial:
                self._define(block, definition, definition.result.name, activation)
            elif isinstance(definition, Store):
                self._store(block, definition)
        if isinstance(block.terminator, Branch) and block.label in self.control.effects:
            reads = list(self._reads(block.terminator.condition, block.label, None))
            parted = [(self.lattice.parted(shape), cause) for shape, cause in reads]
            before = self._parted(block.label)
            self._raise(self.branches, self.branch_rises, block.label, self._join(parted), parted)
            if (reached := self._parted(block.label)) != before:
                self._parts(block.label, reached)

    def _define(self, block: Block, definition: Definition, name: str, activation: S) -> None:
        reads = [list(self._reads(value, block.label, edge)) for value, edge in _sites(definition)]
        held = list(self._contents(definition)) if isinstance(definition, Load) else []
        shapes = tuple(self._join(read) for read in reads)
        site = Site(block.label, shapes, activation, self._join(held), self._reader(block.label))
        contributions = [contribution for read in (*reads, held) for contribution in read]
        shape = self.transfer(definition, site)
        if isinstance(definition, Phi):
            mixed = [(self._parted(branch), Mixed(block.label, branch)) for branch in self._mixing(block.label, definition)]
            shape = self.lattice.join(shape, self._join(mixed))
            contributions += mixed
        if isinstance(definition, Mask) or (isinstance(definition, Phi) and definition.shadow is not None):
            contributions += self._activating(block)
        self._raise(self.values, self.value_rises, name, shape, contributions)

    def _contents(self, load: Load) -> Iterator[Contribution[S]]:
        """What the objects hold that a load may read."""
        group = self.memory.of(load.pointer)
        if group is not None:
            yield self.objects.get(group, self.lattice.bottom), Contents(group)

    def _store(self, block: Block, store: Store) -> None:
        """Adds to what an object holds."""
        group = self.memory.of(store.pointer)
        if group is None:
            return
        values = [*operands(store)]
        if self.separated is None and group in self.memory.live_out[block.label]:
            values.append(block.predicate)
        reads = [read for value in values for read in self._reads(value, block.label, None)]
        found = [(self.lattice.parted(shape), cause) for shape, cause in reads]
        self._raise(self.objects, self.object_rises, group, self._join(found), found)

    def _part_objects(self) -> None:
        """Adds what control does to objects."""
        for group, branches in self.memory.parted_by.items() if self.separated is None else ():
            found: list[Contribution[S]] = [(self._parted(branch), Overwritten(group, branch)) for branch in branches]
            self._raise(self.objects, self.object_rises, group, self._join(found), found)

    def _mixing(self, label: str, phi: Phi) -> Iterator[str]:
        """The branches that make threads come to a phi with different values. An undefined one may be that of any thread."""
        values = dict(phi.incoming)
        for branch in self.joined.get(label, ()):
            if self._parted(branch) != self.lattice.bottom:
                found = {values[source] for source in self.control.arrivals_at(branch, label) if source in values}
                if sum(not isinstance(value, Undef) for value in found) > 1:
                    yield branch

    def _reads(self, value: Value, label: str, source: str | None) -> Iterator[Contribution[S]]:
        """The shape of a value as it is read in a block, or on the edge from `source` to the block, in parts with causes."""
        if not isinstance(value, Var):
            return
        self.readers.setdefault(value.name, set()).add(label)
        yield self.values.get(value.name, self.lattice.bottom), Operand(value.name)
        if value.name not in self.defined:
            return
        loops = self.control.region.loops.loops
        for header in self.control.region.around(self.defined[value.name]):
            if label in loops[header].blocks:
                break
            over = LoopExit(header, source, label) if source is not None and source in loops[header].blocks else header
            for branch in self.exiting.get(over, ()):
                yield self._parted(branch), Apart(value.name, header, branch)

    def _reader(self, label: str) -> Callable[[Value], S]:
        return lambda value: self._join(self._reads(value, label, None))

    def _parts(self, branch: str, shape: S) -> None:
        """Records a divergent branch: under hundreds of branches a block cannot query each of them."""
        effects = self.control.effects[branch]
        for label in effects.predicated:
            before = self.activated.get(label, self.lattice.bottom)
            self.activated[label] = self.lattice.join(before, shape)
            if self.activated[label] != before:
                self.stale.add(label)
        self.stale |= effects.joins
        if effects.exits:
            self.stale |= self.control.region.numbers.keys()

    def _activation(self, block: Block) -> S:
        """The join of what activates the block."""
        reads = self._reads(block.predicate, block.label, None)
        parted = (self.lattice.parted(shape) for shape, _ in reads)
        return reduce(self.lattice.join, parted, self.activated.get(block.label, self.lattice.bottom))

    def _activating(self, block: Block) -> list[Contribution[S]]:
        if block.label not in self.predicating:
            effects = self.control.effects.items()
            self.predicating[block.label] = [branch for branch, own in effects if block.label in own.predicated]
        found: list[Contribution[S]] = [
            (self._parted(branch), Activation(block.label, branch)) for branch in self.predicating[block.label]
        ]
        return found + [(self.lattice.parted(shape), cause) for shape, cause in self._reads(block.predicate, block.label, None)]

    def _parted(self, branch: str) -> S:
        return self.branches.get(branch, self.lattice.bottom)

    def _total(self, branches: list[str]) -> S:
        return self._join((self._parted(branch), Own()) for branch in branches)

    def _join(self, contributions: Iterable[tuple[S, Cause]]) -> S:
        found = self.lattice.bottom
        for shape, _ in contributions:
            found = self.lattice.join(found, shape)
        return found

    def _raise(
        self, shapes: dict[str, S], rises: dict[str, list[Rise[S]]], key: str, shape: S, contributions: list[Contribution[S]]
    ) -> None:
        """Joins a shape to the known one; the contributions that make up the difference become its causes."""
        lattice = self.lattice
        reached = shapes.get(key, lattice.bottom)
        goal = lattice.join(reached, shape)
        if goal == reached:
            return
        shapes[key] = goal
        if shapes is self.values:
            self.stale |= self.readers.get(key, set())
        elif shapes is self.objects:
            self.stale |= self.control.region.numbers.keys()
        steps = rises.setdefault(key, [])
        for part, cause in contributions:
            if lattice.below(part, goal) and not lattice.below(part, reached):
                reached = lattice.join(reached, part)
                steps.append(Rise(reached, cause))
        if reached != goal:
            first = next((cause for part, cause in contributions if part != lattice.bottom), Own())
            steps.append(Rise(goal, first))


def _sites(definition: Definition) -> list[tuple[Value, str | None]]:
    """The operands of a definition with the predecessor on whose edge they are read."""
    if isinstance(definition, Phi):
        shadow: list[tuple[Value, str | None]] = [] if definition.shadow is None else [(definition.shadow, None)]
        return [(value, label) for label, value in definition.incoming] + shadow
    return [(value, None) for value in operands(definition)]
