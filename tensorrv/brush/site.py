"""Where code is being written: a copy with the names of what it has computed so far, and a block of LLVM IR.

`operand` is the one way to a value: constants are spelled out, uniform values are repeated in the lanes of the vector
that is asked for, counters of brushed loops are computed from their closed forms, everything else has been computed before.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from rv.ir.types import I64, IntType, bits_of
from rv.ir.values import TRUE, Const, Undef, Value, Var
from rv.widen.lanes import SCALAR, Pattern, is_scalar, restrict
from rv.widen.lines import LlvmBlock, LlvmFunction
from rv.widen.llvm_text import constant_text, int_vector, type_text
from tensorrv.brush.context import Context
from tensorrv.brush.copies import Copy
from tensorrv.nest.model import counter
from tensorrv.nest.polynomial import Polynomial


@dataclass(eq=False, slots=True)
class State:
    """What has been computed in one copy: operand text by variable and pattern, blocks by P-LLVM label.

    `ends` maps a P-LLVM label to the LLVM block that control leaves it from. `counters` are the names of the counters (i64)
    of brushed loops by dimension, at the first lane; `active` the number of active lanes (i32) of masked dimensions;
    `loop_counters` the counters of the other loops by header. `halves` are half the reciprocals of square roots that were not
    left to the divider (`rv.widen.quotients`).
    """

    copy: Copy
    parent: State | None
    values: dict[tuple[str, Pattern], str] = field(default_factory=dict)
    ends: dict[str, LlvmBlock] = field(default_factory=dict)
    counters: dict[int, str] = field(default_factory=dict)
    active: dict[int, str] = field(default_factory=dict)
    loop_counters: dict[str, str] = field(default_factory=dict)
    halves: dict[tuple[str, Pattern], str] = field(default_factory=dict)

    def state_of(self, copy: Copy) -> State:
        """The state of `copy`, which is this state's copy or one around it."""
        return self if self.copy is copy or self.parent is None else self.parent.state_of(copy)

    def counter_of(self, dimension: int) -> str:
        if dimension in self.counters or self.parent is None:
            return self.counters[dimension]
        return self.parent.counter_of(dimension)

    def active_in(self, dimension: int) -> str:
        if dimension in self.active or self.parent is None:
            return self.active[dimension]
        return self.parent.active_in(dimension)

    def loop_counter(self, header: str) -> str:
        if header in self.loop_counters or self.parent is None:
            return self.loop_counters[header]
        return self.parent.loop_counter(header)


