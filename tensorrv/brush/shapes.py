"""Tensor shapes: how each value of a nest changes along the dimensions of the brush (thesis, section 11.3).

The lattice is, per dimension, the integers (the stride from one lane to the next; 0: uniform) below "varying". Closed forms
give the strides of integers; all other values vary in the dimensions in which an operand varies, and a loaded value in
those in which its address or the block's predicate does: legality has ruled out that lanes write what other lanes read.
Operations across lanes are uniform. A phi of a loop
inside the brush joins its incoming values; control flow is uniform inside a brush, so no dimension is added (checked
by `divergent_branch`). The accumulator of a reduction along a brushed loop has one partial result per lane of this loop.

A polynomial varies along a dimension when the counter of that dimension's loop occurs in it, or a symbol that varies.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.ir.function import Block, Function
from rv.ir.instructions import Branch, Horizontal, Load, Mask, Phi, Store, operands
from rv.ir.values import Value, Var
from tensorrv.nest.model import Access, Loop, Nests, Reduction, counter
from tensorrv.nest.polynomial import Polynomial

Dimensions = frozenset[int]
UNIFORM: Dimensions = frozenset()


@dataclass(frozen=True, slots=True)
class NestShapes:
    """Shapes of the values that are defined inside one brushed nest; everything else is uniform in it."""

    headers: tuple[str, ...]
    varying: Mapping[str, Dimensions]
    nests: Nests

    def of(self, value: Value) -> Dimensions:
        """The dimensions in which `value` varies."""
        return self.varying.get(value.name, UNIFORM) if isinstance(value, Var) else UNIFORM

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
    region = nests.loops[headers[0]].blocks
    blocks = [block for block in nests.function.blocks if block.label in region or block.label == nests.loops[headers[0]].exit]
    accesses = {(access.block, access.position): access for access in nests.accesses}
    reductions = {reduction.phi.name: reduction for reduction in nests.reductions}
    varying: dict[str, Dimensions] = {}
    shapes = NestShapes(headers, varying, nests)
    changed = True
    while changed:
        changed = False
        for block in blocks:
            for name, dimensions in _block_shapes(block, shapes, accesses, reductions):
                if dimensions - varying.get(name, UNIFORM):
                    varying[name] = varying.get(name, UNIFORM) | dimensions
                    changed = True
    return shapes


def _block_shapes(
    block: Block, shapes: NestShapes, accesses: Mapping[tuple[str, int], Access], reductions: Mapping[str, Reduction]
) -> list[tuple[str, Dimensions]]:
    result: list[tuple[str, Dimensions]] = []
    for phi in block.phis:
        result.append((phi.result.name, _phi_shape(block, phi, shapes, reductions)))
    for position, instruction in enumerate(block.body):
        if instruction.result is None:
            continue
        access = accesses.get((block.label, position)) if isinstance(instruction, Load) else None
        if access is not None and access.subscripts is not None:
            parts = [shapes.of_polynomial(p) for p in (*access.subscripts, *access.extents)]
        else:
            parts = [shapes.of(value) for value in operands(instruction)]
        if isinstance(instruction, Load | Mask):
            # what a lane loads, if anything, depends on whether it is active
            parts.append(shapes.of(block.predicate))
        if isinstance(instruction, Horizontal):
            parts = []
        result.append((instruction.result.name, UNIFORM.union(*parts)))
    return result


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


def divergent_branch(function: Function, nests: Nests, shapes: NestShapes) -> Branch | None:
    """A branch inside the nest that lanes of one brush may take differently, other than the exit tests of brushed loops."""
    region = nests.loops[shapes.headers[0]].blocks
    for block in function.blocks:
        terminator = block.terminator
        if block.label in region and block.label not in shapes.headers and isinstance(terminator, Branch):
            if shapes.of(terminator.condition):
                return terminator
    return None
