"""The loops that replace a brushed loop: one for each of its copies, whole brushes first, then the tails.

    for (t = 0; t < T - T % m; t += m)   body for m lanes
    for (; t < T; t += w)                body for w lanes, min(w, T - t) of them active

Accumulators of reductions and selections are folded into the values so far when a copy's loop ends (`tensorrv.brush.folds`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rv.ir.types import I1, I64, IntType
from rv.ir.values import Value, Var
from rv.widen.lanes import Pattern
from rv.widen.lines import LlvmBlock, LlvmPhi
from rv.widen.llvm_text import type_text
from tensorrv.brush.alignment import emit_head_length
from tensorrv.brush.context import ExitValue
from tensorrv.brush.copies import Copy
from tensorrv.brush.folds import Folded, after_loop, before_loops, start_of_lanes
from tensorrv.brush.masks import mask_of
from tensorrv.brush.site import Site, State
from tensorrv.brush.streaming import emit_all_aligned, emit_fence
from tensorrv.brush.team import EmitRange, emit_team
from tensorrv.brush.trips import emit_grid_head, emit_trip_count

EmitBody = Callable[[Site, str, LlvmBlock | None], LlvmBlock]


@dataclass(frozen=True, slots=True)
class TileLoops:
    """The brushed loop `header` as seen from the copy around it; `site` is where control arrives."""

    site: Site
    header: str
    exits: tuple[ExitValue, ...]


@dataclass(slots=True)
class _Running:
    """What goes from one copy to the next: the next iteration, and every fold so far that is read later."""

    block: LlvmBlock
    counter: str
    folds: list[Folded]


@dataclass(frozen=True, slots=True)
class _Accumulator:
    """A register of partial results of a member of a fold."""

    member: Var
    update: Value
    pattern: Pattern
    phi: LlvmPhi


def emit_tiles(tiles: TileLoops, suffix: str, emit_body: EmitBody) -> LlvmBlock:
    """Write all loops; the block where control arrives when the last one is done, without a terminator."""
    site = tiles.site
    loop = site.context.loops[tiles.header]
    assert loop.trip is not None
    trips = emit_trip_count(site, loop.trip)
    copies = site.copy.children[tiles.header]
    nest = copies[0].nest
    if nest is not None and nest.divided and copies[0].level == 0:
        running = _Running(emit_team(site, nest, trips, _range_of(tiles, suffix, emit_body)), trips, [])
    else:
        folds = dict.fromkeys(exit_value.fold for exit_value in tiles.exits if exit_value.fold is not None)
        running = _Running(site.block, "0", [before_loops(site, fold) for fold in folds])
        _emit_copies(tiles, running, trips, suffix, emit_body)
    end = site.at(running.block)
    site.state.loop_counters[tiles.header] = trips
    for exit_value in tiles.exits:
        for pattern in exit_value.patterns:
            end.define(exit_value.phi, pattern, _exit(end, exit_value, pattern, running))
    return running.block


def _range_of(tiles: TileLoops, suffix: str, emit_body: EmitBody) -> EmitRange:
    """What writes the loops for a part of the iterations somewhere else; nothing is folded there."""

    def emit_range(site: Site, first: str, last: str) -> LlvmBlock:
        running = _Running(site.block, first, [])
        _emit_copies(TileLoops(site, tiles.header, ()), running, last, suffix, emit_body)
        return running.block

    return emit_range


def _emit_copies(tiles: TileLoops, running: _Running, trips: str, suffix: str, emit_body: EmitBody) -> None:
    """The loops from `running.counter` to `trips`, one for each copy."""
    copies = tiles.site.copy.children[tiles.header]
    for number, copy in enumerate(copies):
        _emit_copy(tiles, copy, trips, running, f"{suffix}.{number}", emit_body)
    if copies[0].level == 0 and any(copy.streamed for child in copies for copy in child.walk()):
        emit_fence(tiles.site.at(running.block))


def _exit(end: Site, exit_value: ExitValue, pattern: Pattern, running: _Running) -> str:
    """A value that the loop leaves: of a fold, a counter's last value, or something invariant."""
    if exit_value.fold is not None:
        assert isinstance(exit_value.value, Var)
        so_far = next(folded for folded in running.folds if folded.of == exit_value.fold)
        return so_far.value(end, exit_value.value, pattern)
    form = exit_value.form
    if form is None:
        return end.operand(exit_value.value, pattern)
    type_ = exit_value.phi.type
    if isinstance(type_, IntType):
        return end.closed_form(form.polynomial, type_, pattern)
    assert form.base is not None
    offset, base, lanes = end.closed_form(form.polynomial, I64, pattern), end.operand(form.base, pattern), len(pattern)
    text = f"getelementptr i8, {type_text(type_, lanes)} {base}, {type_text(I64, lanes)} {offset}"
    return end.block.pure(text, [base, offset])


