"""The divergence analysis on the basic lattice, uniform below varying (thesis, chapter 6).

A value is uniform when all threads that define it together define the same value. Sources of variation are the values that the
caller names, thread numbers, numbers made of the addresses of stack objects, and results of functions that are not known to be
pure. A loaded value varies when its address does, or the stack object that it is loaded from; of other memory the caller vouches
that no thread writes what another one reads in between. Addresses of stack objects are uniform when they are so relative to the
object: each thread has its own. Horizontal operations give their active threads one value. Everything else follows from data
and control flow, see `rv.analysis.divergence.propagation`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from rv.analysis.cfg.region import Edge
from rv.analysis.divergence.control_divergence import ControlDependences, LoopExit, control_divergence
from rv.analysis.divergence.propagation import Semilattice, Shapes, Site, propagate
from rv.analysis.memory.stack_objects import stack_objects
from rv.analysis.values.effects import is_pure_call
from rv.analysis.values.uses import Definition
from rv.ir.function import Function
from rv.ir.instructions import Call, Horizontal, Load, Mask, Phi
from rv.ir.values import Value, Var

BASIC = Semilattice(bottom=False, join=lambda a, b: a or b, parted=lambda condition: condition)


@dataclass(frozen=True, slots=True)
class Divergence:
    """What differs between the threads in a region; all that is not named here is uniform.

    `varying_objects`: stack objects by their allocas. `divergent_branches`, `varying_predicates`: labels of blocks.
    `divergent_loops`: headers of loops that threads leave at different times or over different exits, `divergent_exits` the
    edges at which that shows. `shapes` contains the reasons.
    """

    varying: frozenset[str]
    varying_objects: frozenset[str]
    divergent_branches: frozenset[str]
    divergent_loops: frozenset[str]
    divergent_exits: frozenset[LoopExit]
    varying_predicates: frozenset[str]
    shapes: Shapes[bool] = field(compare=False, repr=False)

    @property
    def control(self) -> ControlDependences:
        return self.shapes.control

    @property
    def leaving_apart(self) -> frozenset[Edge]:
        """Edges out of the region that some threads take and others do not."""
        return frozenset(edge for branch in self.divergent_branches for edge in self.control.leaving_apart_by(branch))

    def varies(self, value: Value) -> bool:
        """Whether threads that define the value together may define different ones."""
        return isinstance(value, Var) and value.name in self.varying


def divergence(
    function: Function,
    varying: Iterable[str],
    uniform: Iterable[str] = (),
    region: frozenset[str] | None = None,
    control: ControlDependences | None = None,
) -> Divergence:
    """The divergence of a function, or of a region of it (see `find_region`), where the variables `varying` differ.

    `uniform` names variables that the caller guarantees to be uniform. Other parameters and values from outside the
    region are uniform. Phis at the entry of a loop's region are varying unless they are named: threads are iterations.
    """
    known = control_divergence(function, region) if control is None else control
    own = (*_carried(function, known), *stack_objects(function).numbers())
    initial = {**dict.fromkeys(own, True), **dict.fromkeys(uniform, False), **dict.fromkeys(varying, True)}
    shapes = propagate(function, known, BASIC, initial, basic_shape)
    branches = frozenset(shapes.branches)
    exits = frozenset(exit for branch in branches for exit in known.exits_made_divergent_by(branch))
    return Divergence(
        frozenset(shapes.values),
        frozenset(shapes.objects),
        branches,
        frozenset(shapes.loops),
        exits,
        frozenset(shapes.activations),
        shapes,
    )


def basic_shape(definition: Definition, site: Site[bool]) -> bool:
    """Whether a definition varies by its operands or its activation (the transformers of figures 6.6 to 6.8 and 6.10)."""
    match definition:
        case Mask():
            return site.activation
        case Phi(shadow=shadow):
            return any(site.operands) or (shadow is not None and site.activation)
        case Horizontal(op="lane"):
            return True
        case Horizontal(op="shuffle"):
            return all(site.operands)
        case Horizontal():
            return False
        case Call() if not is_pure_call(definition):
            return True
        case Load():
            return site.contents or any(site.operands)
        case _:
            return any(site.operands)


def _carried(function: Function, control: ControlDependences) -> tuple[str, ...]:
    """The phis at the region's entry that carry values from one iteration to the next."""
    inside = control.region.graph.successors
    phis = function.block(control.region.entry).phis
    return tuple(phi.result.name for phi in phis if any(label in inside for label, _ in phi.incoming))
