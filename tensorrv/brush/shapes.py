"""Tensor shapes: how each value of a nest changes along the dimensions of the brush (thesis, section 11.3).

The lattice is, per dimension, the integers (the stride from one lane to the next; 0: uniform) below "varying". Closed forms
give the strides of integers; all other values vary in the dimensions in which an operand varies, and a loaded value in those
in which its address varies, or whether the lane runs the block: legality has ruled out that lanes write what other lanes read.
A branch whose condition varies parts the lanes: phis where they meet again, and phis behind loops that they leave in different
iterations, vary in its dimensions (thesis, chapters 6 and 7; the exit tests of brushed loops are not among these branches).
The accumulator of a reduction along a brushed loop has one partial result per lane of this loop.

A polynomial varies along a dimension when the counter of that dimension's loop occurs in it, or a symbol that varies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace

from rv.analysis.control_divergence import control_divergence
from rv.ir.function import Block
from rv.ir.instructions import Branch, Horizontal, Instruction, Load, Mask, Phi, Store, operands
from rv.ir.values import Value, Var
from tensorrv.nest.model import Loop, Nests, Reduction, counter
from tensorrv.nest.polynomial import Polynomial

Dimensions = frozenset[int]
UNIFORM: Dimensions = frozenset()


@dataclass(frozen=True, slots=True)
class NestShapes:
    """Shapes of the values that are defined inside one brushed nest; everything else is uniform in it."""

    headers: tuple[str, ...]
    varying: Mapping[str, Dimensions]
    predicated: Mapping[str, Dimensions]
    """Label -> dimensions in which lanes differ in whether they run the block."""
    divergent_loops: frozenset[str]
    """Headers of loops inside the brush that its lanes may leave in different iterations."""
    nests: Nests

    def of(self, value: Value) -> Dimensions:
        """The dimensions in which `value` varies."""
        return self.varying.get(value.name, UNIFORM) if isinstance(value, Var) else UNIFORM

    def in_block(self, label: str) -> Dimensions:
        """The dimensions in which lanes differ in whether they run a block."""
        return self.predicated.get(label, UNIFORM)

    def of_polynomial(self, polynomial: Polynomial) -> Dimensions:
        """The dimensions in which a closed form varies."""
        return frozenset[int]().union(*(self.of_symbol(symbol) for symbol in polynomial.symbols))

    def of_symbol(self, symbol: str) -> Dimensions:
        if symbol.startswith("@"):
            header = symbol[1:]
            return frozenset({self.headers.index(header)}) if header in self.headers else UNIFORM
        return self.varying.get(symbol.partition("%")[2], UNIFORM)

    def strides(self, value: Var) -> tuple[int | None, ...]:
        """The shape of a value as the thesis writes it: per dimension a stride, or None for varying."""
        form = self.nests.closed_forms.get(value.name)
        varies = self.of(value)
        result: list[int | None] = []
        for d, header in enumerate(self.headers):
            stride = form.coefficient(counter(header)).as_constant if form is not None and self._strided(form) else None
            result.append(0 if d not in varies else stride)
        return tuple(result)

    def strides_of_store(self, store: Store) -> tuple[int | None, ...]:
        """The shape of what a store writes."""
        return self.strides(store.value) if isinstance(store.value, Var) else (0,) * len(self.headers)

    def _strided(self, form: Polynomial) -> bool:
        return all(symbol.startswith("@") or not self.of_symbol(symbol) for symbol in form.symbols)


def analyze_shapes(nests: Nests, headers: tuple[str, ...]) -> NestShapes:
    """The shapes of all values inside the outermost loop of `headers`, as a least fixed point from "uniform"."""
    return _Analysis(nests, headers).run()


class _Analysis:
    def __init__(self, nests: Nests, headers: tuple[str, ...]) -> None:
        outermost = nests.loops[headers[0]]
        self.blocks = [b for b in nests.function.blocks if b.label in outermost.blocks or b.label == outermost.exit]
        self.by_label = {block.label: block for block in self.blocks}
        self.accesses = {(access.block, access.position): access for access in nests.accesses}
        self.reductions = {reduction.phi.name: reduction for reduction in nests.reductions}
        self.control = control_divergence(nests.function, nests.loops[headers[-1]].blocks)
        self.varying: dict[str, Dimensions] = {}
        self.predicated: dict[str, Dimensions] = {}
        self.shapes = NestShapes(headers, self.varying, self.predicated, frozenset(), nests)
        self.changed = True

    def run(self) -> NestShapes:
        while self.changed:
            self.changed = False
            for branch in self.control.branches:
                self._branch(branch)
            for block in self.blocks:
                self._block(block)
        return replace(self.shapes, divergent_loops=self._divergent_loops())

    def _divergent_loops(self) -> frozenset[str]:
        found: set[str] = set()
        for label in self.control.branches:
            terminator = self.by_label[label].terminator
            if label not in self.shapes.headers and isinstance(terminator, Branch) and self.shapes.of(terminator.condition):
                found |= self.control.loops_made_divergent_by(label)
        return frozenset(found)

    def _raise(self, table: dict[str, Dimensions], name: str, dimensions: Dimensions) -> None:
        if dimensions - table.get(name, UNIFORM):
            table[name] = table.get(name, UNIFORM) | dimensions
            self.changed = True

    def _branch(self, label: str) -> None:
        """What a branch does to the phis where the lanes that it parts meet, and to the blocks that not all of them run."""
        terminator = self.by_label[label].terminator
        if label in self.shapes.headers or not isinstance(terminator, Branch):
            return
        dimensions = self.shapes.of(terminator.condition)
        for join in self.control.joins_of(label):
            for phi in self.by_label[join].phis if join in self.by_label else ():
                self._raise(self.varying, phi.result.name, dimensions)
        for leaving in self.control.exits_made_divergent_by(label):
            for phi in self.by_label[leaving.target].phis:
                self._raise(self.varying, phi.result.name, dimensions)
        for block in self.control.predicated_by(label):
            self._raise(self.predicated, block, dimensions)

    def _block(self, block: Block) -> None:
        self._raise(self.predicated, block.label, self.shapes.of(block.predicate))
        for phi in block.phis:
            self._raise(self.varying, phi.result.name, _phi_shape(block, phi, self.shapes, self.reductions))
        for position, instruction in enumerate(block.body):
            if instruction.result is not None:
                self._raise(self.varying, instruction.result.name, self._instruction(block, position, instruction))

    def _instruction(self, block: Block, position: int, instruction: Instruction) -> Dimensions:
        match instruction:
            case Load():
                # what a lane loads, if anything, depends on whether it is active
                access = self.accesses.get((block.label, position))
                if access is None or access.subscripts is None:
                    return self.shapes.of(instruction.pointer) | self.shapes.in_block(block.label)
                parts = [self.shapes.of_polynomial(p) for p in (*access.subscripts, *access.extents)]
                return self.shapes.in_block(block.label).union(*parts)
            case Mask():
                return self.shapes.in_block(block.label)
            case Horizontal():
                return UNIFORM
            case _:
                return UNIFORM.union(*(self.shapes.of(value) for value in operands(instruction)))


def _phi_shape(block: Block, phi: Phi, shapes: NestShapes, reductions: Mapping[str, Reduction]) -> Dimensions:
    incoming = UNIFORM.union(*(shapes.of(value) for _, value in phi.incoming))
    if block.label in shapes.headers:
        own = frozenset({shapes.headers.index(block.label)})
        form = shapes.nests.congruences.get(phi.result.name)
        if form is not None:
            return shapes.of_polynomial(form)
        return incoming | own if phi.result.name in reductions else incoming
    left = left_loop(shapes.nests.loops, shapes.headers, block.label)
    if left is not None:
        form = live_out_form(shapes.nests, phi.incoming[0][1])
        if form is not None:
            return shapes.of_polynomial(form) - {shapes.headers.index(left.header)}
        return incoming - {shapes.headers.index(left.header)}
    return incoming


def left_loop(loops: Mapping[str, Loop], headers: tuple[str, ...], label: str) -> Loop | None:
    """The brushed loop whose exit block is `label`."""
    return next((loops[header] for header in headers if loops[header].exit == label), None)


def live_out_form(facts: Nests, value: Value) -> Polynomial | None:
    """The closed form, still over the counter of its loop, of a value of a header that is read after the loop."""
    return facts.congruences.get(value.name) if isinstance(value, Var) else None


def divergent_branches(nests: Nests, shapes: NestShapes) -> tuple[Block, ...]:
    """The blocks inside the nest whose branch lanes of one brush may take differently, other than tests of brushed loops."""
    region = nests.loops[shapes.headers[0]].blocks
    return tuple(
        block
        for block in nests.function.blocks
        if block.label in region and block.label not in shapes.headers
        if isinstance(block.terminator, Branch) and shapes.of(block.terminator.condition)
    )
