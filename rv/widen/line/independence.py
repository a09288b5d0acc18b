"""Whether several iterations of a loop may run in lock step, as far as memory goes; what must be tested at run time for that.

All lanes run one instruction before any lane runs the next. So of two accesses to the same address in iterations less than a line
of lanes apart, at least one of them a store, the one in the earlier iteration must come first in the body too. Lanes of one
store store in order. Two addresses are compared by their closed forms: `base + offset`, where `offset` moves by a constant
from iteration to iteration.

Two bases may lead to the same memory unless a parameter is `restrict` or one of them is a stack object that the other does not
lead to. Then the ranges of addresses that the loop accesses through them are compared before the loop.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Literal

from rv.evolution.bounds import Bounds, CounterRange, bounds_of
from rv.evolution.facts import Footprint, Legal, Loop, LoopFacts
from rv.evolution.polynomial import Polynomial, counter
from rv.evolution.within import conditions_of
from rv.ir.instructions import Load, Store
from rv.ir.types import I8, size_of
from rv.ir.values import Value, Var
from rv.widen.line.obstacles import CannotVectorize


@dataclass(frozen=True, slots=True)
class LineAccess:
    """A load or store of `size` bytes, `offset` bytes behind a pointer `array`; None where that is no closed form."""

    block: str
    position: int
    kind: Literal["load", "store"]
    array: Var
    offset: Polynomial | None
    size: int


def accesses_in(facts: LoopFacts, loop: Loop) -> tuple[LineAccess, ...]:
    """The accesses of a loop (facts from `facts_within`), but for those of stack objects of its iterations."""
    local = {name for name in facts.objects.allocas if facts.defined_in[name] in loop.blocks}
    return tuple(access for access in _all(facts, loop) if not facts.objects.of(access.array).objects & local)


def _all(facts: LoopFacts, loop: Loop) -> Iterator[LineAccess]:
    for block in facts.function.blocks:
        for position, instruction in enumerate(block.body if block.label in loop.blocks else ()):
            match instruction:
                case Load(result=result, pointer=pointer):
                    array, offset = _place(facts, pointer)
                    yield LineAccess(block.label, position, "load", array, offset, size_of(result.type))
                case Store(value=value, pointer=pointer):
                    array, offset = _place(facts, pointer)
                    yield LineAccess(block.label, position, "store", array, offset, size_of(value.type))
                case _:
                    pass


def _place(facts: LoopFacts, pointer: Value) -> tuple[Var, Polynomial | None]:
    if not isinstance(pointer, Var):
        raise CannotVectorize(f"an access of @{facts.function.name} is at the constant address {pointer}")
    form = facts.pointers.get(pointer.name)
    return (pointer, None) if form is None else (form.base, form.offset)


def lock_step(facts: LoopFacts, loop: Loop, lanes: int, *, independent: bool, no_alias: bool) -> tuple[Legal, bool]:
    """What must hold at run time for so many lanes in lock step, and whether arrays are known not to overlap then.

    `independent`: guaranteed by the caller for iterations; `no_alias`: for pointer parameters. Raises CannotVectorize.
    """
    conditions = tuple(conditions_of(facts.loops, loop))
    if independent:
        return Legal(conditions, ()), False
    accesses = accesses_in(facts, loop)
    stored = {access.array for access in accesses if access.kind == "store"}
    order = {(block.label, k): (n, k) for n, block in enumerate(facts.function.blocks) for k in range(len(block.body))}
    for array in stored:
        own = sorted((a for a in accesses if a.array == array), key=lambda a: order[a.block, a.position])
        pairs = [*combinations(own, 2), *((a, a) for a in own if _shares_loop(facts, loop, a, a))]
        for first, second in pairs:
            if "store" in (first.kind, second.kind):
                _check(facts, loop, lanes, first, second)
    arrays = list(dict.fromkeys(access.array for access in accesses))
    near = [(a, b) for a, b in combinations(arrays, 2) if stored & {a, b} and not _apart(facts, a, b, no_alias)]
    found = {array: _footprint(facts, loop, [a for a in accesses if a.array == array]) for pair in near for array in pair}
    return Legal(conditions, tuple((found[a], found[b]) for a, b in near)), True


def _check(facts: LoopFacts, loop: Loop, lanes: int, first: LineAccess, second: LineAccess) -> None:
    """`first` comes before `second` in the body: no lane may reach by it what an earlier lane reaches by `second`.

    In a loop inside that both are in, each also comes before the other one's next iteration.
    """
    span = _span(facts, loop, first, second)
    together = _shares_loop(facts, loop, first, second)
    if span is None:
        where = f"%{first.array.name} in blocks {first.block} and {second.block}"
        raise CannotVectorize(f"iterations of the {loop.called} may access the same memory through {where}")
    for lane in (*range(1, lanes), *(range(-1, -lanes, -1) if together else ())):
        if not span.is_apart(lane):
            raise CannotVectorize(
                f"an access through %{first.array.name} in block {first.block} and the one in block {second.block} may meet in "
                f"iterations of the {loop.called} that are {abs(lane)} apart"
            )


@dataclass(frozen=True, slots=True)
class _Span:
    """How far one access is from another in the same iteration of the loop, at least and at most, in bytes.

    From iteration to iteration both move by `stride`; `sizes` are those of the two accesses.
    """

    bounds: Bounds
    low: Polynomial
    high: Polynomial
    stride: Polynomial
    sizes: tuple[int, int]

    def is_apart(self, lane: int) -> bool:
        """Whether the accesses do not meet when the first one's iteration is `lane` behind the second one's."""
        moved = self.stride * lane
        above = self.low + moved - self.sizes[1]
        below = -(self.high + moved + self.sizes[0])
        return self.bounds.proves(above) or self.bounds.proves(below)


def _span(facts: LoopFacts, loop: Loop, first: LineAccess, second: LineAccess) -> _Span | None:
    if first.offset is None or second.offset is None:
        return None
    own = counter(loop.header)
    stride = first.offset.coefficient(own)
    rest = first.offset - Polynomial.symbol(own) * stride, second.offset - Polynomial.symbol(own) * stride
    if own in stride.symbols or any(own in part.symbols for part in rest):
        return None
    inside = [_counters(facts, loop, access.block)[:-1] for access in (first, second)]
    here = [bounds_of(counters, facts.bits) for counters in inside]
    if any(counter.symbol in stride.symbols for counters in inside for counter in counters):
        return None
    ends = [(bounds.lower(part), bounds.upper(part)) for bounds, part in zip(here, rest, strict=True)]
    (low, high), (other_low, other_high) = ends
    if low is None or high is None or other_low is None or other_high is None:
        return None
    known = bounds_of((), facts.bits, tuple(c.distance - 1 for own in inside for c in own if c.distance is not None))
    return _Span(known, low - other_high, high - other_low, stride, (first.size, second.size))


def _shares_loop(facts: LoopFacts, loop: Loop, first: LineAccess, second: LineAccess) -> bool:
    """Whether two accesses are in one loop inside `loop`."""
    inside = [own for own in facts.loops.values() if own.blocks < loop.blocks]
    return any(first.block in own.blocks and second.block in own.blocks for own in inside)


def _apart(facts: LoopFacts, left: Var, right: Var, no_alias: bool) -> bool:
    if not facts.objects.of(left).meets(facts.objects.of(right)):
        return True
    found = {p.var: p for p in facts.function.parameters}
    if left not in found or right not in found:
        return False
    return no_alias or found[left].restrict or found[right].restrict or (found[left].own and found[right].own)


def _footprint(facts: LoopFacts, loop: Loop, accesses: Sequence[LineAccess]) -> Footprint:
    """The bytes that one array's accesses reach while the loop runs."""
    array = accesses[0].array
    ends: list[tuple[Polynomial, Polynomial]] = []
    for access in accesses:
        bounds = bounds_of(_counters(facts, loop, access.block), facts.bits)
        offset = access.offset
        low = None if offset is None else bounds.lower(offset)
        high = None if offset is None else bounds.upper(offset)
        if low is None or high is None or facts.defined_in[array.name] in loop.blocks:
            reached = f"the range that the {loop.called} accesses through %{array.name} is not known before it"
            raise CannotVectorize(f"{reached}, and other pointers may lead there: is it restrict?")
        ends.append((low, high + (access.size - 1)))
    low, high = ends[0]
    for other_low, other_high in ends[1:]:
        below, above = (low - other_low).as_constant, (other_high - high).as_constant
        if below is None or above is None:
            raise CannotVectorize(f"accesses through %{array.name} do not compare: is it restrict?")
        low, high = (other_low if below > 0 else low), (other_high if above > 0 else high)
    return Footprint(array, I8, low, high, written=any(access.kind == "store" for access in accesses))


def _counters(facts: LoopFacts, loop: Loop, label: str) -> tuple[CounterRange, ...]:
    """The loops around a block up to `loop`, innermost first."""
    found: list[CounterRange] = []
    header = facts.innermost.get(label)
    while header is not None:
        trip = facts.loops[header].trip
        step, distance = (1, None) if trip is None else (abs(trip.step), trip.distance)
        found.append(CounterRange(counter(header), step, distance))
        if header == loop.header:
            break
        header = facts.loops[header].parent
    return tuple(found)
