"""The loops of a band in the order of a schedule: new loops around the old body.

    for (i = 0; i < n; ++i)                    for (j_tile = 0; j_tile < m; j_tile += 64)
      for (j = 0; j < m; ++j)          ->        for (i = 0; i < n; ++i)
        body;                                      for (j = j_tile; j < min(m, j_tile + 64); ++j)
                                                     body;

    j tile 64; i sequential; j sequential

Headers keep their labels, phis and tests; each loop gets a preheader, where its start and bound are computed, and a latch. What
was computed between the loops stands before the body. Tiles are counted in 64 bits, where nothing overflows.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from rv.analysis.values.effects import is_speculatable
from rv.analysis.values.uses import Definition, defining_blocks, definitions
from rv.evolution.facts import Loop, Trip
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS, LoopHints
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction, IntPredicate, Jump, Phi, Select
from rv.ir.rewrite import FreshNames, map_block, map_operands, rename_predecessor, retarget, with_result
from rv.ir.types import I1, I64, IntType
from rv.ir.values import Const, Value, Var, const_i64
from rv.transform.prepare import canonicalize
from tensorrv.nest.reorder.bands import Band, Obstacle
from tensorrv.schedule.schedule import Dimension, Schedule


@dataclass(frozen=True, slots=True)
class Reordered:
    """The function, and the headers of the loops over tiles by the headers of the loops that are tiled."""

    function: Function
    tiles: Mapping[str, str]


def run_as(function: Function, band: Band, schedule: Schedule) -> Reordered:
    """The function with the loops of a band as the schedule has them: sequential ones, some of them tiled.

    Raises Obstacle where a bound is computed from a counter whose loop would be further in.
    """
    shells = _Shells(function, band, FreshNames.of(function))
    changed = shells.result([d for d in schedule.dimensions if d.loops[0] in {loop.header for loop in band.loops}])
    return Reordered(canonicalize(changed), shells.tiles)


@dataclass(slots=True)
class _Shell:
    """One of the new loops; `body` is what its preheader computes."""

    preheader: str
    latch: str
    header: Block
    stays: bool
    """Whether the first target of the header's branch is the way into the loop."""
    body: list[Instruction]
    step: list[Instruction]


