"""The iterations of a nest's outermost loop, divided among the threads of a team by calls of libgomp.

What `#pragma omp parallel for schedule(static)` becomes in gcc: the tile loops move to a function of their own, with all that
they read as parameters, and

    if (trips <= m)  part(..., 0, trips);                        one brush: not worth a team
    else             GOMP_parallel(team, &closure, 0, 0);        every thread runs team(&closure)

where `team` unpacks the closure and calls `part` for this thread's share of the iterations, which are whole brushes but at the
end. The function's parameters keep their names and their `noalias`. Objects need libgomp when they are linked: `-fopenmp`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from rv.ir.types import I32, I64, PTR, VOID
from rv.vector.function import Parameter
from rv.vector.instructions import Call, Field, Load, Store
from rv.vector.types import DataType, TupleType
from rv.vector.values import ZERO, Operand, Register, Symbol, i32, i64
from rv.vector.writer import BlockWriter, FunctionWriter, natural_access
from rv.widen.lanes import Lanes
from rv.widen.linkage import parameters_of
from rv.widen.loops.variant_tree import Variant, VectorNest
from rv.widen.site import Site, State, Values

EmitRange = Callable[[Site, Operand, Operand], BlockWriter]
"""Writes the loops for the iterations from the first operand up to the second at a site; where control ends."""


@dataclass(slots=True)
class _Imports:
    """What the part reads of the function around it: the parameter of the part by the register outside."""

    part: FunctionWriter
    found: dict[Register, Register] = field(default_factory=dict)

    def operand(self, outside: Operand) -> Operand:
        """The operand inside; constants stay as they are."""
        if not isinstance(outside, Register):
            return outside
        return self.found.setdefault(outside, self.part.fresh(outside.type))


class _Values(Values):
    """Values of the variant around the nest, which are imported on first use."""

    def __init__(self, site: Site, imports: _Imports) -> None:
        super().__init__()
        self.site, self.imports = site, imports

    def __missing__(self, key: tuple[str, Lanes]) -> Operand:
        return self.imports.operand(self.site.state.values[key])

    def inside(self, variant: Variant) -> Values:
        return self.site.state.values.inside(variant)


class _Counters(dict[str, Operand]):
    """Counters of the loops around the nest, imported likewise."""

    def __init__(self, site: Site, imports: _Imports) -> None:
        super().__init__()
        self.site, self.imports = site, imports

    def __contains__(self, header: object) -> bool:
        return super().__contains__(header) or header in self.site.state.loop_counters

    def __missing__(self, header: str) -> Operand:
        return self.imports.operand(self.site.state.loop_counters[header])


def emit_team(site: Site, nest: VectorNest, trips: Operand, emit_range: EmitRange) -> BlockWriter:
    """The call of the team at `site`; the block where control arrives when all iterations are done, without a terminator."""
    outer, name = site.writer, site.context.function.name
    number = len(outer.parts)
    part = outer.part(f"{name}.part.{number}")
    imports = _Imports(part)
    state = State(site.variant, None, values=_Values(site, imports), loop_counters=_Counters(site, imports))
    first, last = part.fresh(I64), part.fresh(I64)
    end = emit_range(Site(site.context, part, state, part.block("start", fixed=True)), first, last)
    end.give_back()
    own = parameters_of(site.context.function)
    part.parameters = (*own, *map(Parameter, (*imports.found.values(), first, last)))
    closure = (*(parameter.register for parameter in own), *imports.found, trips)
    team = _team_function(f"{name}.team.{number}", part, [_data_type(operand) for operand in closure], nest.sizes[0])
    outer.parts.update({part.name: part, team.name: team})
    return _emit_call(site, part, team, closure, nest.sizes[0])


def _data_type(operand: Operand) -> DataType:
    assert not isinstance(operand.type, TupleType)
    return operand.type


def _emit_call(
    site: Site, part: FunctionWriter, team: FunctionWriter, closure: Sequence[Operand], width: int
) -> BlockWriter:
    """Either a team, or the part alone where there is no more than one brush."""
    outer, number, trips = site.writer, len(site.writer.parts) - 2, closure[-1]
    alone, together, done = (outer.block(f"{kind}.{number}", fixed=True) for kind in ("alone", "together", "joined"))
    site.block.branch(site.block.compare("sgt", trips, i64(width)), together, alone)
    alone.effect(Call(part.name, (*closure[:-1], ZERO, trips), VOID, pure=False))
    members = TupleType(tuple(map(_data_type, closure)))
    place = outer.stack_object(members, 1, 64)
    for position, operand in enumerate(closure):
        address = together.add(Field(place, members, position))
        together.effect(Store(operand, address, natural_access("", _data_type(operand))))
    together.effect(Call("GOMP_parallel", (Symbol(team.name), place, i32(0), i32(0)), VOID, pure=False))
    alone.jump(done)
    together.jump(done)
    return done


def _team_function(name: str, part: FunctionWriter, types: Sequence[DataType], width: int) -> FunctionWriter:
    """What every thread runs: unpack the closure, find this thread's share, run it."""
    closure = Register("closure", PTR)
    team = FunctionWriter(name, [Parameter(closure)], internal=True)
    block = team.block("start", fixed=True)
    members = TupleType(tuple(types))
    values = [
        block.add(Load(block.add(Field(closure, members, position)), type_, natural_access("", type_)))
        for position, type_ in enumerate(types)
    ]
    trips = values[-1]
    thread, threads = (_from_runtime(block, f"omp_get_{what}") for what in ("thread_num", "num_threads"))
    brushes = block.binary("udiv", block.integer("add", trips, width - 1), i64(width))
    more = block.integer("add", brushes, block.integer("sub", threads, 1))
    share = block.integer("mul", block.binary("udiv", more, threads), width)
    first = _least(block, block.integer("mul", thread, share), trips)
    last = _least(block, block.integer("add", first, share), trips)
    block.effect(Call(part.name, (*values[:-1], first, last), VOID, pure=False))
    block.give_back()
    return team


def _from_runtime(block: BlockWriter, function: str) -> Operand:
    return block.convert("sext", block.run(Call(function, (), I32, pure=False)), I64)


def _least(block: BlockWriter, left: Operand, right: Operand) -> Operand:
    return block.select(block.compare("ult", left, right), left, right)
