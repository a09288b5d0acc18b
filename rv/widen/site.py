"""Where code is being written: a variant with what it has computed so far, and a block of the vector IR.

`operand` is the one way to a value: constants are spelled out, uniform values are repeated in the lanes of the vector
that is requested, counters of brushed loops are computed from their closed forms, everything else has been computed before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rv.evolution.polynomial import Kind, Polynomial, Symbol, counter
from rv.ir.types import I64, IntType, Type, size_of
from rv.ir.values import TRUE, Const, Undef, Value, Var
from rv.vector.instructions import Access, Place
from rv.vector.values import ZERO, Operand, Register, constant, integers, known_integer
from rv.vector.writer import BlockWriter, FunctionWriter
from rv.widen.context import Context
from rv.widen.lanes import SCALAR, Lanes, is_scalar, restrict
from rv.widen.loops.variant_tree import Variant


class Values(dict[tuple[str, Lanes], Operand]):
    """What has been computed in one variant, by variable and set of lanes."""

    def inside(self, variant: Variant) -> Values:
        """The values of a variant inside this one's, before any is computed."""
        return Values()

    def note(self, name: str, key: Lanes) -> None:
        """A variable is read that is computed where it is read."""


@dataclass(eq=False, slots=True)
class State:
    """What has been computed in one variant: operands by variable and set of lanes, blocks by P-LLVM label.

    `ends` maps a P-LLVM label to the block that control leaves it from. `counters` are the counters (i64)
    of brushed loops by dimension, at the first lane; `active` the number of active lanes (i32) of masked dimensions;
    `loop_counters` the counters of the other loops by header. `halves` are half the reciprocals of square roots that were not
    left to the divider (`rv.vector.divider.quotients`).
    """

    variant: Variant
    parent: State | None
    values: Values = field(default_factory=Values)
    ends: dict[str, BlockWriter] = field(default_factory=dict)
    counters: dict[int, Operand] = field(default_factory=dict)
    active: dict[int, Operand] = field(default_factory=dict)
    loop_counters: dict[str, Operand] = field(default_factory=dict)
    halves: dict[tuple[str, Lanes], Operand] = field(default_factory=dict)

    def inside(self, variant: Variant) -> State:
        """The state of a variant inside this one's, at its start."""
        return State(variant, self, self.values.inside(variant))

    def state_of(self, variant: Variant) -> State:
        """The state of `variant`, which is this state's variant or one around it."""
        return self if self.variant is variant or self.parent is None else self.parent.state_of(variant)

    def counter_of(self, dimension: int) -> Operand:
        if dimension in self.counters or self.parent is None:
            return self.counters[dimension]
        return self.parent.counter_of(dimension)

    def active_in(self, dimension: int) -> Operand:
        if dimension in self.active or self.parent is None:
            return self.active[dimension]
        return self.parent.active_in(dimension)

    def loop_counter(self, header: str) -> Operand:
        if header in self.loop_counters or self.parent is None:
            return self.loop_counters[header]
        return self.parent.loop_counter(header)


