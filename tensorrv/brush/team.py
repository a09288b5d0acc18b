"""The iterations of a nest's outermost loop, divided among the threads of a team by calls of libgomp.

What `#pragma omp parallel for schedule(static)` becomes in gcc: the tile loops move to a function of their own, with all that
they read as parameters, and

    if (trips <= m)  part(..., 0, trips);                        one brush: not worth a team
    else             GOMP_parallel(team, &closure, 0, 0);        every thread runs team(&closure)

where `team` unpacks the closure and calls `part` for this thread's share of the iterations, which are whole brushes but at the
end. The function's parameters keep their names and their `noalias`. Objects need libgomp when they are linked: `-fopenmp`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from rv.ir.types import I64
from rv.widen.lanes import Pattern
from rv.widen.lines import LlvmBlock, LlvmFunction
from rv.widen.llvm_text import type_text
from tensorrv.brush.copies import BrushedNest
from tensorrv.brush.module_text import parameter_texts
from tensorrv.brush.site import Site, State

EmitRange = Callable[[Site, str, str], LlvmBlock]
"""Writes the loops for the iterations from the first operand up to the second at a site; where control ends."""

RUNTIME: Final = {
    "GOMP_parallel": "declare void @GOMP_parallel(ptr, ptr, i32, i32)",
    "omp_get_thread_num": "declare i32 @omp_get_thread_num()",
    "omp_get_num_threads": "declare i32 @omp_get_num_threads()",
}


@dataclass(slots=True)
class _Imports:
    """What the part reads of the function around it: parameter of the part by the operand outside, with its type."""

    part: LlvmFunction
    found: dict[str, tuple[str, str]] = field(default_factory=dict)

    def operand(self, outside: str, type_: str) -> str:
        """The name inside; constants stay as they are."""
        if not outside.startswith("%"):
            return outside
        return self.found.setdefault(outside, (self.part.fresh(), type_))[0]


class _Values(dict[tuple[str, Pattern], str]):
    """Values of the copy around the nest, which are imported when they are first asked for."""

    def __init__(self, site: Site, imports: _Imports) -> None:
        super().__init__()
        self.site, self.imports = site, imports

    def __missing__(self, key: tuple[str, Pattern]) -> str:
        name, pattern = key
        type_ = type_text(self.site.context.variable(name).type, len(pattern))
        return self.imports.operand(self.site.state.values[key], type_)


class _Counters(dict[str, str]):
    """Counters of the loops around the nest, imported likewise."""

    def __init__(self, site: Site, imports: _Imports) -> None:
        super().__init__()
        self.site, self.imports = site, imports

    def __contains__(self, header: object) -> bool:
        return super().__contains__(header) or header in self.site.state.loop_counters

    def __missing__(self, header: str) -> str:
        return self.imports.operand(self.site.state.loop_counters[header], str(I64))


def emit_team(site: Site, nest: BrushedNest, trips: str, emit_range: EmitRange) -> LlvmBlock:
    """The call of the team at `site`; the block where control arrives when all iterations are done, without a terminator."""
    outer, name = site.llvm, site.context.function.name
    number = len(outer.parts)
    part = LlvmFunction("")
    imports = _Imports(part)
    state = State(site.copy, None, values=_Values(site, imports), loop_counters=_Counters(site, imports))
    first, last = part.fresh(), part.fresh()
    entry = part.block("start", ordered=True)
    end = emit_range(Site(site.context, part, state, entry), first, last)
    end.terminator = "ret void"
    shared = tuple((type_, outside) for outside, (_, type_) in imports.found.items())
    inside = tuple(f"{type_} {own}" for own, type_ in imports.found.values())
    parameters = (*parameter_texts(site.context.function), *inside, f"i64 {first}", f"i64 {last}")
    part.header = f"define internal void @{name}.part.{number}({', '.join(parameters)}) #0"
    own = tuple((str(p.var.type), f"%{p.var.name}") for p in site.context.function.parameters)
    closure = (*own, *shared, (str(I64), trips))
    team = _team_function(f"{name}.team.{number}", f"{name}.part.{number}", [type_ for type_, _ in closure], nest.sizes[0])
    outer.parts += [part, team]
    return _emit_call(site, number, closure, trips, nest.sizes[0])


def _emit_call(site: Site, number: int, closure: tuple[tuple[str, str], ...], trips: str, width: int) -> LlvmBlock:
    """Either a team, or the part alone where there is no more than one brush."""
    outer, name = site.llvm, site.context.function.name
    alone, together, done = (outer.block(f"{kind}.{number}", ordered=True) for kind in ("alone", "together", "joined"))
    several = site.block.pure(f"icmp sgt i64 {trips}, {width}", [trips])
    site.block.terminator = f"br i1 {several}, label %{together.label}, label %{alone.label}"
    arguments = ", ".join(f"{type_} {operand}" for type_, operand in closure[:-1])
    comma = ", " if arguments else ""
    alone.store(f"call void @{name}.part.{number}({arguments}{comma}i64 0, i64 {trips})", [], "", None)
    struct = _struct([type_ for type_, _ in closure])
    place = outer.fresh()
    outer.stack.append(f"{place} = alloca {struct}, align 64")
    for position, (type_, operand) in enumerate(closure):
        address = together.pure(f"getelementptr {struct}, ptr {place}, i32 0, i32 {position}", [])
        together.store(f"store {type_} {operand}, ptr {address}", [address], "", None)
    together.store(f"call void @GOMP_parallel(ptr @{name}.team.{number}, ptr {place}, i32 0, i32 0)", [], "", None)
    for block in (alone, together):
        block.terminator = f"br label %{done.label}"
    outer.declare("GOMP_parallel", RUNTIME["GOMP_parallel"])
    return done


def _team_function(name: str, part: str, types: list[str], width: int) -> LlvmFunction:
    """What every thread runs: unpack the closure, find this thread's share, run it."""
    team = LlvmFunction(f"define internal void @{name}(ptr %closure) #0")
    for function in ("omp_get_thread_num", "omp_get_num_threads"):
        team.declare(function, RUNTIME[function])
    block = team.block("start", ordered=True)
    struct = _struct(types)
    values = []
    for position, type_ in enumerate(types):
        address = block.pure(f"getelementptr {struct}, ptr %closure, i32 0, i32 {position}", [])
        values.append(block.load(f"load {type_}, ptr {address}", [address], "", weight=0, place=None))
    trips = values[-1]
    thread, threads = (_as_i64(block, f"omp_get_{what}") for what in ("thread_num", "num_threads"))
    brushes = block.pure(f"udiv i64 {block.integer('add', trips, width - 1)}, {width}", [trips])
    more = block.integer("add", brushes, block.integer("sub", threads, 1))
    share = block.integer("mul", block.pure(f"udiv i64 {more}, {threads}", [more, threads]), width)
    first = _least(block, block.integer("mul", thread, share), trips)
    last = _least(block, block.integer("add", first, share), trips)
    arguments = [f"{type_} {value}" for type_, value in zip(types[:-1], values[:-1], strict=True)]
    block.store(f"call void @{part}({', '.join((*arguments, f'i64 {first}', f'i64 {last}'))})", [], "", None)
    block.terminator = "ret void"
    return team


def _as_i64(block: LlvmBlock, function: str) -> str:
    number = block.pure(f"call i32 @{function}()", [])
    return block.pure(f"sext i32 {number} to i64", [number])


def _least(block: LlvmBlock, left: str, right: str) -> str:
    less = block.pure(f"icmp ult i64 {left}, {right}", [left, right])
    return block.pure(f"select i1 {less}, i64 {left}, i64 {right}", [less, left, right])


def _struct(types: list[str]) -> str:
    return f"{{ {', '.join(types)} }}"
