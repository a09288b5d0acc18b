"""Which vector registers are needed: the patterns of every variable that reach a store, a branch or a return.

A backward analysis over all copies of a function. Stores and uniform control flow are the roots; an instruction that is
needed for a pattern needs its operands for the same pattern, restricted to the dimensions in which they vary. So a value that
varies along one dimension only is computed once for all lanes along the others, and uniform values stay scalar. Addresses
with known elements need only the symbols of their subscripts.
"""

from __future__ import annotations

from collections.abc import Iterable

from rv.evolution.facts import Fold
from rv.evolution.polynomial import Polynomial
from rv.ir.instructions import Branch, Horizontal, Instruction, Load, Mask, Phi, Return, Store, operands
from rv.ir.values import Value, Var
from rv.widen.context import Context, LaneObjects
from rv.widen.effects import is_effect
from rv.widen.lanes import SCALAR, Pattern, restrict
from rv.widen.loops.copies import Copy
from rv.widen.protocols import Dimensions


def find_demand(context: Context) -> None:
    """Fill in `demand` of every copy."""
    analysis = _Demand(context)
    for copy in context.root.walk():
        analysis.add_roots(copy)
    analysis.run()


class _Demand:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.work: list[tuple[Copy, str, Pattern]] = []

    def run(self) -> None:
        while self.work:
            copy, name, pattern = self.work.pop()
            self.visit(copy, name, pattern)

    def add_roots(self, copy: Copy) -> None:
        for label in copy.blocks:
            block = self.context.block(label)
            for position, instruction in enumerate(block.body):
                if isinstance(instruction, Store):
                    self.need_store(copy, label, position, instruction)
                elif is_effect(instruction):
                    for argument in operands(instruction):
                        self.need(copy, argument, SCALAR)
            match block.terminator:
                case Branch(condition=condition) if label != copy.header:
                    self.need_decision(copy, label, condition)
                case Return(value=value) if value is not None:
                    self.need(copy, value, SCALAR)
                case _:
                    pass
        for name, pattern in copy.relieved:
            self.need(copy, self.context.block(self.context.definitions[name].label).predicate, pattern)
        for header in copy.children:
            trip = self.context.loops[header].trip
            assert trip is not None
            self.need_symbols(copy, trip.distance)
        if copy.nest is None:
            for nest in self.context.nests:
                self.need_guards(copy, nest.headers[0])

    def need_decision(self, copy: Copy, label: str, condition: Value) -> None:
        """The condition of a branch, on which the lanes that execute it agree (`rv.widen.across.horizontal.decision`)."""
        if not self.context.varying(copy, condition):
            self.need(copy, condition, SCALAR)
            return
        for register in self.context.all_registers(copy):
            self.need_all(copy, (condition, self.context.block(label).predicate), register)

    def need_guards(self, root: Copy, header: str) -> None:
        for polynomial in self.context.guard_polynomials(header):
            self.need_symbols(root, polynomial)
        legal = self.context.legal(header)
        for pair in legal.overlaps if legal is not None else ():
            self.need_all(root, (footprint.array for footprint in pair), SCALAR)

    def need_store(self, copy: Copy, label: str, position: int, store: Store) -> None:
        objects = self.context.objects_at(copy, store.pointer)
        if objects is not None:
            self.need_object_store(copy, label, position, store, objects)
            return
        for pattern in self.context.store_patterns(copy, label, position, store):
            self.need(copy, store.value, pattern)
            self.need(copy, self.context.block(label).predicate, pattern)
            self.need_address(copy, label, position, store, pattern)

    def need_object_store(self, copy: Copy, label: str, position: int, store: Store, objects: LaneObjects) -> None:
        for pattern in self.context.object_patterns(copy, objects):
            self.need_all(copy, operands(store), pattern)
            self.need_activation(copy, objects.dimensions, pattern, label)
        for ahead in self.context.pending.get((label, position), ()) if not objects.dimensions else ():
            self.need(copy, ahead.base, SCALAR)
            self.need_symbols(copy, ahead.offset)

    def need_activation(self, copy: Copy, varies: Dimensions, pattern: Pattern, label: str) -> None:
        """What `activation_of` reads."""
        if not (pattern == SCALAR and self.context.accompanied(label)):
            for lanes in self.context.sharing(copy, varies, pattern, label):
                self.need(copy, self.context.block(label).predicate, lanes)

    def need_address(self, copy: Copy, label: str, position: int, access: Load | Store, pattern: Pattern) -> None:
        """What the address of an access is computed from; a stack object's pointer where lanes have objects of their own."""
        if copy.nest is None or self.context.objects_at(copy, access.pointer) is not None:
            self.need(copy, access.pointer, pattern)
            return
        reads = self.context.forms.reads(copy, label, position, access, pattern)
        for value, lanes in reads.values:
            self.need(copy, value, lanes)
        for form in reads.forms:
            self.need_symbols(copy, form)

    def need_symbols(self, copy: Copy, polynomial: Polynomial) -> None:
        for symbol in polynomial.symbols:
            if symbol.startswith("@"):
                self.context.counted.add(symbol[1:])
            else:
                self.need(copy, self.context.variable(symbol.partition("%")[2]), SCALAR)

    def need(self, copy: Copy, value: Value, pattern: Pattern) -> None:
        if not isinstance(value, Var) or value.name not in self.context.definitions:
            return
        owner = self.context.owner(copy, value.name)
        key = restrict(pattern, self.context.varying(owner, value))
        known = owner.demand.setdefault(value.name, set())
        if key not in known:
            known.add(key)
            self.work.append((owner, value.name, key))

    def need_all(self, copy: Copy, values: Iterable[Value], pattern: Pattern) -> None:
        for value in values:
            self.need(copy, value, pattern)

    def visit(self, copy: Copy, name: str, pattern: Pattern) -> None:
        definition = self.context.definitions[name]
        match definition.instruction:
            case Phi() as phi:
                self.visit_phi(copy, definition.label, phi, pattern)
            case Load() as load:
                self.need_activation(copy, self.context.varying(copy, load.result), pattern, definition.label)
                self.need_address(copy, definition.label, definition.position, load, pattern)
            case Mask():
                self.need(copy, self.context.block(definition.label).predicate, pattern)
            case Horizontal(op="lane" | "lanes"):
                pass
            case Horizontal(op="shuffle", operands=(value, lane)):
                for register in self.context.all_registers(copy):
                    self.need(copy, value, register)
                self.need(copy, lane, pattern)
            case Horizontal() as horizontal:
                self.visit_horizontal(copy, definition.label, horizontal)
            case instruction:
                self.visit_operands(copy, instruction, pattern)

    def visit_horizontal(self, copy: Copy, label: str, horizontal: Horizontal) -> None:
        common = self.context.common_test(copy, horizontal)
        if common is not None:
            self.need(copy, common[1], SCALAR)
        for register in self.context.all_registers(copy):
            self.need_all(copy, horizontal.operands if common is None else common[:1], register)
            if not horizontal.total:
                self.need(copy, self.context.block(label).predicate, register)

    def visit_operands(self, copy: Copy, instruction: Instruction, pattern: Pattern) -> None:
        assert instruction.result is not None
        name = instruction.result.name
        if self.context.condensed(copy, name, pattern) is not None:
            step = self.context.sums[name].steps[name]
            self.need_all(copy, (step.so_far, *step.factors), pattern)
            return
        self.need_all(copy, operands(instruction), pattern)

    def visit_phi(self, copy: Copy, label: str, phi: Phi, pattern: Pattern) -> None:
        if label == copy.header:
            self.visit_header_phi(copy, phi)
            return
        loop = self.context.left_loop(copy, label)
        if loop is None:
            self.need_all(copy, (value for _, value in phi.incoming), pattern)
            return
        value = phi.incoming[0][1]
        form = self.context.live_out_form(copy, loop, value)
        if form is not None:
            self.need_symbols(copy, form.polynomial)
            if form.base is not None:
                self.need(copy, form.base, pattern)
            return
        fold = self.context.fold_of(loop.header, value)
        if fold is None:
            self.need(copy, value, pattern)
            return
        for member in fold.members:
            initial = self.context.header_phi(member).value_from(loop.preheader)
            for register in self.context.registers_around(copy, fold):
                self.need(copy, initial, register)
        for child in copy.children[loop.header]:
            self.need_fold(child, fold)

    def need_fold(self, copy: Copy, fold: Fold) -> None:
        """Partial results are only read by their own updates, whose registers are the accumulators."""
        for member, update in zip(fold.members, fold.updates, strict=True):
            for register in self.context.accumulators(copy, member):
                self.need(copy, member, register)
                self.need(copy, update, register)

    def visit_header_phi(self, copy: Copy, phi: Phi) -> None:
        form = self.context.counter_form(copy, phi.result.name)
        if form is not None:
            self.need_symbols(copy, form)
            return
        fold = self.context.folds.get(phi.result.name)
        if fold is not None:
            self.need_fold(copy, fold)
