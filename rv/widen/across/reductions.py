"""Partial results of reductions along brushed loops: identities, combination, and folding lanes when the loop ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from functools import reduce
from typing import cast

from rv.ir.instructions import BinaryOp
from rv.ir.types import FloatType, IntType, Type
from rv.ir.values import Const, const_float, const_int
from rv.vector.instructions import Binary, Elementwise
from rv.vector.values import Operand, lane_type
from rv.widen.across.emit_shuffles import emit_network, narrow, widened
from rv.widen.arithmetic.math_calls import emit_min_max
from rv.widen.lanes import Coordinate, Lanes, is_scalar
from rv.widen.site import Site


def identity(operation: str, type_: Type) -> Const:
    """The value that changes nothing when it is combined with another one."""
    if isinstance(type_, FloatType):
        if operation in ("minnum", "maxnum"):
            return const_float(type_, math.nan)
        return const_float(type_, {"fadd": -0.0, "fmul": 1.0, "fmin": math.inf, "fmax": -math.inf}[operation])
    assert isinstance(type_, IntType)
    top = 1 << (type_.bits - 1)
    values = {"add": 0, "mul": 1, "and": -1, "or": 0, "xor": 0, "smin": top - 1, "smax": top, "umin": -1, "umax": 0}
    return const_int(type_, values[operation])


def combine(site: Site, operation: str, left: Operand, right: Operand) -> Operand:
    """Lane by lane `left operation right`."""
    match operation:
        case "smin" | "smax" | "umin" | "umax":
            return site.block.add(Elementwise(operation, (left, right)))
        case "minnum" | "maxnum":
            return emit_min_max(site.block, operation, left, right, x86=site.context.target.architecture == "x86_64")
        case "fmin" | "fmax":
            # as the source: the new value replaces the old one only where it is strictly smaller (larger)
            better = site.block.compare("olt" if operation == "fmin" else "ogt", right, left)
            return site.block.select(better, right, left)
        case _:
            mode = site.context.fp if isinstance(lane_type(left), FloatType) else "strict"
            return site.block.add(Binary(cast(BinaryOp, operation), left, right, mode))


Values = tuple[Operand, ...]
"""Values that are folded together, all with the same lanes."""
Step = Callable[[Values, Values], Values]
"""Combines two of them, lane by lane."""


def fold(
    site: Site,
    step: Step,
    registers: Sequence[Sequence[tuple[Lanes, Operand]]],
    dimension: int,
    size: int,
    coordinates: Lanes,
) -> Values:
    """The partial results in `registers`, folded along `dimension` (`size` lanes), in the lanes of `coordinates`."""
    if is_scalar(coordinates) and len({tuple(lanes for lanes, _ in own) for own in registers}) == 1:
        wanted = {(*c[:dimension], k, *c[dimension + 1 :]) for c in _padded(coordinates, registers[0]) for k in range(size)}
        if {c for lanes, _ in registers[0] for c in lanes} == wanted:
            values = zip(*([value for _, value in own] for own in registers), strict=True)
            return _fold_all(site, step, [(len(r[0]), own) for r, own in zip(registers[0], values, strict=True)])
    parts = [
        tuple(pick(site, own, [(*c[:dimension], k, *c[dimension + 1 :]) for c in _padded(coordinates, own)]) for own in registers)
        for k in range(size)
    ]
    return reduce(step, parts)


def _padded(coordinates: Lanes, registers: Sequence[tuple[Lanes, Operand]]) -> list[Coordinate]:
    """Coordinates of full rank: the lanes of a uniform value names none."""
    rank = len(registers[0][0][0])
    return [c if c else (0,) * rank for c in coordinates]


def _fold_all(site: Site, step: Step, registers: list[tuple[int, Values]]) -> Values:
    """All lanes of all registers, in halves while lengths allow."""
    scalars: list[Values] = []
    for length in sorted({length for length, _ in registers}, reverse=True):
        total = reduce(step, [own for lanes, own in registers if lanes == length])
        while length > 1 and length % 2 == 0:
            half = length // 2
            low, high = (_lanes(site, total, range(start, start + half)) for start in (0, half))
            total, length = step(low, high), half
        scalars += [total] if length == 1 else [_lanes(site, total, range(k, k + 1)) for k in range(length)]
    return reduce(step, scalars)


def _lanes(site: Site, values: Values, lanes: range) -> Values:
    """Some lanes of vectors, as vectors or, when it is one lane, as scalars."""
    if len(lanes) == 1:
        return tuple(site.block.extract(value, lanes[0]) for value in values)
    return tuple(site.block.shuffle(value, None, lanes) for value in values)


def pick(site: Site, registers: Sequence[tuple[Lanes, Operand]], coordinates: Sequence[Coordinate]) -> Operand:
    """The lanes with these coordinates, as one vector or, for a single one, as a scalar."""
    place = {c: (r, lane) for r, (lanes, _) in enumerate(registers) for lane, c in enumerate(lanes)}
    known = next(iter(place))
    dimensions = [d for d in range(len(known)) if any(c[d] for c in place)]
    found = [place[tuple(x if d in dimensions else 0 for d, x in enumerate(c))] for c in coordinates]
    if len(found) == 1:
        register, lane = found[0]
        count = len(registers[register][0])
        return registers[register][1] if count == 1 else site.block.extract(registers[register][1], lane)
    width = max(len(found), *(len(lanes) for lanes, _ in registers))
    sources = [
        site.block.first_lane(value, width) if len(lanes) == 1 else widened(site, value, width) for lanes, value in registers
    ]
    return narrow(site, emit_network(site, sources, [tuple(found)], width, lane_type(registers[0][1]))[0], len(found))
