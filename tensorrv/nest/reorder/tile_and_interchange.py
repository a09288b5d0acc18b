"""The loops of a band in the order of a schedule: new loops around the old body.

    for (i = 0; i < n; ++i)                    for (j_tile = 0; j_tile < m; j_tile += 64)
      for (j = 0; j < m; ++j)          ->        for (i = 0; i < n; ++i)
        body;                                      for (j = j_tile; j < min(m, j_tile + 64); ++j)
                                                     body;

    j tile 64; i sequential; j sequential

    for (j = 0; j < m; ++j)                    for (w = 0; w < n + m - 1; ++w)
      for (i = 0; i < n; ++i)          ->        for (j = max(0, w - n + 1); j < min(m, w + 1); ++j) {
        body;                                      i = w - j; body;
                                                 }
    i skewed 1 by 1*j; j sequential

Headers keep their labels, phis and tests; each loop gets a preheader, where its start and bound are computed, and a latch. What
was computed between the loops stands before the body. Wavefronts determine `i`, which has no loop then.
`tensorrv.nest.reorder.ranges` has the bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace

from rv.evolution.facts import Loop
from rv.ir.function import Block, Function
from rv.ir.hints import NO_HINTS, LoopHints
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction, Jump, Phi
from rv.ir.rewrite import FreshNames, map_block, map_operands, rename_predecessor, retarget
from rv.ir.types import I1, I64
from rv.ir.values import TRUE, Value, Var, const_i64
from rv.transform.prepare import canonicalize
from tensorrv.nest.reorder.bands import Band, Obstacle
from tensorrv.nest.reorder.ranges import Ranges, Tiles, goes_on
from tensorrv.nest.reorder.triangles import Domain
from tensorrv.schedule.schedule import Dimension, Schedule


@dataclass(frozen=True, slots=True)
class Reordered:
    """The function, and the headers of the loops over tiles by the headers of the loops that are tiled."""

    function: Function
    tiles: Mapping[str, str]


def run_as(function: Function, band: Band, schedule: Schedule, domain: Domain | None) -> Reordered:
    """The function with the loops of a band as the schedule has them: sequential ones, some of them tiled.

    `domain` are the band's iterations, if bounds depend on loops that are further in now. Raises Obstacle where a bound is
    computed from a counter whose loop would be further in.
    """
    shells = _Shells(function, band, Ranges(function, band, FreshNames.of(function), domain))
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
    ranges: Ranges
    tiles: dict[str, str] = field(default_factory=dict)

    @property
    def names(self) -> FreshNames:
        return self.ranges.names

    def result(self, dimensions: list[Dimension]) -> Function:
        shells = [self._shell(dimension) for dimension in dimensions]
        first, innermost = self.band.loops[0], self.band.loops[-1]
        body = self.names.name(f"{innermost.header}.inside")
        written: list[Block] = []
        for number, shell in enumerate(shells):
            inside = shells[number + 1].preheader if number + 1 < len(shells) else body
            after = shells[number - 1].latch if number else first.exit
            written += self._written(shell, inside, after)
        written.append(Block(body, (), tuple(self._before_body()), Jump(innermost.body)))
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
        return self._tile(loop, dimension) if dimension.kind in ("tile", "skewed") else self._sequential(loop)

    def _before_body(self) -> Iterator[Instruction]:
        """What was computed between the loops, and the variables that have no loop of their own."""
        for loop, between in zip(self.band.loops, (*self.band.between, ()), strict=True):
            tiles = self.ranges.around.get(loop.header)
            if tiles is not None and tiles.is_wavefront:
                assert loop.variable is not None
                code: list[Instruction] = []
                value = self.ranges.binary(code, "sub", tiles.first, self.ranges.shift(code, tiles.skew))
                yield from code
                if loop.variable.type == I64:
                    yield Binary(loop.variable, "add", value, const_i64(0), nsw=True)
                else:
                    yield Convert(loop.variable, "trunc", value)
                yield from self.function.block(loop.header).body
            if self.ranges.domain is not None:
                yield from self.function.block(loop.header).body
            yield from between

    # -- loops over tiles

    def _tile(self, loop: Loop, dimension: Dimension) -> _Shell:
        trip = loop.trip
        assert trip is not None and loop.variable is not None
        if len(self.function.block(loop.header).phis) > 1:
            raise Obstacle(f"the {loop.called} counts in several variables", loop.span)
        before: list[Instruction] = []
        start, end = self.ranges.sums(before, loop, dimension.skew, dimension.size)
        label = self.names.name(f"{loop.header}.{'skewed' if dimension.skew else 'tile'}")
        preheader, latch = self.names.name(f"{label}.enter"), self.names.name(f"{label}.next")
        first = self.names.variable(f"{loop.name}_{'skewed' if dimension.skew else 'tile'}", I64)
        following = self.names.variable(first.name, I64)
        more = self.names.variable(f"{loop.name}_more", I1)
        step = trip.step * dimension.size
        header = Block(
            label,
            (Phi(first, ((preheader, start), (latch, following))),),
            (CompareInt(more, goes_on(trip), first, end),),
            Branch(more, "", ""),
            _hints_of_tiles(loop.hints),
            loop.span,
        )
        self.tiles[loop.header] = label
        self.ranges.around[loop.header] = Tiles(first, end, step, dimension.skew)
        if self.ranges.domain is not None:
            self.ranges.domain.put_in_tile(loop, first, dimension.size)
        return _Shell(preheader, latch, header, True, before, [Binary(following, "add", first, const_i64(step), nsw=True)])


    # -- loops over iterations

    def _sequential(self, loop: Loop) -> _Shell:
        block = self.function.block(loop.header)
        branch = block.terminator
        assert isinstance(branch, Branch) and loop.trip is not None
        preheader, latch = self.names.name(f"{loop.header}.before"), self.names.name(f"{loop.header}.next")
        before: list[Instruction] = []
        if self.ranges.domain is not None:  # the test is replaced, and what else it computes stands before the body
            block = self._without_test(loop, block)
        phis = block.phis if self.ranges.domain is None else ()
        starts = {phi.result: self.ranges.at(before, phi.value_from(loop.preheader)) for phi in phis}
        outside: dict[Value, Value] = {value: self.ranges.at(before, value) for value in self._read(block)}
        stays = branch.then in loop.blocks
        header = map_block(block, lambda value: outside.get(value, value))
        limits = self.ranges.limits(before, loop)
        if limits is not None:
            assert loop.variable is not None
            starts[loop.variable], limit = limits
            test: list[Instruction] = []
            variable = self.ranges.wide(test, loop.variable, unsigned=loop.trip.unsigned)
            more = self.names.variable(f"{loop.name}_more", I1)
            test.append(CompareInt(more, goes_on(loop.trip), variable, limit))
            header = replace(header, body=(*header.body, *test), terminator=Branch(more, "", ""))
            stays = True
        self.ranges.open.add(loop.header)
        step: list[Instruction] = []
        phis = tuple(
            replace(phi, incoming=((preheader, starts[phi.result]), (latch, self.ranges.at(step, phi.value_from(loop.latch)))))
            for phi in block.phis
        )
        return _Shell(preheader, latch, replace(header, phis=phis), stays, before, step)

    def _without_test(self, loop: Loop, header: Block) -> Block:
        if len(header.phis) > 1:
            raise Obstacle(f"the {loop.called} counts in several variables", loop.span)
        return replace(header, body=(), terminator=Branch(TRUE, loop.body, loop.exit, header.terminator.span))

    def _read(self, header: Block) -> list[Var]:
        """What the header reads that is computed in the band, but neither in the header nor by its phis."""
        read: list[Var] = []
        own = {d.result for d in (*header.phis, *header.body)}

        def note(value: Value) -> Value:
            if isinstance(value, Var) and value not in own and self.ranges.places[value.name] in self.band.blocks:
                read.append(value)
            return value

        for statement in (*header.body, header.terminator):
            map_operands(statement, note)
        return read

    # -- values


def _hints_of_tiles(hints: LoopHints) -> LoopHints:
    """Hints about iterations in any order hold for tiles of them."""
    return LoopHints("threads") if hints.independent == "threads" and hints.safelen is None else NO_HINTS
