"""Between which numbers the variables of loops run, given what is open around them: the code for it.

A loop in a tile ends where the tile or the whole loop ends. A tile along a slope is one of a sum `i + f*j`, whose loop covers all
values that there can be. The last loop along a wavefront, which is a tile of size 1, keeps `i = w - f*j` within its bounds:

    max(first j, (w - last i) / f rounded up) <= j < min(end of j, (w - first i) / f rounded down + 1)

Everything is computed in 64 bits, where nothing overflows.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.evolution.facts import Loop, Trip
from rv.evolution.polynomial import Kind, Polynomial, Symbol
from rv.ir.function import Function
from rv.ir.instructions import Binary, CompareInt, Convert, Instruction, IntBinaryOp, IntPredicate, Phi, Select
from rv.ir.rewrite import FreshNames, map_operands, with_result
from rv.ir.types import I1, I64, IntType
from rv.ir.values import Const, Value, Var, const_i64
from tensorrv.nest.reorder.bands import Band, Obstacle
from tensorrv.nest.reorder.triangles import Domain


@dataclass(frozen=True, slots=True)
class Tiles:
    """A loop over tiles: the number that a tile begins with, what stands behind all of them, and how long they are."""

    first: Var
    end: Value
    step: int
    skew: tuple[tuple[str, int], ...]

    @property
    def is_wavefront(self) -> bool:
        return bool(self.skew) and self.step == 1


@dataclass(slots=True)
class Ranges:
    """The ranges of the loops of a band at the place where code is written.

    `open` are the headers of loops that are around it, `around` the loops over tiles, by the headers of the loops that are tiled.
    Raises Obstacle where a range is not known.
    """

    function: Function
    band: Band
    names: FreshNames
    domain: Domain | None
    open: set[str] = field(default_factory=set)
    around: dict[str, Tiles] = field(default_factory=dict)
    known: Mapping[str, Definition] = field(init=False)
    places: Mapping[str, str] = field(init=False)
    parameters: Mapping[str, Var] = field(init=False)

    def __post_init__(self) -> None:
        self.known = definitions(self.function)
        self.places = defining_blocks(self.function)
        self.parameters = {parameter.var.name: parameter.var for parameter in self.function.parameters}

    def limits(self, before: list[Instruction], loop: Loop) -> tuple[Value, Value] | None:
        """Where a loop begins and ends in what is open, if that is not all of it; the end in 64 bits."""
        assert loop.trip is not None and loop.variable is not None and isinstance(loop.variable.type, IntType)
        waves = (tiles for tiles in self.around.values() if tiles.is_wavefront and loop.header in dict(tiles.skew))
        if self.domain is not None:
            bounds = self.domain.bounds(loop, self.open)
            self.domain.open(loop, bounds)
            lows, ends = self._projected(before, bounds)
        elif loop.header in self.around or any(waves):
            lows, ends = self._bounds(before, loop)
        else:
            return None
        up = loop.trip.step > 0
        first, limit = self._most(before, "sgt" if up else "slt", lows), self._most(before, goes_on(loop.trip), ends)
        if loop.variable.type == I64:
            return first, limit
        start = self.names.variable(loop.variable.name, loop.variable.type)
        before.append(Convert(start, "trunc", first))
        return start, limit

    def sums(
        self, before: list[Instruction], loop: Loop, skew: Sequence[tuple[str, int]], size: int
    ) -> tuple[Value, Value]:
        """Where the first tile of a loop's variable, with multiples of others, begins, and the number behind the last one.

        Tiles begin at the same numbers whatever is open around them, as the proof has it.
        """
        if self.domain is not None:
            lows, ends = self._projected(before, self.domain.bounds(loop, self.open))
            known = self.domain.is_start_known(loop.header, self.open)
            origin = self._value(before, (self.domain.starts if known else self.domain.origins)[loop.header])
            return self._aligned(before, self._most(before, "sgt", lows), origin, size), self._most(before, "slt", ends)
        others = [other for other in self.band.loops if other.header in dict(skew)]
        if skew:
            for one in (loop, *others):
                self._check_slope(one, {loop.header, *dict(skew)})
        start, end = self._whole(before, loop)
        origin = first = start
        for other in others:
            factor = const_i64(dict(skew)[other.header])
            low, high = self._reach(before, other)
            origin = self._along(before, origin, self._whole(before, other)[0], factor)
            first, end = self._along(before, first, low, factor), self._along(before, end, high, factor)
        moves = any(other.header in self.open or other.header in self.around for other in others)
        return self._aligned(before, first, origin, size) if moves else first, end

    def _along(self, code: list[Instruction], total: Value, number: Value, factor: Value) -> Var:
        return self.binary(code, "add", total, self.binary(code, "mul", number, factor))

    def shift(self, code: list[Instruction], skew: Sequence[tuple[str, int]]) -> Value:
        """The sum of the multiples of open loops that a slope adds."""
        total: Value = const_i64(0)
        for header, factor in skew:
            loop = next(loop for loop in self.band.loops if loop.header == header)
            if header not in self.open or loop.variable is None or loop.trip is None:
                raise Obstacle(f"the {loop.called} would be inside a loop that it skews", loop.span)
            own = self.wide(code, loop.variable, unsigned=loop.trip.unsigned)
            total = self.binary(code, "add", total, self.binary(code, "mul", own, const_i64(factor)))
        return total

    def _check_slope(self, loop: Loop, skewed: set[str]) -> None:
        """Raises Obstacle where the bounds of a loop, which counts up by 1, depend on a loop that skews or is skewed."""
        assert loop.trip is not None and loop.trip.step == 1
        hidden = self.open & skewed
        self.open -= hidden
        self._whole([], loop)
        self.open |= hidden

    def _reach(self, code: list[Instruction], loop: Loop) -> tuple[Value, Value]:
        """The least and the greatest number that the variable of a loop takes while what is open now runs once."""
        assert loop.trip is not None and loop.variable is not None
        if loop.header in self.open:
            now = self.wide(code, loop.variable, unsigned=loop.trip.unsigned)
            return now, now
        low, ends = self._bounds(code, loop)
        return self._most(code, "sgt", low), self._sum(code, self._most(code, "slt", ends), -1)

    def _bounds(self, code: list[Instruction], loop: Loop) -> tuple[list[Value], list[Value]]:
        """Numbers that the variable of a loop is not below, and those that it stays below, as far as open tiles say.

        For loops that count down the other way round.
        """
        lows, ends = self._in_tile(code, loop)
        for skewed in self.band.loops:
            wave = self.around.get(skewed.header)
            left = {header for header, _ in wave.skew} - self.open if wave is not None and wave.is_wavefront else set()
            if wave is not None and left == {loop.header}:
                low, stop = self._on_wavefront(code, skewed, wave, loop)
                lows, ends = [*lows, low], [*ends, stop]
        return lows, ends

    def _projected(
        self, code: list[Instruction], bounds: Iterable[tuple[int, Polynomial]]
    ) -> tuple[list[Value], list[Value]]:
        """Numbers that the variable of a loop is not below, and those that it stays below, from inequalities (`triangles`)."""
        lows: list[Value] = []
        ends: list[Value] = []
        for factor, rest in bounds:
            if factor > 0:  # v >= -rest / factor, rounded up
                quotient = self._quotient(code, self._value(code, rest if factor > 1 else -rest), factor)
                lows.append(quotient if factor == 1 else self.binary(code, "sub", const_i64(0), quotient))
            else:
                quotient = self._quotient(code, self._value(code, rest), -factor)
                ends.append(self._sum(code, quotient, 1))
        return lows, ends

    def _aligned(self, code: list[Instruction], number: Value, origin: Value, size: int) -> Value:
        """Where the tile with a number begins, if one begins at the origin."""
        if size == 1:
            return number
        tiles = self._quotient(code, self.binary(code, "sub", number, origin), size)
        return self.binary(code, "add", origin, self.binary(code, "mul", tiles, const_i64(size)))

    def _value(self, code: list[Instruction], polynomial: Polynomial) -> Value:
        """A sum of multiples of variables of open loops and of sizes, in 64 bits."""
        constant, total = const_i64(polynomial.constant_term), None
        for monomial, factor in (polynomial - polynomial.constant_term).terms:
            (symbol,) = monomial
            value = self._symbol(code, symbol)
            product = value if factor == 1 else self.binary(code, "mul", value, const_i64(factor))
            total = product if total is None else self.binary(code, "add", total, product)
        if total is None:
            return constant
        return total if not polynomial.constant_term else self.binary(code, "add", total, constant)

    def _symbol(self, code: list[Instruction], symbol: Symbol) -> Value:
        assert self.domain is not None
        if symbol.is_counter and symbol.name in self.domain.variables:
            loop = self.domain.variables[symbol.name]
            assert loop.variable is not None and loop.trip is not None
            return self.wide(code, self.at(code, loop.variable), unsigned=loop.trip.unsigned)
        tiles = next((tiles for tiles in self.around.values() if tiles.first.name == symbol.name), None)
        if tiles is not None:
            return tiles.first
        definition = self.known.get(symbol.name)
        value = self.parameters.get(symbol.name) if definition is None else definition.result
        if value is None or not symbol.is_variable:
            raise Obstacle(f"a bound depends on `{symbol.source_name}`, which is not a sum", self.band.loops[0].span)
        return self.wide(code, self.at(code, value), unsigned=symbol.kind is Kind.UNSIGNED)

    def _in_tile(self, code: list[Instruction], loop: Loop) -> tuple[list[Value], list[Value]]:
        tiles = self.around.get(loop.header)
        if tiles is not None and not tiles.skew:
            return [tiles.first], [tiles.end, self._sum(code, tiles.first, tiles.step)]
        start, end = self._whole(code, loop)
        if tiles is None:
            return [start], [end]
        first = self.binary(code, "sub", tiles.first, self.shift(code, tiles.skew))
        return [start, first], [end, self._sum(code, first, tiles.step)]

    def _on_wavefront(self, code: list[Instruction], skewed: Loop, wave: Tiles, loop: Loop) -> tuple[Value, Value]:
        """Between which numbers the last loop along a wavefront keeps the variable of the skewed loop within its bounds."""
        start, end = self._whole(code, skewed)
        factors = dict(wave.skew)
        factor = factors.pop(loop.header)
        rest = self.binary(code, "sub", wave.first, self.shift(code, tuple(factors.items())))
        # rounded up: (rest - (end - 1) + factor - 1) / factor
        above = self._sum(code, self.binary(code, "sub", rest, end), factor)
        below = self.binary(code, "sub", rest, start)
        return self._quotient(code, above, factor), self._sum(code, self._quotient(code, below, factor), 1)

    def _whole(self, code: list[Instruction], loop: Loop) -> tuple[Value, Var]:
        """Where a loop begins, and the first number that its variable does not take, in 64 bits."""
        trip = loop.trip
        assert trip is not None
        start = self.wide(code, self.at(code, trip.start), unsigned=trip.unsigned)
        end = self._sum(code, self.wide(code, self.at(code, trip.bound), unsigned=trip.unsigned_bound), _past(trip))
        return start, end

    def at(self, code: list[Instruction], value: Value) -> Value:
        """A value of the band where `code` is written, computed there if need be. Raises Obstacle where it is not known."""
        if not isinstance(value, Var) or self.places[value.name] not in self.band.blocks:
            return value
        definition = self.known[value.name]
        if isinstance(definition, Phi):
            if self.places[value.name] in self.open:
                return value
            inner = next((loop for loop in self.band.loops if loop.header == self.places[value.name]), None)
            name = value.source_name if inner is None else inner.name
            raise Obstacle(f"a bound depends on `{name}`, whose loop would be inside", definition.span)
        if not is_speculatable(definition):
            raise Obstacle("a bound is computed between the loops", definition.span)
        copy = map_operands(definition, lambda operand: self.at(code, operand))
        result = self.names.variable(value.name, value.type)
        code.append(with_result(copy, result))
        return result

    def wide(self, code: list[Instruction], value: Value, *, unsigned: bool) -> Value:
        """An integer in 64 bits."""
        assert isinstance(value.type, IntType)
        if value.type == I64:
            return value
        if isinstance(value, Const):
            return const_i64(value.bits if unsigned else value.signed)
        name = value.name if isinstance(value, Var) else "wide"
        result = self.names.variable(name, I64)
        code.append(Convert(result, "zext" if unsigned else "sext", value))
        return result

    def binary(self, code: list[Instruction], op: IntBinaryOp, left: Value, right: Value) -> Var:
        result = self.names.variable("along", I64)
        code.append(Binary(result, op, left, right, nsw=op in ("add", "sub", "mul")))
        return result

    def _sum(self, code: list[Instruction], value: Value, more: int) -> Var:
        name = value.name if isinstance(value, Var) else "end"
        result = self.names.variable(name, I64)
        code.append(Binary(result, "add", value, const_i64(more), nsw=True))
        return result

    def _quotient(self, code: list[Instruction], value: Value, factor: int) -> Value:
        """The quotient by a positive number, rounded down."""
        if factor == 1:
            return value
        rest = self.binary(code, "srem", value, const_i64(factor))
        negative = self.names.variable("negative", I1)
        code.append(CompareInt(negative, "slt", rest, const_i64(0)))
        less = self.names.variable("rounded", I64)
        code.append(Convert(less, "sext", negative))
        return self.binary(code, "add", self.binary(code, "sdiv", value, const_i64(factor)), less)

    def _most(self, code: list[Instruction], predicate: IntPredicate, values: Sequence[Value]) -> Value:
        """The least of some numbers, or for `sgt` the greatest."""
        most = values[0]
        for value in values[1:]:
            near, limit = self.names.variable("near", I1), self.names.variable("end", I64)
            code += (CompareInt(near, predicate, most, value), Select(limit, near, most, value))
            most = limit
        return most


def _past(trip: Trip) -> int:
    """What is added to the bound to get the first number that the variable does not take, up or down."""
    including = {"sle": 1, "ule": 1, "sge": -1, "uge": -1}
    return including.get(trip.predicate, 0) - trip.offset


def goes_on(trip: Trip) -> IntPredicate:
    return "slt" if trip.step > 0 else "sgt"
