"""Which variables the code reads, and in which lanes: found by writing it once where nothing is kept.

What an emitter reads is known when it has run, and nowhere else. So the code is first written to a draft in which no variable is
needed: stores, calls, branches and trip counts. A variable that one of them reads in a set of lanes is then written for these
lanes at its definition, which reads other variables, until nothing new is read. What was read is the `demand` of each variant;
the code is then written for it.

    y[i] = a * x[i]      the store reads %p in lanes 0..7; %p = fmul %a, %l reads %a once for all of them, and %l in lanes 0..7

So a value that varies along one dimension only is computed once for all lanes along the others, and uniform values stay scalar.
Addresses with known elements read only the symbols of their subscripts.
"""

from __future__ import annotations

from rv.ir.function import Block
from rv.ir.instructions import Load
from rv.ir.types import I64
from rv.vector.draft import DraftFunction
from rv.vector.types import vector_of
from rv.vector.values import Operand, Register
from rv.vector.writer import BlockWriter
from rv.widen.body import Body, accesses_in, emit_access, emit_instruction
from rv.widen.context import Context
from rv.widen.lanes import Lanes
from rv.widen.loops.tiles import TileLoops, emit_tiles
from rv.widen.loops.variant_tree import Variant
from rv.widen.site import Site, State, Values

Requests = dict[str, set[Lanes]]
"""Sets of lanes by variable."""


class DryRun:
    """The draft of one function."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.read: dict[Variant, Requests] = {variant: {} for variant in context.root.walk()}
        self.bodies: dict[Variant, Body] = {}
        self._values: dict[Variant, Values] = {}
        self._waiting: dict[tuple[Variant, str], Requests] = {}
        """By block: what has been read and is not yet written."""
        self._number = {label: number for number, label in enumerate(context.order)}

    def run(self) -> None:
        """Fill in `demand` of every variant, and which loops need a counter."""
        for variant in self.context.root.walk():
            variant.demand = {}
        writer = DraftFunction(self.context.function.name)
        state = State(self.context.root, None, self.values(self.context.root), loop_counters=_Counters(self.context))
        self.emit_body(Site(self.context, writer, state, writer.block("start", fixed=True)), "", None)
        self._write_all()

    def _write_all(self) -> None:
        for variant in self.read:
            variant.demand = {}
        while self._waiting:
            # the last block first: most that reads its variables has been written then
            place = max(self._waiting, key=lambda waiting: self._number[waiting[1]])
            self._write_block(*place)
        for variant, read in self.read.items():
            variant.demand = read

    # -- what is read -------------------------------------------------------------------------------------------------

    def values(self, variant: Variant) -> Values:
        """The values of a variant in all that is written for it."""
        if variant not in self._values:
            self._values[variant] = _Requested(self, variant)
        return self._values[variant]

    def note(self, variant: Variant, name: str, lanes: Lanes) -> None:
        self.read[variant].setdefault(name, set()).add(lanes)

    def request(self, variant: Variant, name: str, lanes: Lanes) -> None:
        """A variable of a variant is read in some lanes."""
        self.note(variant, name, lanes)
        waiting = self._waiting.setdefault((variant, self.context.definitions[name].label), {})
        waiting.setdefault(name, set()).add(lanes)

    # -- what is written ----------------------------------------------------------------------------------------------

    def emit_body(self, site: Site, suffix: str, step: BlockWriter | None) -> BlockWriter:
        body = self.bodies[site.variant] = _Draft(site, suffix, self)
        return body.emit(step)

    def _write_block(self, variant: Variant, label: str) -> None:
        """What has been read of a block, from its end to its start; loads together, as they may share chunks."""
        block, body = self.context.block(label), self.bodies[variant]
        waiting, loads = self._waiting[variant, label], Requests()
        site = body.site_of(block)
        for instruction in reversed(block.body):
            name = instruction.result.name if instruction.result is not None else ""
            if name not in waiting:
                continue
            if isinstance(instruction, Load):
                loads[name] = waiting.pop(name)
            else:
                variant.demand = {name: waiting.pop(name)}
                emit_instruction(site, instruction)
        variant.demand = loads
        if loads:
            _write_loads(site, block)
        phis = {phi.result.name: waiting.pop(phi.result.name) for phi in block.phis if phi.result.name in waiting}
        variant.demand = phis
        if phis:
            self._write_phis(body, block)
        variant.demand = {}
        if not waiting:
            del self._waiting[variant, label]

    def _write_phis(self, body: Body, block: Block) -> None:
        loop = self.context.left_loop(body.variant, block.label)
        if loop is not None:
            exits = self.context.exit_values(body.variant, loop.header)
            tiles = TileLoops(body.site(body.entries[loop.header]), loop.header, exits)
            emit_tiles(tiles, body.suffix_of(loop.header), _no_body)
        elif block.label != body.variant.header:  # there they are partial results, which the loops around the body define
            for phi in block.phis:
                for coordinates in body.variant.demand.get(phi.result.name, ()):
                    for label, value in phi.incoming:
                        body.site(body.state.ends[label]).operand(value, coordinates)

    def placeholder(self, variant: Variant, name: str, lanes: Lanes) -> Operand:
        """Some value of the type that the variable has in these lanes."""
        condensed = self.context.condensed(variant, name, lanes)
        return Register("", condensed or vector_of(self.context.variable(name).type, len(lanes)))


class _Draft(Body):
    """The blocks of one variant in the draft."""

    def __init__(self, site: Site, suffix: str, run: DryRun) -> None:
        super().__init__(site, suffix)
        self.run = run

    def emit_inside(self, site: Site, suffix: str, step: BlockWriter | None) -> BlockWriter:
        return self.run.emit_body(site, suffix, step)


class _Requested(Values):
    """The values of a variant in the draft: one that is missing is requested."""

    def __init__(self, run: DryRun, variant: Variant) -> None:
        super().__init__()
        self.run, self.variant = run, variant

    def __getitem__(self, key: tuple[str, Lanes]) -> Operand:
        self.note(*key)
        return super().__getitem__(key)

    def __missing__(self, key: tuple[str, Lanes]) -> Operand:
        self.run.request(self.variant, *key)
        found = self[key] = self.run.placeholder(self.variant, *key)
        return found

    def inside(self, variant: Variant) -> Values:
        return self.run.values(variant)

    def note(self, name: str, key: Lanes) -> None:
        self.run.note(self.variant, name, key)


class _Counters(dict[str, Operand]):
    """The counters of loops that are not brushed: those that are read have to be there."""

    def __init__(self, context: Context) -> None:
        super().__init__()
        self.context = context

    def __missing__(self, header: str) -> Operand:
        self.context.counted.add(header)
        return Register("", I64)


def _no_body(site: Site, suffix: str, step: BlockWriter | None) -> BlockWriter:
    return site.writer.block("body", fixed=True)


def _write_loads(site: Site, block: Block) -> None:
    accesses = accesses_in(site, block)
    for position, instruction in enumerate(block.body):
        if isinstance(instruction, Load):
            emit_access(site, accesses, position, instruction)
    accesses.finish()