@dataclass(frozen=True, slots=True)
class Site:
    """A place to write code: `block` of `writer`, on behalf of the variant of `state`, under the predicate of block `label`."""

    context: Context
    writer: FunctionWriter
    state: State
    block: BlockWriter
    predicate: Value = TRUE
    label: str = ""

    @property
    def variant(self) -> Variant:
        return self.state.variant

    def at(self, block: BlockWriter) -> Site:
        """The same variant in another block."""
        return Site(self.context, self.writer, self.state, block, self.predicate, self.label)

    def memory(self, array: str) -> str:
        """What stands for the memory that an array is part of: accesses of different memory need no order."""
        return self.context.memory(self.variant, array)

    def access(self, array: str, type_: Type, place: Place | None = None, *, align: int = 0) -> Access:
        """An access of elements of this type; `align` in bytes, if they are aligned better than one of them is."""
        alone = self.context.is_alone(self.variant, array)
        written = self.context.is_written(self.variant, array)
        return Access(self.memory(array), align or size_of(type_), array if alone else "", place, written)

    # -- values -------------------------------------------------------------------------------------------------------

    def operand(self, value: Value, coordinates: Lanes) -> Operand:
        """`value` in the lanes of `coordinates`."""
        lanes = len(coordinates)
        if isinstance(value, Const | Undef):
            return constant(value, lanes)
        key = restrict(coordinates, self.context.varying(self.variant, value))
        found = self.value(value, key)
        if is_scalar(key) and lanes > 1:
            return self.block.broadcast(found, lanes)
        return found

    def value(self, value: Var, key: Lanes) -> Operand:
        """A variable for a restricted set of lanes."""
        definition = self.context.definitions.get(value.name)
        if definition is None:
            return Register(value.name, value.type)
        owner = self.context.owner(self.variant, value.name)
        form = self.context.counter_form(owner, value.name)
        if definition.label == owner.header and definition.position < 0 and form is not None:
            assert isinstance(value.type, IntType)
            self.state.state_of(owner).values.note(value.name, key)
            return self.closed_form(form, value.type, key)
        return self.state.state_of(owner).values[(value.name, key)]

    def define(self, value: Var, key: Lanes, operand: Operand) -> None:
        self.state.values[(value.name, key)] = operand

    # -- closed forms -------------------------------------------------------------------------------------------------

    def closed_form(self, form: Polynomial, type_: IntType, coordinates: Lanes) -> Operand:
        """An integer given by its closed form, in the lanes of `coordinates`."""
        strides = self._strides(form)
        if strides is None:
            return self._scalars(form, type_, coordinates)
        offsets = [sum(s * c for s, c in zip(strides, coordinate, strict=False)) for coordinate in coordinates]
        base = self.truncate(self.polynomial(form), type_)
        if is_scalar(coordinates):
            return base if not offsets[0] else self.block.binary("add", base, integers(type_, offsets))
        return self.block.binary("add", self.block.broadcast(base, len(coordinates)), integers(type_, offsets))

    def _strides(self, form: Polynomial) -> list[int] | None:
        if self.variant.nest is None:
            return []
        strides = [form.coefficient(counter(header)).as_constant for header in self.variant.nest.headers]
        return (
            None
            if None in strides or not form_is_linear(form, self.variant.nest.headers)
            else [s for s in strides if s is not None]
        )

    def _scalars(self, form: Polynomial, type_: IntType, coordinates: Lanes) -> Operand:
        assert self.variant.nest is not None
        scalars: list[Operand] = []
        for coordinate in coordinates:
            shifts = {
                counter(h): Polynomial.symbol(counter(h)) + c for h, c in zip(self.variant.nest.headers, coordinate, strict=False)
            }
            scalars.append(self.truncate(self.polynomial(form.substitute(shifts)), type_))
        return scalars[0] if is_scalar(coordinates) else self.block.vector(scalars, type_)

    def truncate(self, operand: Operand, type_: IntType) -> Operand:
        """An i64 as a narrower integer."""
        if type_ == I64:
            return operand
        known = known_integer(operand)
        return self.block.convert("trunc", operand, type_) if known is None else integers(type_, [known])

    def polynomial(self, polynomial: Polynomial) -> Operand:
        """The value of a polynomial at the first lane of the brush, as i64 (modulo 2**64)."""
        found = self.block.known.get(polynomial)
        if found is None:
            found = self.block.known[polynomial] = self._evaluate(polynomial)
        return found

    def _evaluate(self, polynomial: Polynomial) -> Operand:
        total: Operand = ZERO
        for monomial, coefficient in polynomial.terms:
            if monomial:
                product = self.symbol(monomial[0])
                for symbol in monomial[1:]:
                    product = self.block.integer("mul", product, self.symbol(symbol))
                total = self.block.integer("add", total, self.block.integer("mul", product, coefficient))
        return self.block.integer("add", total, polynomial.constant_term)

    def symbol(self, symbol: Symbol) -> Operand:
        """A counter or an invariant as i64."""
        if symbol.is_counter:
            header = symbol.name
            nest = self.variant.nest
            if nest is not None and header in nest.headers[: self.variant.level + 1]:
                return self.state.counter_of(nest.headers.index(header))
            return self.state.loop_counter(header)
        variable = self.context.variable(symbol.name)
        operand = self.operand(variable, SCALAR)
        if variable.type == I64:
            return operand
        return self.block.convert("zext" if symbol.kind is Kind.UNSIGNED else "sext", operand, I64)


def form_is_linear(form: Polynomial, headers: tuple[str, ...]) -> bool:
    """Whether counters of the brushed loops occur at most to the first power and not in products with each other."""
    counters = {counter(header) for header in headers}
    return all(sum(symbol in counters for symbol in monomial) <= 1 for monomial, _ in form.terms)
