"""Closed forms of integer and pointer variables over loop counters and invariants.

A form says `v = polynomial (mod 2**width)`, where every symbol is an exact integer; `exact` adds that the polynomial *is*
the signed value. Additions, subtractions, products and truncations keep the congruence whatever wraps; extensions need
exactness, which comes from `nsw`, from bounds over the loops around the place, or from a run-time condition on invariants.
What has no such form is a separate symbol, so the method never fails, it is only less precise. Induction variables are solved as
in chains of recurrences (Bachmann, Wang, Zima: Chains of Recurrences, 1994), here only of degree 1: the value over the latch
must be the phi plus a step that does not change in the loop. A loop's variables after the loop are the form at its trip
count, which lets `*p++` walk through two loops.

Assumes loop-simplify form and LCSSA (`prepare`). 64-bit invariants are taken to be within the SIZE_LIMIT of `bounds`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import Final

from rv.analysis.cfg.loops import LoopForest, NaturalLoop
from rv.analysis.values.uses import defining_blocks, definitions
from rv.evolution.bounds import Bounds, CounterRange, bounds_of
from rv.evolution.ends import ends_of
from rv.evolution.facts import Condition, Trip
from rv.evolution.polynomial import Kind, Polynomial, Symbol, counter, signed, unsigned
from rv.ir.function import Function
from rv.ir.instructions import Binary, Convert, ElementPointer, Phi
from rv.ir.types import IntType, size_of
from rv.ir.values import Const, Undef, Value, Var

_MOST_TERMS: Final = 64
_MOST_NESTED: Final = 80  # definitions followed from one to the next before a variable stands for itself


@dataclass(frozen=True, slots=True)
class Form:
    """`variable = polynomial (mod 2**width)` under `conditions`; with `exact`, equal to it when read as signed."""

    polynomial: Polynomial
    conditions: tuple[Condition, ...]
    exact: bool


@dataclass(frozen=True, slots=True)
class Reading:
    """The exact value of a variable, read as signed or as unsigned, under `conditions`."""

    polynomial: Polynomial
    conditions: tuple[Condition, ...]


@dataclass(frozen=True, slots=True)
class Address:
    """The byte `offset` behind what the pointer `base` (parameter, loaded pointer, ...) points at.

    `shape` is the one element pointer that leads from `base` here, when there is only one.
    """

    base: Var
    offset: Polynomial
    conditions: tuple[Condition, ...]
    shape: ElementPointer | None


@dataclass(frozen=True, slots=True)
class SolvedTrip:
    """The trip of a countable loop, its variable, and the conditions under which nothing wraps."""

    trip: Trip
    variable: Var
    conditions: tuple[Condition, ...]


class ClosedForms:
    """The forms of one function's variables, found on demand."""

    def __init__(self, function: Function, forest: LoopForest) -> None:
        self.function = function
        self.forest = forest
        self.definitions = definitions(function)
        self.defined_in = defining_blocks(function)
        self.bits = {v.name: v.type.bits for v in _variables(function) if isinstance(v.type, IntType)}
        self._headers = {label: loop for label, loop in forest.loops.items() if len(loop.entering) == 1 == len(loop.latches)}
        self._forms: list[dict[str, Form | None]] = [{}]
        self._addresses: list[dict[str, Address]] = [{}]
        self._trips: dict[str, SolvedTrip | None] = {}
        self._solving: set[str] = set()
        self._open: set[str] = set()
        self._depth = 0

    # -- integers

    def form(self, value: Value) -> Form | None:
        """The form of an integer; None for undefined values."""
        match value:
            case Const():
                return Form(Polynomial.constant(value.signed), (), exact=True)
            case Undef():
                return None
            case Var(name):
                if name in self._open or self._depth > _MOST_NESTED:
                    return _itself(value)
                memo = self._forms[-1]
                if name not in memo:
                    self._depth += 1
                    memo[name] = self._define(value) or _itself(value)
                    self._depth -= 1
                return memo[name]

    def signed(self, value: Value, block: str) -> Reading | None:
        """The exact signed value of an integer wherever `block` runs."""
        form = self.form(value)
        if form is None or form.exact or not isinstance(value.type, IntType):
            return None if form is None else Reading(form.polynomial, form.conditions)
        half = 1 << (value.type.bits - 1)
        return self._within(form, block, -half, half - 1, f"`{self._readable(form.polynomial)}` must not overflow")

    def unsigned(self, value: Value, block: str) -> Reading | None:
        """The exact unsigned value of an integer wherever `block` runs."""
        form = self.form(value)
        if form is None or not isinstance(value.type, IntType):
            return None
        width = value.type.bits
        if isinstance(value, Const):
            return Reading(Polynomial.constant(value.bits), ())
        definition = self.definitions.get(value.name) if isinstance(value, Var) else None
        if isinstance(definition, Convert) and definition.op == "trunc":
            wide, (low, high) = self.form(definition.value), ends_of(self.definitions, definition.value)
            if wide is not None and wide.exact and low >= 0 and high < 1 << width:
                return Reading(wide.polynomial, wide.conditions)
        bounds = self.bounds(block)
        if form.exact and bounds.proves(form.polynomial):
            return Reading(form.polynomial, form.conditions)
        reread = replace(form, polynomial=self._reread(form.polynomial, width))
        why = f"`{self._readable(reread.polynomial)}` must not wrap around"
        found = self._within(reread, block, 0, (1 << width) - 1, why)
        if form.exact and (found is None or len(found.conditions) > len(form.conditions)):
            return self._within(form, block, 0, (1 << width) - 1, why) or found
        return found

    def _readable(self, polynomial: Polynomial) -> str:
        """The polynomial with counters named after the loops' variables, up to a constant, for reports."""
        solved = {header: self._trips.get(header) for header in self.forest.loops}
        return polynomial.readable({counter(h): found.variable.source_name for h, found in solved.items() if found is not None})

    def _within(self, form: Form, block: str, low: int, high: int, why: str) -> Reading | None:
        bounds = self.bounds(block)
        below = bounds.obligation(form.polynomial - low, why)
        above = bounds.obligation(-form.polynomial + high, why)
        if below is None or above is None:
            return None
        return Reading(form.polynomial, merged(form.conditions, below, above))

    def _reread(self, polynomial: Polynomial, width: int) -> Polynomial:
        """Congruent modulo 2**width: symbols of that width read as unsigned instead of signed."""
        if width == 64:
            return polynomial
        same = [s for s in polynomial.symbols if s.kind is Kind.SIGNED and self.bits[s.name] == width]
        return polynomial.substitute({s: Polynomial.symbol(unsigned(s.name)) for s in same})

    def _define(self, variable: Var) -> Form | None:
        definition = self.definitions.get(variable.name)
        match definition:
            case Binary(op="sub") if (distance := self._pointer_distance(definition)) is not None:
                return distance
            case Binary(op="add" | "sub" | "mul" | "shl"):
                return self._binary(definition)
            case Binary(op="or" | "xor", right=Const() as right):
                return self._with_low_bits(definition, right)
            case Binary(op="sdiv" | "ashr", right=Const() as right):
                return self._exact_quotient(definition, right)
            case Convert(op="sext" | "zext" | "trunc", value=value) if value.type != IntType(1):
                return self._convert(definition)
            case Phi():
                return self._phi(definition)
            case _:
                return None

    def _binary(self, binary: Binary) -> Form | None:
        left, right = self.form(binary.left), self.form(binary.right)
        if left is None or right is None:
            return None
        a, b = left.polynomial, right.polynomial
        match binary.op:
            case "add":
                result = a + b
            case "sub":
                result = a - b
            case "mul":
                if len(a.terms) * len(b.terms) > _MOST_TERMS or a.degree + b.degree > 6:
                    return None
                result = a * b
            case _:
                shift = b.as_constant
                if shift is None or not 0 <= shift < self.bits[binary.result.name]:
                    return None
                result = a * (1 << shift)
        if len(result.terms) > _MOST_TERMS:
            return None
        return Form(result, merged(left.conditions, right.conditions), binary.nsw and left.exact and right.exact)

    def _with_low_bits(self, binary: Binary, right: Const) -> Form | None:
        """`2 * i | 1` is `2 * i + 1`: what is set was 0 before, since the left side is a multiple of a larger power of two."""
        left, width = self.form(binary.left), right.bits.bit_length()
        if left is None or width >= self.bits[binary.result.name] or left.polynomial.content % (1 << width):
            return None
        return Form(left.polynomial + right.bits, left.conditions, left.exact)

    def _pointer_distance(self, binary: Binary) -> Form | None:
        """The bytes between two pointers into one array."""
        ends = [self.definitions.get(value.name) if isinstance(value, Var) else None for value in (binary.left, binary.right)]
        pointers = [self.address(end.value) for end in ends if isinstance(end, Convert) and end.op == "ptrtoint"]
        if len(pointers) < 2 or pointers[0] is None or pointers[1] is None or pointers[0].base != pointers[1].base:
            return None
        high, low = pointers[0], pointers[1]
        return Form(high.offset - low.offset, merged(high.conditions, low.conditions), binary.nsw)

    def _exact_quotient(self, binary: Binary, right: Const) -> Form | None:
        """A multiple of a constant, divided by it."""
        form = self.form(binary.left)
        divisor = right.signed if binary.op == "sdiv" else 1 << right.bits
        if form is None or not form.exact or divisor < 1 or (binary.op == "ashr" and right.bits >= self.bits[binary.result.name]):
            return None
        quotient = form.polynomial.scaled_down(divisor)
        return None if quotient is None else Form(quotient, form.conditions, exact=True)

    def _convert(self, convert: Convert) -> Form | None:
        block = self.defined_in[convert.result.name]
        match convert.op:
            case "trunc":
                form = self.form(convert.value)
                return None if form is None else self._truncated(form, convert, block)
            case "sext":
                reading = self.signed(convert.value, block)
            case _:
                reading = self.unsigned(convert.value, block)
        return None if reading is None else Form(reading.polynomial, reading.conditions, exact=True)

    def _truncated(self, form: Form, convert: Convert, block: str) -> Form:
        half = 1 << (self.bits[convert.result.name] - 1)
        bounds = self.bounds(block)
        fits = form.exact and bounds.proves(form.polynomial + half) and bounds.proves(-form.polynomial + (half - 1))
        if form.exact and not fits:
            low, high = ends_of(self.definitions, convert.value)
            fits = -half <= low and high < half
        return Form(form.polynomial, form.conditions, exact=fits)

    # -- phis

    def _phi(self, phi: Phi) -> Form | None:
        loop = self._headers.get(self.defined_in[phi.result.name])
        if loop is None:
            return self._after_loop(phi)
        start = self.form(phi.value_from(loop.entering[0]))
        latch = self._while_open(phi.result, self._coming_round(phi, loop))
        if start is None or latch is None:
            return None
        itself = Polynomial.symbol(signed(phi.result.name))
        # both readings of the phi are congruent; only one is what the exact value adds up to
        update = latch.polynomial.substitute({unsigned(phi.result.name): itself})
        step = update - itself
        conditions = merged(start.conditions, latch.conditions)
        if not self.invariant(step, loop) or not all(self.invariant(c.polynomial, loop) for c in latch.conditions):
            return None
        closed = start.polynomial + step * Polynomial.symbol(counter(loop.header))
        return Form(closed, conditions, start.exact and latch.exact and update == latch.polynomial)

    def _coming_round(self, phi: Phi, loop: NaturalLoop) -> Value:
        """What a header's phi gets from the latch. Lanes that have left bring what is undefined, and may be what others bring."""
        value = phi.value_from(loop.latches[0])
        while isinstance(value, Var) and isinstance(merge := self.definitions.get(value.name), Phi):
            brought = {other for _, other in merge.incoming if not isinstance(other, Undef)}
            alone = len(brought) == 1 < len(merge.incoming) and merge.shadow is None
            if not alone or not all(self._is_directly_in(other, loop) for other in (value, *brought)):
                break
            (value,) = brought
        return value

    def _is_directly_in(self, value: Value, loop: NaturalLoop) -> bool:
        """Whether a variable is computed in every iteration of a loop, and not in an inner loop or by the header's phis."""
        block = self.defined_in[value.name] if isinstance(value, Var) else loop.header
        return block != loop.header and self.forest.loop_of(block) == loop

    def _while_open(self, variable: Var, value: Value) -> Form | None:
        """The form of `value` with `variable` a symbol; nothing that is found meanwhile is kept."""
        self._open.add(variable.name)
        self._forms.append({})
        try:
            return self.form(value)
        finally:
            self._forms.pop()
            self._open.remove(variable.name)

    def _after_loop(self, phi: Phi) -> Form | None:
        if len(phi.incoming) != 1:
            return None
        value = phi.incoming[0][1]
        form = self.form(value)
        if form is None:
            return None
        polynomial, conditions = form.polynomial, form.conditions
        for loop in self._left_loops(value, self.defined_in[phi.result.name]):
            found = self._at_exit(polynomial, loop)
            if found is None:
                return None
            polynomial, conditions = found.polynomial, merged(conditions, found.conditions)
        return Form(polynomial, conditions, form.exact)

    def _left_loops(self, value: Value, block: str) -> tuple[NaturalLoop, ...]:
        """The loops around the definition of `value` that do not contain `block`, innermost first."""
        if not isinstance(value, Var):
            return ()
        return tuple(loop for loop in self.loops_around(self.defined_in[value.name]) if block not in loop.blocks)

    def _at_exit(self, polynomial: Polynomial, loop: NaturalLoop) -> Reading | None:
        """A value of the header when the loop is left: the counter is then the trip count, which must not be negative."""
        symbol = counter(loop.header)
        inside = any(s != symbol and not self._invariant_symbol(s, loop) for s in polynomial.symbols)
        if symbol not in polynomial.symbols:
            return None if inside else Reading(polynomial, ())
        solved = self.trip(loop.header)
        if inside or solved is None or solved.trip.count is None:
            return None
        runs = self.bounds(loop.entering[0]).obligation(solved.trip.count, "the loop must not run a negative number of times")
        if runs is None:
            return None
        return Reading(polynomial.substitute({symbol: solved.trip.count}), merged(solved.conditions, runs))

    # -- loops

    def trip(self, header: str) -> SolvedTrip | None:
        """How often the loop runs; None when it is not countable, or while the answer is being looked for."""
        from rv.evolution.trips import find_trip

        if header not in self._trips:
            if header in self._solving or header not in self._headers:
                return None
            self._solving.add(header)
            found = find_trip(self, self.forest.loops[header])
            self._solving.remove(header)
            if self._open:
                return found
            self._trips[header] = found
        return self._trips[header]

    def loops_around(self, block: str) -> tuple[NaturalLoop, ...]:
        """The loops that contain the block, innermost first."""
        found = []
        loop = self.forest.loop_of(block)
        while loop is not None:
            found.append(loop)
            loop = None if loop.parent is None else self.forest.loops[loop.parent]
        return tuple(found)

    def bounds(self, block: str) -> Bounds:
        """What is known where `block` runs, in iterations that reach the bodies of the loops around it."""
        return bounds_of(tuple(self._counter_range(loop) for loop in self.loops_around(block)), self.bits)

    def _counter_range(self, loop: NaturalLoop) -> CounterRange:
        solved = self.trip(loop.header)
        if solved is None:
            return CounterRange(counter(loop.header), 1, None)
        return CounterRange(counter(loop.header), abs(solved.trip.step), solved.trip.distance)

    def invariant(self, polynomial: Polynomial, loop: NaturalLoop) -> bool:
        """Whether no symbol changes in the loop."""
        return all(self._invariant_symbol(symbol, loop) for symbol in polynomial.symbols)

    def is_in_loop(self, symbol: Symbol) -> bool:
        """Whether a variable's symbol is defined in a loop."""
        return self.forest.loop_of(self.defined_in[symbol.name]) is not None

    def _invariant_symbol(self, symbol: Symbol, loop: NaturalLoop) -> bool:
        place = symbol.name if symbol.is_counter else self.defined_in[symbol.name]
        return place not in loop.blocks

    # -- pointers

    def address(self, value: Value) -> Address | None:
        """Where a pointer points; None for constants and undefined pointers."""
        if not isinstance(value, Var):
            return None
        memo = self._addresses[-1]
        if value.name in self._open or self._depth > _MOST_NESTED:
            return Address(value, Polynomial(), (), None)
        if value.name not in memo:
            self._depth += 1
            memo[value.name] = self._define_address(value) or Address(value, Polynomial(), (), None)
            self._depth -= 1
        return memo[value.name]

    def _define_address(self, variable: Var) -> Address | None:
        definition = self.definitions.get(variable.name)
        match definition:
            case ElementPointer():
                return self._element(definition)
            case Phi():
                return self._pointer_phi(definition)
            case _:
                return None

    def _element(self, pointer: ElementPointer) -> Address | None:
        base = self.address(pointer.base)
        indices = [self.form(index) for index in pointer.indices]
        extents = [self.form(extent) for extent in pointer.extents]
        if base is None:
            return None
        offset = Polynomial()
        conditions = [base.conditions]
        for position, index in enumerate(indices):
            extent = extents[position - 1] if position else Form(Polynomial(), (), exact=True)
            if index is None or extent is None:
                return None
            offset = offset * extent.polynomial + index.polynomial
            conditions += [index.conditions, extent.conditions]
        direct = base.shape is None and not base.offset.terms
        total = base.offset + offset * size_of(pointer.element)
        return Address(base.base, total, merged(*conditions), pointer if direct else None)

    def _pointer_phi(self, phi: Phi) -> Address | None:
        loop = self._headers.get(self.defined_in[phi.result.name])
        if loop is None:
            return self._pointer_after_loop(phi)
        start = self.address(phi.value_from(loop.entering[0]))
        latch = self._address_while_open(phi.result, self._coming_round(phi, loop))
        if start is None or latch is None or latch.base != phi.result or not self.invariant(latch.offset, loop):
            return None
        if not all(self.invariant(c.polynomial, loop) for c in latch.conditions):
            return None
        offset = start.offset + latch.offset * Polynomial.symbol(counter(loop.header))
        return Address(start.base, offset, merged(start.conditions, latch.conditions), None)

    def _address_while_open(self, variable: Var, value: Value) -> Address | None:
        self._open.add(variable.name)
        self._forms.append({})
        self._addresses.append({})
        try:
            return self.address(value)
        finally:
            self._addresses.pop()
            self._forms.pop()
            self._open.remove(variable.name)

    def _pointer_after_loop(self, phi: Phi) -> Address | None:
        if len(phi.incoming) != 1:
            return None
        value = phi.incoming[0][1]
        address = self.address(value)
        if address is None:
            return None
        offset, conditions = address.offset, address.conditions
        for loop in self._left_loops(value, self.defined_in[phi.result.name]):
            found = self._at_exit(offset, loop)
            if found is None or self.defined_in[address.base.name] in loop.blocks:
                return None
            offset, conditions = found.polynomial, merged(conditions, found.conditions)
        return Address(address.base, offset, conditions, None)


def merged(*groups: Iterable[Condition]) -> tuple[Condition, ...]:
    """The conditions of all groups, each once."""
    return tuple(dict.fromkeys(condition for group in groups for condition in group))


def _itself(variable: Var) -> Form:
    return Form(Polynomial.symbol(signed(variable.name)), (), exact=True)


def _variables(function: Function) -> Iterable[Var]:
    yield from (parameter.var for parameter in function.parameters)
    found = definitions(function)
    for definition in found.values():
        if definition.result is not None:
            yield definition.result
