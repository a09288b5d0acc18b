"""Reductions and selections along brushed loops: what their lanes start with, and what goes on when a loop is done.

A reduction's lanes start from the neutral element, and what they come to is combined with the value so far. A selection's lanes
start from the state so far, with order 0 before the first change: a lane that never changes it loses against all that do, or
is equal to them, so passive lanes and short loops need nothing neutral. Where the loop takes one iteration at a time a
reduction goes on with the value so far as well: nothing is reordered then.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rv.ir.types import I1, FloatType, IntType, Type, bits_of
from rv.ir.values import Var, const_int
from rv.widen.lanes import Pattern
from rv.widen.llvm_text import constant_text, type_text
from tensorrv.brush.copies import Copy
from tensorrv.brush.reductions import Values, combine, fold, identity, pick
from tensorrv.brush.site import Site
from tensorrv.nest.model import FIRST, Fold, Reduction, Selection
from tensorrv.nest.selections import strictly

Registers = Sequence[tuple[Pattern, str]]


@dataclass(frozen=True, slots=True)
class Folded:
    """A fold between two of its loops: for each member its value so far in the lanes around the loops."""

    of: Fold
    registers: tuple[Registers, ...]

    def value(self, site: Site, member: Var, pattern: Pattern) -> str:
        """A member in the lanes of `pattern`."""
        own = self.registers[self.of.members.index(member)]
        return pick(site, member.type, own, _as_known(pattern, own))


def before_loops(site: Site, of: Fold) -> Folded:
    """The fold before its brushed loop, which is directly inside the copy of `site`."""
    preheader = site.context.loops[of.header].preheader
    patterns = site.context.registers_around(site.copy, of)
    initial = [site.context.header_phi(member).value_from(preheader) for member in of.members]
    return Folded(of, tuple(tuple((p, site.operand(value, p)) for p in patterns) for value in initial))


def start_of_lanes(site: Site, so_far: Folded, member: Var, register: Pattern, copy: Copy) -> str:
    """What the lanes of an accumulator of the loop of `copy` start with; `site` is before that loop."""
    if isinstance(so_far.of, Reduction) and copy.width > 1:
        return constant_text(identity(so_far.of.operation, member.type), len(register))
    around = tuple((*c[: copy.level], 0, *c[copy.level + 1 :]) for c in register)
    return so_far.value(site, member, around)


def after_loop(site: Site, so_far: Folded, copy: Copy, accumulators: Sequence[Registers]) -> Folded:
    """The fold when the loop of `copy` is done; `accumulators` are its lanes by member."""
    of = so_far.of
    types = [member.type for member in of.members]
    found: list[list[tuple[Pattern, str]]] = [[] for _ in types]

    def step(left: Values, right: Values, lanes: int) -> Values:
        if isinstance(of, Selection):
            return _winner(site, of, left, right, lanes)
        return (combine(site, of.operation, of.phi.type, left[0], right[0], lanes),)

    for k, (pattern, _) in enumerate(so_far.registers[0]):
        values = fold(site, step, types, accumulators, copy.level, copy.width, pattern)
        if isinstance(of, Reduction) and copy.width > 1:
            values = step((so_far.registers[0][k][1],), values, len(pattern))
        for own, value in zip(found, values, strict=True):
            own.append((pattern, value))
    return Folded(of, tuple(found))


def _winner(site: Site, selection: Selection, left: Values, right: Values, lanes: int) -> Values:
    """Lane by lane the state whose last change stays."""
    better = _is_better(site, selection, left, right, lanes)
    truth = type_text(I1, lanes)
    result = []
    for member, one, two in zip(selection.members, left, right, strict=True):
        text = type_text(member.type, lanes)
        weight = site.weight(bits_of(member.type), lanes)
        result.append(site.block.pure(f"select {truth} {better}, {text} {two}, {text} {one}", [better, one, two], weight=weight))
    return tuple(result)


def _is_better(site: Site, selection: Selection, left: Values, right: Values, lanes: int) -> str:
    """Whether the right state wins."""
    assert selection.order is not None
    place = selection.members.index(selection.order)
    if selection.predicate == FIRST:
        # a lane that has changed nothing has order 0, which becomes the largest number
        one, two = (_less_one(site, selection.order.type, side[place], lanes) for side in (left, right))
        return _compare(site, "ult", selection.order.type, two, one, lanes)
    replaced_by_equal = selection.predicate is None or selection.predicate.endswith("e")
    after = "sgt" if selection.strict else "ugt" if replaced_by_equal else "ult"
    later = _compare(site, after, selection.order.type, right[place], left[place], lanes)
    if selection.predicate is None:
        return later
    key = selection.members[0].type
    beats = _compare(site, strictly(selection.predicate), key, right[0], left[0], lanes)
    equal = _compare(site, "oeq" if isinstance(key, FloatType) else "eq", key, right[0], left[0], lanes)
    text = type_text(I1, lanes)
    tie = site.block.pure(f"and {text} {equal}, {later}", [equal, later], weight=lanes > 1)
    return site.block.pure(f"or {text} {beats}, {tie}", [beats, tie], weight=lanes > 1)


def _less_one(site: Site, type_: Type, value: str, lanes: int) -> str:
    assert isinstance(type_, IntType)
    text = f"add {type_text(type_, lanes)} {value}, {constant_text(const_int(type_, -1), lanes)}"
    return site.block.pure(text, [value], weight=site.weight(bits_of(type_), lanes))


def _compare(site: Site, predicate: str, type_: Type, left: str, right: str, lanes: int) -> str:
    op = "fcmp" if isinstance(type_, FloatType) else "icmp"
    text = f"{op} {predicate} {type_text(type_, lanes)} {left}, {right}"
    return site.block.pure(text, [left, right], weight=site.weight(bits_of(type_), lanes))


def _as_known(pattern: Pattern, registers: Registers) -> Pattern:
    """The pattern with coordinates of the rank that the registers have: what is uniform is known for no coordinate."""
    rank = len(registers[0][0][0])
    return tuple(c[:rank] if len(c) >= rank else (0,) * rank for c in pattern)
