"""Divergence analysis on the stride-alignment lattice (thesis, sections 6.5 and 10.2).

The same data flow as `rv.analysis.divergence.divergence_analysis`, with shapes in place of "uniform" and "varying": more branches
are found uniform, and what control flow does to a value leaves its alignment.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from rv.analysis.divergence.control_divergence import ControlDependences, control_divergence
from rv.analysis.divergence.propagation import Semilattice, Shapes, Site, propagate
from rv.analysis.memory.stack_objects import stack_objects
from rv.analysis.strides.shape_lattice import BOTTOM, TAINT, Shape, join, uniform, varying
from rv.analysis.strides.shape_transfer import shape_of_constant, transfer
from rv.analysis.values.uses import Definition
from rv.ir.function import Function
from rv.ir.instructions import operands
from rv.ir.types import bits_of
from rv.ir.values import Value, Var

STRIDE_ALIGNMENT = Semilattice(BOTTOM, join, lambda condition: BOTTOM if condition.is_uniform else TAINT)


@dataclass(frozen=True, slots=True)
class VectorShapes:
    """The shape of every value of a region in `lanes` threads; `found` also has those of branches, blocks and loops, and why."""

    lanes: int
    found: Shapes[Shape]

    def of(self, value: Value) -> Shape:
        """The shape of a value where it is defined."""
        return self.found.of(value) if isinstance(value, Var) else shape_of_constant(value)

    @property
    def divergent_branches(self) -> frozenset[str]:
        """Blocks whose branch threads may take differently."""
        return frozenset(self.found.branches)


def vector_shapes(
    function: Function,
    given: Mapping[str, Shape],
    lanes: int,
    region: frozenset[str] | None = None,
    control: ControlDependences | None = None,
    separated: Mapping[str, Shape] | None = None,
) -> VectorShapes:
    """The shapes of a function, or of a region of it (see `find_region`), as a least fixed point.

    `given` has the shapes of parameters and of other values that are not to be computed. Other parameters and values from
    outside the region are uniform; phis at the entry of a loop's region, whose values differ between threads, are varying.
    `separated`: for code that was linearized after its stack objects had been analyzed, see `propagate`.
    """
    known = control_divergence(function, region) if control is None else control
    inside = known.region.graph.successors
    initial = {parameter.var.name: uniform(bits_of(parameter.var.type)) for parameter in function.parameters}
    for block in function.blocks:
        for definition in (*block.phis, *block.body) if block.label not in inside else ():
            if definition.result is not None:
                initial[definition.result.name] = uniform(bits_of(definition.result.type))
    for phi in function.block(known.region.entry).phis:
        if any(label in inside for label, _ in phi.incoming):
            initial[phi.result.name] = varying(bits_of(phi.result.type))
    initial |= {number: varying(64) for number in stack_objects(function).numbers()}
    found = propagate(function, known, STRIDE_ALIGNMENT, {**initial, **given}, _Transfer(lanes), separated)
    return VectorShapes(lanes, found)


@dataclass(frozen=True, slots=True)
class _Transfer:
    lanes: int

    def __call__(self, definition: Definition, site: Site[Shape]) -> Shape:
        shapes = tuple(
            found if isinstance(value, Var) else shape_of_constant(value)
            for value, found in zip(operands(definition), site.operands, strict=True)
        )
        found = transfer(definition, shapes, active_together=site.activation == BOTTOM, lanes=self.lanes)
        return join(found, site.contents)
