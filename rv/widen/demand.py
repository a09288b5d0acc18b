"""Which vector registers are needed: the sets of lanes of every variable that reach a store, a branch or a return.

A backward analysis over all variants of a function. Stores and uniform control flow are the roots; an instruction that is
needed for a set of lanes needs its operands for the same set of lanes, restricted to the dimensions in which they vary. So a
value that varies along one dimension only is computed once for all lanes along the others, and uniform values stay scalar.
Addresses with known elements need only the symbols of their subscripts.
"""

from __future__ import annotations

from collections.abc import Iterable

from rv.evolution.facts import Fold
from rv.evolution.polynomial import Polynomial
from rv.ir.instructions import Branch, Horizontal, Instruction, Load, Mask, Phi, Return, Store, operands
from rv.ir.values import Value, Var
from rv.widen.context import Context, LaneObjects
from rv.widen.effects import is_effect
from rv.widen.lanes import SCALAR, Lanes, restrict
from rv.widen.loops.variant_tree import Variant
from rv.widen.protocols import Dimensions


def find_demand(context: Context) -> None:
    """Fill in `demand` of every variant."""
    analysis = _Demand(context)
    for variant in context.root.walk():
        analysis.add_roots(variant)
    analysis.run()


class _Demand:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.work: list[tuple[Variant, str, Lanes]] = []

    def run(self) -> None:
        while self.work:
            variant, name, coordinates = self.work.pop()
            self.visit(variant, name, coordinates)

    def add_roots(self, variant: Variant) -> None:
        for label in variant.blocks:
            block = self.context.block(label)
            for position, instruction in enumerate(block.body):
                if isinstance(instruction, Store):
                    self.need_store(variant, label, position, instruction)
                elif is_effect(instruction):
                    for argument in operands(instruction):
                        self.need(variant, argument, SCALAR)
            match block.terminator:
                case Branch(condition=condition) if label != variant.header:
                    self.need_decision(variant, label, condition)
                case Return(value=value) if value is not None:
                    self.need(variant, value, SCALAR)
                case _:
                    pass
        for name, coordinates in variant.offloaded:
            self.need(variant, self.context.block(self.context.definitions[name].label).predicate, coordinates)
        for header in variant.children:
            trip = self.context.loops[header].trip
            assert trip is not None
            self.need_symbols(variant, trip.distance)

    def need_decision(self, variant: Variant, label: str, condition: Value) -> None:
        """The condition of a branch, on which the lanes that execute it agree (`rv.widen.across.horizontal.decision`)."""
        if not self.context.varying(variant, condition):
            self.need(variant, condition, SCALAR)
            return
        for register in self.context.all_registers(variant):
            self.need_all(variant, (condition, self.context.block(label).predicate), register)

    def need_store(self, variant: Variant, label: str, position: int, store: Store) -> None:
        objects = self.context.objects_at(variant, store.pointer)
        if objects is not None:
            self.need_object_store(variant, label, position, store, objects)
            return
        for coordinates in self.context.stored_lanes(variant, label, position, store):
            self.need(variant, store.value, coordinates)
            self.need(variant, self.context.block(label).predicate, coordinates)
            self.need_address(variant, label, position, store, coordinates)

    def need_object_store(self, variant: Variant, label: str, position: int, store: Store, objects: LaneObjects) -> None:
        for coordinates in self.context.object_lanes(variant, objects):
            self.need_all(variant, operands(store), coordinates)
            self.need_activation(variant, objects.dimensions, coordinates, label)
        for ahead in self.context.pending.get((label, position), ()) if not objects.dimensions else ():
            self.need(variant, ahead.base, SCALAR)
            self.need_symbols(variant, ahead.offset)

    def need_activation(self, variant: Variant, varies: Dimensions, coordinates: Lanes, label: str) -> None:
        """What `activation_of` reads."""
        if not (coordinates == SCALAR and self.context.accompanied(label)):
            for lanes in self.context.sharing(variant, varies, coordinates, label):
                self.need(variant, self.context.block(label).predicate, lanes)

    def need_address(self, variant: Variant, label: str, position: int, access: Load | Store, coordinates: Lanes) -> None:
        """What the address of an access is computed from; a stack object's pointer where lanes have objects of their own."""
        if variant.nest is None or self.context.objects_at(variant, access.pointer) is not None:
            self.need(variant, access.pointer, coordinates)
            return
        reads = self.context.forms.reads(variant, label, position, access, coordinates)
        for value, lanes in reads.values:
            self.need(variant, value, lanes)
        for form in reads.forms:
            self.need_symbols(variant, form)

    def need_symbols(self, variant: Variant, polynomial: Polynomial) -> None:
        for symbol in polynomial.symbols:
            if symbol.startswith("@"):
                self.context.counted.add(symbol[1:])
            else:
                self.need(variant, self.context.variable(symbol.partition("%")[2]), SCALAR)

    def need(self, variant: Variant, value: Value, coordinates: Lanes) -> None:
        if not isinstance(value, Var) or value.name not in self.context.definitions:
            return
        owner = self.context.owner(variant, value.name)
        key = restrict(coordinates, self.context.varying(owner, value))
        known = owner.demand.setdefault(value.name, set())
        if key not in known:
            known.add(key)
            self.work.append((owner, value.name, key))

    def need_all(self, variant: Variant, values: Iterable[Value], coordinates: Lanes) -> None:
        for value in values:
            self.need(variant, value, coordinates)

    def visit(self, variant: Variant, name: str, coordinates: Lanes) -> None:
        definition = self.context.definitions[name]
        match definition.instruction:
            case Phi() as phi:
                self.visit_phi(variant, definition.label, phi, coordinates)
            case Load() as load:
                self.need_activation(variant, self.context.varying(variant, load.result), coordinates, definition.label)
                self.need_address(variant, definition.label, definition.position, load, coordinates)
            case Mask():
                self.need(variant, self.context.block(definition.label).predicate, coordinates)
            case Horizontal(op="lane" | "lanes"):
                pass
            case Horizontal(op="shuffle", operands=(value, lane)):
                for register in self.context.all_registers(variant):
                    self.need(variant, value, register)
                self.need(variant, lane, coordinates)
            case Horizontal() as horizontal:
                self.visit_horizontal(variant, definition.label, horizontal)
            case instruction:
                self.visit_operands(variant, instruction, coordinates)

    def visit_horizontal(self, variant: Variant, label: str, horizontal: Horizontal) -> None:
        common = self.context.common_test(variant, horizontal)
        if common is not None:
            self.need(variant, common[1], SCALAR)
        for register in self.context.all_registers(variant):
            self.need_all(variant, horizontal.operands if common is None else common[:1], register)
            if not horizontal.total:
                self.need(variant, self.context.block(label).predicate, register)

    def visit_operands(self, variant: Variant, instruction: Instruction, coordinates: Lanes) -> None:
        assert instruction.result is not None
        name = instruction.result.name
        if self.context.condensed(variant, name, coordinates) is not None:
            step = self.context.sums[name].steps[name]
            self.need_all(variant, (step.so_far, *step.factors), coordinates)
            return
        self.need_all(variant, operands(instruction), coordinates)

    def visit_phi(self, variant: Variant, label: str, phi: Phi, coordinates: Lanes) -> None:
        if label == variant.header:
            self.visit_header_phi(variant, phi)
            return
        loop = self.context.left_loop(variant, label)
        if loop is None:
            self.need_all(variant, (value for _, value in phi.incoming), coordinates)
            return
        value = phi.incoming[0][1]
        form = self.context.live_out_form(variant, loop, value)
        if form is not None:
            self.need_symbols(variant, form.polynomial)
            if form.base is not None:
                self.need(variant, form.base, coordinates)
            return
        fold = self.context.fold_of(loop.header, value)
        if fold is None:
            self.need(variant, value, coordinates)
            return
        for member in fold.members:
            initial = self.context.header_phi(member).value_from(loop.preheader)
            for register in self.context.registers_around(variant, fold):
                self.need(variant, initial, register)
        for child in variant.children[loop.header]:
            self.need_fold(child, fold)

    def need_fold(self, variant: Variant, fold: Fold) -> None:
        """Partial results are only read by their own updates, whose registers are the accumulators."""
        for member, update in zip(fold.members, fold.updates, strict=True):
            for register in self.context.accumulators(variant, member):
                self.need(variant, member, register)
                self.need(variant, update, register)

    def visit_header_phi(self, variant: Variant, phi: Phi) -> None:
        form = self.context.counter_form(variant, phi.result.name)
        if form is not None:
            self.need_symbols(variant, form)
            return
        fold = self.context.folds.get(phi.result.name)
        if fold is not None:
            self.need_fold(variant, fold)