@dataclass(slots=True)
class _Shells:
    function: Function
    band: Band
    names: FreshNames
    known: Mapping[str, Definition] = field(init=False)
    places: Mapping[str, str] = field(init=False)
    open: set[str] = field(default_factory=set)
    """The headers of loops of the band that are around the place where code is written."""
    tiles: dict[str, str] = field(default_factory=dict)
    tile_ends: dict[str, tuple[Var, Var]] = field(default_factory=dict)
    """For a tiled loop the number that its tile begins with, and where the whole loop ends."""
    steps: dict[str, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.known = definitions(self.function)
        self.places = defining_blocks(self.function)

    def result(self, dimensions: list[Dimension]) -> Function:
        shells = [self._shell(dimension) for dimension in dimensions]
        first, innermost = self.band.loops[0], self.band.loops[-1]
        body = self.names.name(f"{innermost.header}.inside")
        written: list[Block] = []
        for number, shell in enumerate(shells):
            inside = shells[number + 1].preheader if number + 1 < len(shells) else body
            after = shells[number - 1].latch if number else first.exit
            written += self._written(shell, inside, after)
        written.append(Block(body, (), self.band.between, Jump(innermost.body)))
        kept = innermost.blocks - {innermost.header}
        blocks: list[Block] = []
        for block in self.function.blocks:
            if block.label == first.header:
                blocks += written
            elif block.label == first.preheader:
                blocks.append(replace(block, terminator=retarget(block.terminator, first.header, shells[0].preheader)))
            elif block.label in kept:
                inner = rename_predecessor(block, innermost.header, body)
                terminator = retarget(inner.terminator, innermost.header, shells[-1].latch)
                blocks.append(replace(inner, terminator=terminator))
            elif block.label not in first.blocks:
                blocks.append(rename_predecessor(block, first.header, shells[0].header.label))
        return replace(self.function, blocks=tuple(blocks))

    def _written(self, shell: _Shell, inside: str, after: str) -> tuple[Block, Block, Block]:
        branch = shell.header.terminator
        assert isinstance(branch, Branch)
        ways = (inside, after) if shell.stays else (after, inside)
        return (
            Block(shell.preheader, (), tuple(shell.body), Jump(shell.header.label)),
            replace(shell.header, terminator=Branch(branch.condition, *ways)),
            Block(shell.latch, (), tuple(shell.step), Jump(shell.header.label)),
        )

    def _shell(self, dimension: Dimension) -> _Shell:
        loop = next(loop for loop in self.band.loops if loop.header in dimension.loops)
        return self._tile(loop, dimension.size) if dimension.kind == "tile" else self._sequential(loop)

    # -- loops over tiles

    def _tile(self, loop: Loop, size: int) -> _Shell:
        trip = loop.trip
        assert trip is not None and loop.variable is not None
        if len(self.function.block(loop.header).phis) > 1:
            raise Obstacle(f"the {loop.called} counts in several variables", loop.span)
        before: list[Instruction] = []
        start = self._wide(before, self._at(before, trip.start), unsigned=trip.unsigned)
        end = self._sum(before, self._wide(before, self._at(before, trip.bound), unsigned=trip.unsigned_bound), _past(trip))
        label = self.names.name(f"{loop.header}.tile")
        preheader, latch = self.names.name(f"{label}.enter"), self.names.name(f"{label}.next")
        first = self.names.variable(f"{loop.name}_tile", I64)
        following = self.names.variable(first.name, I64)
        more = self.names.variable(f"{loop.name}_more", I1)
        step = trip.step * size
        header = Block(
            label,
            (Phi(first, ((preheader, start), (latch, following))),),
            (CompareInt(more, _goes_on(trip), first, end),),
            Branch(more, "", ""),
            _hints_of_tiles(loop.hints),
            loop.span,
        )
        self.tiles[loop.header] = label
        self.tile_ends[loop.header] = first, end
        self.steps[loop.header] = step
        return _Shell(preheader, latch, header, True, before, [Binary(following, "add", first, const_i64(step), nsw=True)])

    def _tile_of(self, before: list[Instruction], loop: Loop) -> tuple[Value, Value]:
        """Where the loop begins and ends in a tile: the nearer of the ends of the tile and of the whole loop."""
        first, end = self.tile_ends[loop.header]
        assert loop.trip is not None and loop.variable is not None and isinstance(loop.variable.type, IntType)
        tile_end = self._sum(before, first, self.steps[loop.header])
        near = self.names.variable(f"{loop.name}_near", I1)
        limit = self.names.variable(f"{loop.name}_end", I64)
        before.append(CompareInt(near, _goes_on(loop.trip), end, tile_end))
        before.append(Select(limit, near, end, tile_end))
        if loop.variable.type == I64:
            return first, limit
        start = self.names.variable(loop.variable.name, loop.variable.type)
        before.append(Convert(start, "trunc", first))
        return start, limit

    # -- loops over iterations

    def _sequential(self, loop: Loop) -> _Shell:
        block = self.function.block(loop.header)
        branch = block.terminator
        assert isinstance(branch, Branch) and loop.trip is not None
        preheader, latch = self.names.name(f"{loop.header}.before"), self.names.name(f"{loop.header}.next")
        before: list[Instruction] = []
        starts = {phi.result: self._at(before, phi.value_from(loop.preheader)) for phi in block.phis}
        outside: dict[Value, Value] = {value: self._at(before, value) for value in self._read(block)}
        stays = branch.then in loop.blocks
        header = map_block(block, lambda value: outside.get(value, value))
        if loop.header in self.tiles:
            assert loop.variable is not None
            starts[loop.variable], limit = self._tile_of(before, loop)
            test: list[Instruction] = []
            variable = self._wide(test, loop.variable, unsigned=loop.trip.unsigned)
            more = self.names.variable(f"{loop.name}_more", I1)
            test.append(CompareInt(more, _goes_on(loop.trip), variable, limit))
            header = replace(header, body=(*header.body, *test), terminator=Branch(more, "", ""))
            stays = True
        self.open.add(loop.header)
        step: list[Instruction] = []
        phis = tuple(
            replace(phi, incoming=((preheader, starts[phi.result]), (latch, self._at(step, phi.value_from(loop.latch)))))
            for phi in block.phis
        )
        return _Shell(preheader, latch, replace(header, phis=phis), stays, before, step)

    def _read(self, header: Block) -> list[Var]:
        """What the header reads that is computed in the band, but neither in the header nor by its phis."""
        read: list[Var] = []
        own = {d.result for d in (*header.phis, *header.body)}

        def note(value: Value) -> Value:
            if isinstance(value, Var) and value not in own and self.places[value.name] in self.band.blocks:
                read.append(value)
            return value

        for statement in (*header.body, header.terminator):
            map_operands(statement, note)
        return read

    # -- values

    def _at(self, code: list[Instruction], value: Value) -> Value:
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
        copy = map_operands(definition, lambda operand: self._at(code, operand))
        result = self.names.variable(value.name, value.type)
        code.append(with_result(copy, result))
        return result

    def _wide(self, code: list[Instruction], value: Value, *, unsigned: bool) -> Value:
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

    def _sum(self, code: list[Instruction], value: Value, more: int) -> Var:
        name = value.name if isinstance(value, Var) else "end"
        result = self.names.variable(name, I64)
        code.append(Binary(result, "add", value, const_i64(more), nsw=True))
        return result


def _past(trip: Trip) -> int:
    """What is added to the bound to get the first number that the variable does not take, up or down."""
    including = {"sle": 1, "ule": 1, "sge": -1, "uge": -1}
    return including.get(trip.predicate, 0) - trip.offset


def _goes_on(trip: Trip) -> IntPredicate:
    return "slt" if trip.step > 0 else "sgt"


def _hints_of_tiles(hints: LoopHints) -> LoopHints:
    """Hints about iterations in any order hold for tiles of them."""
    return LoopHints("threads") if hints.independent == "threads" and hints.safelen is None else NO_HINTS
