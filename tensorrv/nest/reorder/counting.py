"""Loops that count down, or in steps, count up from 0 by 1, as skewed loops have to.

    for (i = n - 2; i > 0; i -= 2)              for (t = 0; t < (n - 1) / 2; ++t) {
      body;                              ->       i = n - 2 - 2 * t; body;
                                                }

Sums along a slope are of such counters (`tensorrv.schedule.schedule`). The numbers are right under the conditions of the loop.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from rv.evolution.facts import Loop
from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Branch, CompareInt, Convert, Instruction, Phi
from rv.ir.rewrite import FreshNames
from rv.ir.types import I1, I64
from rv.ir.values import Value, Var, const_i64
from rv.transform.loops.evaluation import Evaluation, NotKnownBefore
from rv.transform.prepare import canonicalize
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.reorder.bands import Obstacle


def counting_up(function: Function, headers: Iterable[str]) -> Function:
    """The function with these loops counting up by 1. Raises Obstacle."""
    for header in headers:
        loops = analyze_nests(function).loops
        trip = loops[header].trip
        if trip is not None and trip.step != 1:
            function = canonicalize(_changed(function, loops, loops[header]))
    return function


def _changed(function: Function, loops: Mapping[str, Loop], loop: Loop) -> Function:
    header, names = function.block(loop.header), FreshNames.of(function)
    trip, variable = loop.trip, loop.variable
    assert trip is not None and variable is not None
    if len(header.phis) > 1:
        raise Obstacle(f"the {loop.called} counts in several variables", loop.span)
    ends = Evaluation(function, loop.preheader, loops, names, "count", "a count of iterations", nsw=True)
    try:
        distance = ends.polynomial(trip.distance)
    except NotKnownBefore as problem:
        raise Obstacle(str(problem), problem.span or loop.span) from problem
    size = abs(trip.step)
    count = ends.binary("sdiv", ends.binary("add", distance, const_i64(size - 1)), const_i64(size))
    start = ends.wide(trip.start, unsigned=trip.unsigned)
    counter, following, more = (names.variable(n, t) for n, t in ((variable.name, I64), (variable.name, I64), ("more", I1)))
    phi = Phi(counter, ((loop.preheader, const_i64(0)), (loop.latch, following)), header.phis[0].span)
    test = CompareInt(more, "slt", counter, count)
    branch = Branch(more, loop.body, loop.exit, header.terminator.span)
    own = tuple(_value(variable, counter, start, trip.step, names))

    def changed(block: Block) -> Block:
        if block.label == loop.preheader:
            return replace(block, body=(*block.body, *ends.code))
        if block.label == loop.header:
            return replace(block, phis=(phi,), body=(*own, *block.body, test), terminator=branch)
        if block.label == loop.latch:
            return replace(block, body=(*block.body, Binary(following, "add", counter, const_i64(1), nsw=True)))
        return block

    return replace(function, blocks=tuple(map(changed, function.blocks)))


def _value(variable: Var, counter: Var, start: Value, step: int, names: FreshNames) -> Iterable[Instruction]:
    """The variable in an iteration."""
    moved, value = names.variable(variable.name, I64), names.variable(variable.name, I64)
    yield Binary(moved, "mul", counter, const_i64(step), nsw=True)
    if variable.type == I64:
        yield Binary(variable, "add", start, moved, nsw=True)
        return
    yield Binary(value, "add", start, moved, nsw=True)
    yield Convert(variable, "trunc", value)
