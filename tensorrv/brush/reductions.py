"""Partial results of reductions along brushed loops: identities, combination, and folding lanes when the loop ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from rv.ir.types import I1, FloatType, IntType, Type, bits_of
from rv.ir.values import Const, const_float, const_int
from rv.widen.lanes import Coordinate, Pattern, is_scalar
from rv.widen.llvm_text import type_text
from rv.widen.math_calls import emit_min_max
from rv.widen.operations import FLOAT_FLAGS
from tensorrv.brush.memory_lines import mangled
from tensorrv.brush.networks import emit_network, narrow, widened
from tensorrv.brush.site import Site


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


def combine(site: Site, operation: str, type_: Type, left: str, right: str, lanes: int) -> str:
    """Lane by lane `left operation right`."""
    text = type_text(type_, lanes)
    weight = site.weight(bits_of(type_), lanes)
    match operation:
        case "smin" | "smax" | "umin" | "umax":
            name = f"llvm.{operation}." + (mangled(type_) if lanes == 1 else f"v{lanes}{mangled(type_)}")
            site.llvm.declare(name, f"declare {text} @{name}({text}, {text})")
            return site.block.pure(f"call {text} @{name}({text} {left}, {text} {right})", [left, right], weight=weight)
        case "minnum" | "maxnum":
            assert isinstance(type_, FloatType)
            x86 = site.context.target.architecture == "x86_64"
            return emit_min_max(site.block, operation, type_, [left, right], lanes, weight, x86=x86)
        case "fmin" | "fmax":
            # as the source: the new value replaces the old one only where it is strictly smaller (larger)
            predicate = "olt" if operation == "fmin" else "ogt"
            better = site.block.pure(f"fcmp {predicate} {text} {right}, {left}", [left, right], weight=weight)
            return site.block.pure(
                f"select {type_text(I1, lanes)} {better}, {text} {right}, {text} {left}", [better, left, right], weight=weight
            )
        case _:
            flags = FLOAT_FLAGS[site.context.plan.fp] if isinstance(type_, FloatType) else ""
            return site.block.pure(f"{operation}{flags} {text} {left}, {right}", [left, right], weight=weight)


Values = tuple[str, ...]
"""Names of values that are folded together, one for each of some types, all with the same lanes."""
Step = Callable[[Values, Values, int], Values]
"""Combines two of them, lane by lane; the third argument is the number of lanes."""


def fold(
    site: Site,
    step: Step,
    types: Sequence[Type],
    registers: Sequence[Sequence[tuple[Pattern, str]]],
    dimension: int,
    size: int,
    pattern: Pattern,
) -> Values:
    """The partial results in `registers` (by type), folded along `dimension` (`size` lanes), in the lanes of `pattern`."""
    if is_scalar(pattern) and len({tuple(lanes for lanes, _ in own) for own in registers}) == 1:
        wanted = {(*c[:dimension], k, *c[dimension + 1 :]) for c in _padded(pattern, registers[0]) for k in range(size)}
        if {c for lanes, _ in registers[0] for c in lanes} == wanted:
            names = zip(*([name for _, name in own] for own in registers), strict=True)
            return _fold_all(site, step, types, [(len(r[0]), n) for r, n in zip(registers[0], names, strict=True)])
    parts = [
        tuple(
            pick(site, t, own, [(*c[:dimension], k, *c[dimension + 1 :]) for c in _padded(pattern, own)])
            for t, own in zip(types, registers, strict=True)
        )
        for k in range(size)
    ]
    result = parts[0]
    for part in parts[1:]:
        result = step(result, part, len(pattern))
    return result


def _padded(pattern: Pattern, registers: Sequence[tuple[Pattern, str]]) -> list[Coordinate]:
    """Coordinates of full rank: the pattern of a uniform value names none."""
    rank = len(registers[0][0][0])
    return [c if c else (0,) * rank for c in pattern]


def _fold_all(site: Site, step: Step, types: Sequence[Type], registers: list[tuple[int, Values]]) -> Values:
    """All lanes of all registers, in halves while lengths allow."""
    scalars: list[Values] = []
    for length in sorted({length for length, _ in registers}, reverse=True):
        names = [own for lanes, own in registers if lanes == length]
        total = names[0]
        for own in names[1:]:
            total = step(total, own, length)
        while length > 1 and length % 2 == 0:
            half = length // 2
            low, high = (_lanes(site, types, total, length, range(start, start + half)) for start in (0, half))
            total, length = step(low, high, half), half
        scalars += [total] if length == 1 else [_lanes(site, types, total, length, range(k, k + 1)) for k in range(length)]
    result = scalars[0]
    for scalar in scalars[1:]:
        result = step(result, scalar, 1)
    return result


def _lanes(site: Site, types: Sequence[Type], names: Values, length: int, lanes: range) -> Values:
    """Some lanes of vectors, as vectors or, when it is one lane, as scalars."""
    if len(lanes) == 1:
        return tuple(site.block.extract(n, t, length, lanes[0]) for t, n in zip(types, names, strict=True))
    return tuple(site.block.shuffle(n, "poison", t, length, list(lanes)) for t, n in zip(types, names, strict=True))


def pick(site: Site, type_: Type, registers: Sequence[tuple[Pattern, str]], coordinates: Sequence[Coordinate]) -> str:
    """The lanes with these coordinates, as one vector or, for a single one, as a scalar."""
    place = {c: (r, lane) for r, (lanes, _) in enumerate(registers) for lane, c in enumerate(lanes)}
    known = next(iter(place))
    dimensions = [d for d in range(len(known)) if any(c[d] for c in place)]
    found = [place[tuple(x if d in dimensions else 0 for d, x in enumerate(c))] for c in coordinates]
    if len(found) == 1:
        register, lane = found[0]
        count = len(registers[register][0])
        return registers[register][1] if count == 1 else site.block.extract(registers[register][1], type_, count, lane)
    width = max(len(found), *(len(lanes) for lanes, _ in registers))
    sources = []
    for lanes, name in registers:
        if len(lanes) == 1:
            sources.append(site.block.pure(f"insertelement {type_text(type_, width)} poison, {type_} {name}, i64 0", [name]))
        else:
            sources.append(widened(site, name, type_, len(lanes), width))
    return narrow(site, emit_network(site, sources, [tuple(found)], width, type_)[0], type_, width, len(found))
