"""The loops that replace a brushed loop: one for each of its variants, whole brushes first, then the tails.

    for (t = 0; t < T - T % m; t += m)   body for m lanes
    for (; t < T; t += w)                body for w lanes, min(w, T - t) of them active

Accumulators of reductions and selections are folded into the values so far when a variant's loop ends (`rv.widen.across.folds`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from rv.ir.types import I8, I32, I64, IntType
from rv.ir.values import Value, Var
from rv.vector.types import vector_of
from rv.vector.values import ZERO, Operand, i64, known_integer
from rv.vector.writer import BlockWriter, PhiWriter
from rv.widen.across.folds import Folded, after_loop, before_loops, start_of_lanes
from rv.widen.across.masks import mask_of
from rv.widen.context import ExitValue
from rv.widen.lanes import Lanes
from rv.widen.loops.team import EmitRange, emit_team
from rv.widen.loops.trips import emit_trip_count
from rv.widen.loops.variant_tree import Variant
from rv.widen.site import Site

EmitBody = Callable[[Site, str, BlockWriter | None], BlockWriter]


@dataclass(frozen=True, slots=True)
class TileLoops:
    """The brushed loop `header` in the variant around it; `site` is where control arrives."""

    site: Site
    header: str
    exits: tuple[ExitValue, ...]


@dataclass(slots=True)
class _Running:
    """What goes from one variant to the next: the next iteration, and every fold so far that is read later."""

    block: BlockWriter
    counter: Operand
    folds: list[Folded]


@dataclass(frozen=True, slots=True)
class _Accumulator:
    """A register of partial results of a member of a fold."""

    member: Var
    update: Value
    coordinates: Lanes
    phi: PhiWriter


def emit_tiles(tiles: TileLoops, suffix: str, emit_body: EmitBody) -> BlockWriter:
    """Write all loops; the block where control arrives when the last one is done, without a terminator."""
    site = tiles.site
    loop = site.context.loops[tiles.header]
    assert loop.trip is not None
    trips = emit_trip_count(site, loop.trip)
    variants = site.variant.children[tiles.header]
    nest = variants[0].nest
    if nest is not None and nest.divided and variants[0].level == 0:
        running = _Running(emit_team(site, nest, trips, _range_of(tiles, suffix, emit_body)), trips, [])
    else:
        folds = dict.fromkeys(exit_value.fold for exit_value in tiles.exits if exit_value.fold is not None)
        running = _Running(site.block, ZERO, [before_loops(site, fold) for fold in folds])
        _emit_variants(tiles, running, trips, suffix, emit_body)
    end = site.at(running.block)
    site.state.loop_counters[tiles.header] = trips
    for exit_value in tiles.exits:
        for coordinates in exit_value.lane_sets:
            end.define(exit_value.phi, coordinates, _exit(end, exit_value, coordinates, running))
    return running.block


def _range_of(tiles: TileLoops, suffix: str, emit_body: EmitBody) -> EmitRange:
    """What writes the loops for a part of the iterations somewhere else; nothing is folded there."""

    def emit_range(site: Site, first: Operand, last: Operand) -> BlockWriter:
        running = _Running(site.block, first, [])
        _emit_variants(TileLoops(site, tiles.header, ()), running, last, suffix, emit_body)
        return running.block

    return emit_range


def _emit_variants(tiles: TileLoops, running: _Running, trips: Operand, suffix: str, emit_body: EmitBody) -> None:
    """The loops from `running.counter` to `trips`, one for each variant."""
    variants = tiles.site.variant.children[tiles.header]
    for number, variant in enumerate(variants):
        _emit_variant(tiles, variant, trips, running, f"{suffix}.{number}", emit_body)
    if variants[0].level == 0:
        tiles.site.context.forms.after_nest(tiles.site.at(running.block), variants)


def _exit(end: Site, exit_value: ExitValue, coordinates: Lanes, running: _Running) -> Operand:
    """A value that the loop leaves: of a fold, a counter's last value, or something invariant."""
    if exit_value.fold is not None:
        assert isinstance(exit_value.value, Var)
        so_far = next(folded for folded in running.folds if folded.of == exit_value.fold)
        return so_far.value(end, exit_value.value, coordinates)
    form = exit_value.form
    if form is None:
        return end.operand(exit_value.value, coordinates)
    type_ = exit_value.phi.type
    if isinstance(type_, IntType):
        return end.closed_form(form.polynomial, type_, coordinates)
    assert form.base is not None
    offset = end.closed_form(form.polynomial, I64, coordinates)
    return end.block.address(end.operand(form.base, coordinates), offset, I8)