@dataclass(frozen=True, slots=True)
class Site:
    """A place to write code: `block` of `llvm`, on behalf of the copy of `state`, under the predicate of P-LLVM block `label`."""

    context: Context
    llvm: LlvmFunction
    state: State
    block: LlvmBlock
    predicate: Value = TRUE
    label: str = ""

    @property
    def copy(self) -> Copy:
        return self.state.copy

    def at(self, block: LlvmBlock) -> Site:
        """The same copy in another block."""
        return Site(self.context, self.llvm, self.state, block, self.predicate, self.label)

    def weight(self, type_bits: int, lanes: int) -> float:
        """Vector registers that a value takes; scalars are free."""
        return 0.0 if lanes == 1 else max(type_bits * lanes / self.context.target.register_bits, 1.0)

    def memory(self, array: str) -> str:
        """What stands for the memory that an array is part of: accesses of different memory need no order."""
        return self.context.memory(self.copy, array)

    # -- values -------------------------------------------------------------------------------------------------------

    def operand(self, value: Value, pattern: Pattern) -> str:
        """The text of `value` in the lanes of `pattern`."""
        lanes = len(pattern)
        if isinstance(value, Const | Undef):
            return constant_text(value, lanes)
        key = restrict(pattern, self.context.varying(self.copy, value))
        name = self.value(value, key)
        if is_scalar(key) and lanes > 1:
            return self.block.splat(name, value.type, lanes)
        return name

    def value(self, value: Var, key: Pattern) -> str:
        """The name of a variable for a restricted pattern."""
        definition = self.context.definitions.get(value.name)
        if definition is None:
            return f"%{value.name}"
        owner = self.context.owner(self.copy, value.name)
        form = self.context.counter_form(owner, value.name)
        if definition.label == owner.header and definition.position < 0 and form is not None:
            assert isinstance(value.type, IntType)
            return self.closed_form(form, value.type, key)
        return self.state.state_of(owner).values[(value.name, key)]

    def define(self, value: Var, key: Pattern, name: str) -> None:
        self.state.values[(value.name, key)] = name

    # -- closed forms -------------------------------------------------------------------------------------------------

    def closed_form(self, form: Polynomial, type_: IntType, pattern: Pattern) -> str:
        """An integer given by its closed form, in the lanes of `pattern`."""
        strides = self._strides(form)
        if strides is None:
            return self._scalars(form, type_, pattern)
        offsets = [sum(s * c for s, c in zip(strides, coordinate, strict=False)) for coordinate in pattern]
        base = self.truncate(self.polynomial(form), type_)
        if is_scalar(pattern):
            return base if not offsets[0] else self.block.pure(f"add {type_} {base}, {offsets[0]}", [base])
        vector = type_text(type_, len(pattern))
        splat = self.block.splat(base, type_, len(pattern))
        weight = self.weight(bits_of(type_), len(pattern))
        return self.block.pure(f"add {vector} {splat}, {int_vector(type_, offsets)}", [splat], weight=weight)

    def _strides(self, form: Polynomial) -> list[int] | None:
        if self.copy.nest is None:
            return []
        strides = [form.coefficient(counter(header)).as_constant for header in self.copy.nest.headers]
        return (
            None if None in strides or not form_is_linear(form, self.copy.nest.headers) else [s for s in strides if s is not None]
        )

    def _scalars(self, form: Polynomial, type_: IntType, pattern: Pattern) -> str:
        assert self.copy.nest is not None
        names = []
        for coordinate in pattern:
            shifts = {
                counter(h): Polynomial.symbol(counter(h)) + c for h, c in zip(self.copy.nest.headers, coordinate, strict=False)
            }
            names.append(self.truncate(self.polynomial(form.substitute(shifts)), type_))
        return names[0] if is_scalar(pattern) else self.block.build_vector(names, type_)

    def truncate(self, name: str, type_: IntType) -> str:
        """An i64 as a narrower integer."""
        if type_ == I64:
            return name
        if name.lstrip("-").isdigit():
            return constant_text(Const(type_, int(name) % (1 << type_.bits)))
        return self.block.pure(f"trunc i64 {name} to {type_}", [name])

    def polynomial(self, polynomial: Polynomial) -> str:
        """The value of a polynomial at the first lane of the brush, as i64 (modulo 2**64)."""
        found = self.block.known.get(polynomial)
        if found is None:
            found = self.block.known[polynomial] = self._evaluate(polynomial)
        return found

    def _evaluate(self, polynomial: Polynomial) -> str:
        total: str = "0"
        constant = polynomial.constant_term
        for monomial, coefficient in polynomial.terms:
            if monomial:
                product: str = self.symbol(monomial[0])
                for symbol in monomial[1:]:
                    product = self.block.integer("mul", product, self.symbol(symbol))
                total = self.block.integer("add", total, self.block.integer("mul", product, coefficient))
        if total == "0":
            return str(constant)
        return self.block.integer("add", total, constant)

    def symbol(self, symbol: str) -> str:
        """A counter or an invariant as i64."""
        if symbol.startswith("@"):
            header = symbol[1:]
            nest = self.copy.nest
            if nest is not None and header in nest.headers[: self.copy.level + 1]:
                return self.state.counter_of(nest.headers.index(header))
            return self.state.loop_counter(header)
        kind, _, name = symbol.partition("%")
        variable = self.context.variable(name)
        operand = self.operand(variable, SCALAR)
        if variable.type == I64:
            return operand
        return self.block.pure(f"{'zext' if kind == 'u' else 'sext'} {variable.type} {operand} to i64", [operand])


def form_is_linear(form: Polynomial, headers: tuple[str, ...]) -> bool:
    """Whether counters of the brushed loops occur at most to the first power and not in products with each other."""
    counters = {counter(header) for header in headers}
    return all(sum(symbol in counters for symbol in monomial) <= 1 for monomial, _ in form.terms)