def _emit_copy(tiles: TileLoops, copy: Copy, trips: str, running: _Running, suffix: str, emit_body: EmitBody) -> None:
    outer = tiles.site
    masked = copy.level in copy.masked
    before = running.block
    if copy.head:
        limit = _head_end(outer.at(before), tiles, copy, running.counter, trips)
    else:
        limit = trips if masked else _limit(before, running.counter, trips, copy.width)
    head = outer.llvm.block(f"head{suffix}", ordered=True)
    step = outer.llvm.block(f"step{suffix}", ordered=True)
    out = outer.llvm.block(f"out{suffix}", ordered=True)
    before.terminator = f"br label %{head.label}"
    count = head.phi("i64")
    count.incoming.append((running.counter, before.label))
    state = State(copy, outer.state)
    site = Site(outer.context, outer.llvm, state, head)
    state.counters[copy.level] = count.name
    accumulators = _start_accumulators(site, outer.at(before), running)
    if masked:
        state.active[copy.level] = _active(head, count.name, limit, copy.width)
    first = emit_body(site, suffix, step)
    if copy.stream:  # what it streams is known now
        limit = _where_aligned(outer.at(before), tiles, copy, running.counter, limit)
    more = head.pure(f"icmp ult i64 {count.name}, {limit}", [count.name])
    head.terminator = f"br i1 {more}, label %{first.label}, label %{out.label}"
    following = step.pure(f"add i64 {count.name}, {copy.width}", [count.name])
    count.incoming.append((following, step.label))
    _update_accumulators(site.at(step), accumulators)
    step.terminator = f"br label %{head.label}"
    running.block, running.counter = out, limit if copy.head else count.name
    _fold_accumulators(outer.at(out), copy, accumulators, running)


def _head_end(site: Site, tiles: TileLoops, copy: Copy, counter: str, trips: str) -> str:
    """The iteration before which a head ends that begins at `counter`, a multiple of the brush's size."""
    assert copy.nest is not None
    grid = copy.nest.grids[copy.level]
    left = site.block.integer("sub", trips, counter)
    if grid is not None:
        return site.block.integer("add", counter, emit_grid_head(site, grid, left))
    assert copy.nest.anchor is not None
    anchor = copy.nest.anchor
    elements = site.context.elements(copy, anchor.block, anchor.position)
    assert elements is not None
    site.state.loop_counters[tiles.header] = counter
    least = anchor.least_brushes * copy.nest.sizes[copy.level]
    return site.block.integer("add", counter, emit_head_length(site, elements, left, least))


def _where_aligned(site: Site, tiles: TileLoops, copy: Copy, counter: str, limit: str) -> str:
    """The end of the brushes that stream: `limit`, or at once where not all that they store is aligned."""
    if copy.is_idle:
        return counter
    site.state.loop_counters[tiles.header] = counter
    aligned = emit_all_aligned(site, copy)
    return site.block.pure(f"select i1 {aligned}, i64 {limit}, i64 {counter}", [aligned, limit, counter])


def _limit(block: LlvmBlock, counter: str, trips: str, width: int) -> str:
    """The end of the last whole brush: counter + (trips - counter) / width * width."""
    if width == 1:
        return trips
    if trips.isdigit() and counter.isdigit():
        return str(int(counter) + (int(trips) - int(counter)) // width * width)
    left = block.integer("sub", trips, counter)
    rest = block.pure(f"urem i64 {left}, {width}", [left])
    return block.integer("sub", trips, rest)


def _active(head: LlvmBlock, counter: str, trips: str, width: int) -> str:
    """min(width, trips - counter) as i32."""
    left = head.integer("sub", trips, counter)
    full = head.pure(f"icmp ugt i64 {left}, {width}", [left])
    active = head.pure(f"select i1 {full}, i64 {width}, i64 {left}", [full, left])
    return head.pure(f"trunc i64 {active} to i32", [active])


def _start_accumulators(site: Site, before: Site, running: _Running) -> list[_Accumulator]:
    result: list[_Accumulator] = []
    for so_far in running.folds:
        for member, update in zip(so_far.of.members, so_far.of.updates, strict=True):
            for pattern in site.context.accumulators(site.copy, member):
                phi = site.block.phi(type_text(member.type, len(pattern)))
                start = start_of_lanes(before, so_far, member, pattern, site.copy)
                phi.incoming.append((start, before.block.label))
                site.define(member, pattern, phi.name)
                result.append(_Accumulator(member, update, pattern, phi))
    return result


def _update_accumulators(site: Site, accumulators: list[_Accumulator]) -> None:
    for own in accumulators:
        new = site.operand(own.update, own.pattern)
        mask = mask_of(site, own.pattern)
        if mask is not None:
            text, truth = type_text(own.member.type, len(own.pattern)), type_text(I1, len(own.pattern))
            new = site.block.pure(f"select {truth} {mask}, {text} {new}, {text} {own.phi.name}", [mask, new, own.phi.name])
        own.phi.incoming.append((new, site.block.label))


def _fold_accumulators(site: Site, copy: Copy, accumulators: list[_Accumulator], running: _Running) -> None:
    for k, so_far in enumerate(running.folds):
        lanes = [[(a.pattern, a.phi.name) for a in accumulators if a.member == member] for member in so_far.of.members]
        running.folds[k] = after_loop(site, so_far, copy, lanes)
