"""Reductions and selections along brushed loops: what their lanes start with, and what goes on when a loop is done.

A reduction's lanes start from the neutral element, and what they come to is combined with the value so far. A selection's lanes
start from the state so far, with order 0 before the first change: a lane that never changes it loses against all that do, or
is equal to them, so passive lanes and short loops need nothing neutral. Where the loop takes one iteration at a time a
reduction goes on with the value so far as well: nothing is reordered then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import cast

from rv.evolution.facts import FIRST, Fold, Reduction, Selection
from rv.evolution.selections import strictly
from rv.ir.instructions import FloatPredicate, IntPredicate
from rv.ir.types import IntType
from rv.ir.values import Var
from rv.vector.instructions import Reduce, is_floating
from rv.vector.types import lanes_of
from rv.vector.values import Operand, constant, lane_type, word
from rv.widen.across.reductions import Values, combine, fold, identity, pick
from rv.widen.lanes import Coordinate, Lanes
from rv.widen.loops.variant_tree import Variant
from rv.widen.site import Site

Registers = Sequence[tuple[Lanes, Operand]]


@dataclass(frozen=True, slots=True)
class Folded:
    """A fold between two of its loops: for each member its value so far in the lanes around the loops."""

    of: Fold
    registers: tuple[Registers, ...]

    def value(self, site: Site, member: Var, coordinates: Lanes) -> Operand:
        """A member in the lanes of `coordinates`."""
        own = self.registers[self.of.members.index(member)]
        return pick(site, own, _as_known(coordinates, own))


def before_loops(site: Site, of: Fold) -> Folded:
    """The fold before its brushed loop, which is directly inside the variant of `site`."""
    preheader = site.context.loops[of.header].preheader
    lane_sets = site.context.registers_around(site.variant, of)
    initial = [site.context.header_phi(member).value_from(preheader) for member in of.members]
    return Folded(of, tuple(tuple((p, site.operand(value, p)) for p in lane_sets) for value in initial))


def start_of_lanes(site: Site, so_far: Folded, member: Var, register: Lanes, variant: Variant) -> Operand:
    """What the lanes of an accumulator of the loop of `variant` start with; `site` is before that loop."""
    if isinstance(so_far.of, Reduction) and variant.width > 1:
        condensed = site.context.condensed(variant, member.name, register)
        return constant(identity(so_far.of.operation, member.type), lanes_of(condensed) if condensed else len(register))
    around = tuple((*c[: variant.level], 0, *c[variant.level + 1 :]) for c in register)
    return so_far.value(site, member, around)


def after_loop(site: Site, so_far: Folded, variant: Variant, accumulators: Sequence[Registers]) -> Folded:
    """The fold when the loop of `variant` is done; `accumulators` are its lanes by member."""
    of = so_far.of
    found: list[list[tuple[Lanes, Operand]]] = [[] for _ in of.members]

    def step(left: Values, right: Values) -> Values:
        if isinstance(of, Selection):
            return _winner(site, of, left, right)
        return (combine(site, of.operation, left[0], right[0]),)

    size = variant.width
    if any(lanes_of(value.type) < len(coordinates) for own in accumulators for coordinates, value in own):
        accumulators, size = [totals(site, own, variant.level) for own in accumulators], 1
    for k, (coordinates, _) in enumerate(so_far.registers[0]):
        values = fold(site, step, accumulators, variant.level, size, coordinates)
        if isinstance(of, Reduction) and variant.width > 1:
            values = step((so_far.registers[0][k][1],), values)
        for own, value in zip(found, values, strict=True):
            own.append((coordinates, value))
    return Folded(of, tuple(found))


def totals(site: Site, registers: Registers, level: int) -> Registers:
    """The sum of the lanes that differ along the loop, as scalars: registers of sums of neighbours have no lanes of their own."""
    found: dict[Coordinate, list[Operand]] = {}
    for coordinates, value in registers:
        around = (*coordinates[0][:level], 0, *coordinates[0][level + 1 :])
        own = found.setdefault(around, [])
        alike = next((k for k, other in enumerate(own) if other.type == value.type), None)
        if alike is None:
            own.append(value)
        else:
            own[alike] = site.block.binary("add", own[alike], value)
    add = partial(site.block.binary, "add")
    return [((around,), reduce(add, (_total(site, value) for value in own))) for around, own in found.items()]


def _total(site: Site, value: Operand) -> Operand:
    return value if lanes_of(value.type) == 1 else site.block.add(Reduce("add", value))


def _winner(site: Site, selection: Selection, left: Values, right: Values) -> Values:
    """Lane by lane the state whose last change stays."""
    better = _is_better(site, selection, left, right)
    return tuple(site.block.select(better, two, one) for one, two in zip(left, right, strict=True))


def _is_better(site: Site, selection: Selection, left: Values, right: Values) -> Operand:
    """Whether the right state wins."""
    assert selection.order is not None
    place = selection.members.index(selection.order)
    if selection.predicate == FIRST:
        # a lane that has changed nothing has order 0, which becomes the largest number
        one, two = (_less_one(site, side[place]) for side in (left, right))
        return site.block.compare("ult", two, one)
    replaced_by_equal = selection.predicate is None or selection.predicate.endswith("e")
    after: IntPredicate = "sgt" if selection.strict else "ugt" if replaced_by_equal else "ult"
    later = site.block.compare(after, right[place], left[place])
    if selection.predicate is None:
        return later
    beats = site.block.compare(cast(IntPredicate | FloatPredicate, strictly(selection.predicate)), right[0], left[0])
    equal = site.block.compare("oeq" if is_floating(left[0].type) else "eq", right[0], left[0])
    return site.block.binary("or", beats, site.block.binary("and", equal, later))


def _less_one(site: Site, value: Operand) -> Operand:
    type_ = lane_type(value)
    assert isinstance(type_, IntType)
    return site.block.binary("add", value, word(type_, -1, lanes_of(value.type)))


def _as_known(coordinates: Lanes, registers: Registers) -> Lanes:
    """The set of lanes with coordinates of the rank that the registers have: what is uniform is known for no coordinate."""
    rank = len(registers[0][0][0])
    return tuple(c[:rank] if len(c) >= rank else (0,) * rank for c in coordinates)