def _emit_variant(
    tiles: TileLoops, variant: Variant, trips: Operand, running: _Running, suffix: str, emit_body: EmitBody
) -> None:
    outer = tiles.site
    masked = variant.level in variant.masked
    before = running.block
    if variant.head:
        limit = outer.context.forms.head_end(outer.at(before), variant, running.counter, trips)
    else:
        last = _last(before, running.counter, trips) if variant.followed else trips
        limit = trips if masked else _limit(before, running.counter, last, variant.width)
    head, step, out = (outer.writer.block(f"{kind}{suffix}", fixed=True) for kind in ("head", "step", "out"))
    before.jump(head)
    count = head.phi(I64)
    count.add(running.counter, before.label)
    state = outer.state.inside(variant)
    site = Site(outer.context, outer.writer, state, head)
    state.counters[variant.level] = count.result
    accumulators = _start_accumulators(site, outer.at(before), running)
    if masked:
        state.active[variant.level] = _active(head, count.result, limit, variant.width)
    first = emit_body(site, suffix, step)
    if variant.stream:  # what it streams is known now
        limit = outer.context.forms.stream_end(outer.at(before), variant, running.counter, limit)
    head.branch(head.compare("ult", count.result, limit), first, out)
    count.add(step.binary("add", count.result, i64(variant.width)), step.label)
    _update_accumulators(site.at(step), accumulators)
    step.jump(head, vectorized=True)
    running.block, running.counter = out, limit if variant.head else count.result
    _fold_accumulators(outer.at(out), variant, accumulators, running)


def _last(block: BlockWriter, counter: Operand, trips: Operand) -> Operand:
    """The last iteration, or `trips` if none is left."""
    return block.select(block.compare("ugt", trips, counter), block.integer("sub", trips, 1), trips)


def _limit(block: BlockWriter, counter: Operand, trips: Operand, width: int) -> Operand:
    """The end of the last whole brush: counter + (trips - counter) / width * width."""
    if width == 1:
        return trips
    start, end = known_integer(counter), known_integer(trips)
    if start is not None and end is not None:
        return i64(start + (end - start) // width * width)
    left = block.integer("sub", trips, counter)
    return block.integer("sub", trips, block.binary("urem", left, i64(width)))


def _active(head: BlockWriter, counter: Operand, trips: Operand, width: int) -> Operand:
    """min(width, trips - counter) as i32."""
    left = head.integer("sub", trips, counter)
    active = head.select(head.compare("ugt", left, i64(width)), i64(width), left)
    return head.convert("trunc", active, I32)


def _start_accumulators(site: Site, before: Site, running: _Running) -> list[_Accumulator]:
    result: list[_Accumulator] = []
    for so_far in running.folds:
        for member, update in zip(so_far.of.members, so_far.of.updates, strict=True):
            for coordinates in site.context.accumulators(site.variant, member):
                condensed = site.context.condensed(site.variant, member.name, coordinates)
                phi = site.block.phi(condensed or vector_of(member.type, len(coordinates)))
                phi.add(start_of_lanes(before, so_far, member, coordinates, site.variant), before.block.label)
                site.define(member, coordinates, phi.result)
                result.append(_Accumulator(member, update, coordinates, phi))
    return result


def _update_accumulators(site: Site, accumulators: list[_Accumulator]) -> None:
    for own in accumulators:
        new = site.operand(own.update, own.coordinates)
        mask = mask_of(site, own.coordinates)
        if mask is not None and site.context.condensed(site.variant, own.member.name, own.coordinates) is None:
            new = site.block.select(mask, new, own.phi.result)
        own.phi.add(new, site.block.label)


def _fold_accumulators(site: Site, variant: Variant, accumulators: list[_Accumulator], running: _Running) -> None:
    for k, so_far in enumerate(running.folds):
        lanes = [[(a.coordinates, a.phi.result) for a in accumulators if a.member == member] for member in so_far.of.members]
        running.folds[k] = after_loop(site, so_far, variant, lanes)
