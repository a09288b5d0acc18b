"""Tensor shapes: how each value of a nest changes along the dimensions of the brush (thesis, section 11.3).

The lattice is, per dimension, the integers (the stride from one lane to the next; 0: uniform) below "varying". Closed forms
give the strides of integers; all other values vary in the dimensions in which an operand varies, and a loaded value in those
in which its address varies: legality has ruled out that lanes write what other lanes read. Shapes speak about lanes that execute
a definition together; the values of the others are undefined.
A branch whose condition varies parts the lanes: phis where they meet again, and phis behind loops that they leave in different
iterations, vary in its dimensions (thesis, chapters 6 and 7; the exit tests of brushed loops are not among these branches).
The accumulator of a reduction along a brushed loop, or of a selection, has one partial result per lane of this loop.

A polynomial varies along a dimension when the counter of that dimension's loop occurs in it, or a symbol that varies.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass

from rv.analysis.divergence.control_divergence import control_divergence
from rv.analysis.divergence.propagation import Semilattice, Shapes, propagate
from rv.analysis.divergence.propagation import Site as PlaceOfDefinition
from rv.analysis.strides.patterns import Pattern
from rv.analysis.values.uses import Definition
from rv.evolution.live_out import left_loop, live_out_form
from rv.evolution.polynomial import Polynomial, Symbol, counter
from rv.ir.instructions import Branch, Horizontal, Load, Mask, Phi, Store
from rv.ir.types import I64
from rv.ir.values import Value, Var
from rv.widen.protocols import UNIFORM, Dimensions
from tensorrv.brush.aligned_shapes import by_alignment
from tensorrv.nest.model import Nests


@dataclass(frozen=True, slots=True)
class NestShapes:
    """Shapes of the values that are defined inside one brushed nest; everything else is uniform in it."""

    headers: tuple[str, ...]
    found: Shapes[Dimensions]
    nests: Nests
    aligned: bool
    """Whether something is known only because brushes begin at multiples of their size (`tensorrv.brush.aligned_shapes`)."""
    patterns: Mapping[str, tuple[Pattern, ...]]
    """Of index arithmetic: what lanes are apart along each dimension of a brush that begins at a multiple of its size."""
    sizes: tuple[int, ...]

    def of(self, value: Value) -> Dimensions:
        """The dimensions in which `value` varies."""
        return self.found.of(value)

    def object_of(self, pointer: Value) -> str | None:
        """The stack object of each lane that a pointer leads to, by the name of its group (`AllocaSsa`); None: other memory."""
        return self.found.memory.of(pointer)

    def of_object(self, group: str) -> Dimensions:
        """The dimensions along which lanes have stack objects of their own; along others one object serves all of them."""
        return self.found.objects.get(group, UNIFORM)

    def in_block(self, label: str) -> Dimensions:
        """The dimensions in which lanes differ in whether they run a block."""
        return self.found.activations.get(label, UNIFORM)

    @property
    def groups(self) -> Collection[str]:
        """The groups of stack objects, by their allocas."""
        return self.found.memory.groups

    @property
    def divergent_branches(self) -> frozenset[str]:
        """Blocks whose branch lanes of one brush may take differently."""
        return frozenset(self.found.branches)

    @property
    def divergent_loops(self) -> frozenset[str]:
        """Headers of loops inside the brush that its lanes may leave in different iterations."""
        return frozenset(self.found.loops)

    def of_polynomial(self, polynomial: Polynomial) -> Dimensions:
        """The dimensions in which a closed form varies."""
        return dimensions_of(polynomial, self.headers, lambda name: self.found.values.get(name, UNIFORM))

    def of_symbol(self, symbol: Symbol) -> Dimensions:
        return self.of_polynomial(Polynomial.symbol(symbol))

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
        return all(symbol.is_counter or not self.of_symbol(symbol) for symbol in form.symbols)


def analyze_shapes(
    nests: Nests, headers: tuple[str, ...], sizes: tuple[int, ...], objects: Mapping[str, Dimensions] | None = None
) -> NestShapes:
    """The shapes of all values inside the outermost loop of `headers`, as a least fixed point from "uniform".

    `sizes` are those of the brush. `objects`: for linearized code, the shapes that stack objects had before (`propagate`).
    """
    control = control_divergence(nests.function, nests.loops[headers[0]].blocks)
    lattice = Semilattice(UNIFORM, Dimensions.union, lambda dimensions: dimensions)
    uniform: dict[str, Dimensions] = {}
    for header in headers:
        # whether a brush runs is decided by the tile loop, for all of its lanes
        test = nests.function.block(header).terminator
        if isinstance(test, Branch) and isinstance(test.condition, Var):
            uniform[test.condition.name] = UNIFORM
    alignment = by_alignment(nests, headers, sizes, control)
    transfer = _Transfer(nests, headers, alignment.same)
    found = propagate(nests.function, control, lattice, uniform, transfer, objects)
    return NestShapes(headers, found, nests, bool(transfer.relied_on), alignment.patterns, sizes)


class _Transfer:
    """The shape of a definition from those of its operands."""

    def __init__(self, nests: Nests, headers: tuple[str, ...], same: Mapping[str, Dimensions]) -> None:
        self.nests = nests
        self.headers = headers
        self.same = same
        self.relied_on: set[str] = set()
        blocks = {block.label: block for block in nests.function.blocks}
        self.accesses = {blocks[a.block].body[a.position].result: a for a in nests.accesses if a.kind == "load"}
        self.folded = {reduction.phi for reduction in nests.reductions}
        self.folded |= {member for selection in nests.selections for member in selection.members}

    def __call__(self, definition: Definition, site: PlaceOfDefinition[Dimensions]) -> Dimensions:
        operands_ = UNIFORM.union(*site.operands)
        match definition:
            case Phi():
                return self._phi(definition, site, operands_)
            case Load():
                access = self.accesses.get(definition.result)
                if access is None or access.subscripts is None:
                    return operands_ | site.contents
                polynomials = (*access.subscripts, *access.extents)
                base = site.of(access.array)  # a pointer that was selected or loaded may vary
                return base.union(*(self._polynomial(p, site) for p in polynomials))
            case Mask():
                return site.activation
            case Horizontal(op="lane"):
                return frozenset(d for d, h in enumerate(self.headers) if site.label in self.nests.loops[h].blocks)
            case Horizontal(op="shuffle"):
                return site.operands[1]
            case Horizontal():
                return UNIFORM
            case _:
                return self._but_same(definition, operands_)

    def _but_same(self, definition: Definition, dimensions: Dimensions) -> Dimensions:
        """The dimensions without those in which brushes that begin at multiples of their size make lanes agree."""
        name = "" if definition.result is None else definition.result.name
        agreed = dimensions & self.same.get(name, UNIFORM)
        if agreed:
            self.relied_on.add(name)
        return dimensions - agreed

    def _phi(self, phi: Phi, site: PlaceOfDefinition[Dimensions], incoming: Dimensions) -> Dimensions:
        if site.label in self.headers:
            form = self.nests.congruences.get(phi.result.name)
            if form is not None:
                return self._polynomial(form, site)
            own = frozenset({self.headers.index(site.label)})
            return incoming | own if phi.result in self.folded else incoming
        left = left_loop(self.nests.loops, self.headers, site.label)
        if left is None:
            return incoming
        live = live_out_form(self.nests, phi.incoming[0][1])
        if live is not None:
            incoming = self._polynomial(live.polynomial, site) | (UNIFORM if live.base is None else site.of(live.base))
        return incoming - {self.headers.index(left.header)}

    def _polynomial(self, polynomial: Polynomial, site: PlaceOfDefinition[Dimensions]) -> Dimensions:
        def of(name: str) -> Dimensions:
            return site.of(Var(name, I64))

        return dimensions_of(polynomial, self.headers, of)


def dimensions_of(polynomial: Polynomial, headers: tuple[str, ...], of: Callable[[str], Dimensions]) -> Dimensions:
    """The dimensions in which a closed form varies; `of` gives those of a variable."""
    found = UNIFORM
    for symbol in polynomial.symbols:
        if not symbol.is_counter:
            found |= of(symbol.name)
        elif symbol.name in headers:
            found |= {headers.index(symbol.name)}
    return found
