"""How often `x predicate bound` lets a loop go on, where x moves by a fixed step, modulo its width."""

from __future__ import annotations

from typing import Final

from tensorrv.interface.footprint.intervals import (
    CONSTANT,
    Form,
    Interval,
    Ranges,
    anything,
    number,
    plus,
    span_of,
    times,
    unsigned,
)
from tensorrv.interface.footprint.program import Count

ENDLESS: Final = 1 << 64
"""More iterations than any counter has values."""
MOST_WRAPS: Final = 256
"""How often a variable may wrap around before the loop is taken not to terminate."""


def iterations(count: Count, start: Interval, step: Interval, bound: Interval, ranges: Ranges) -> Interval:
    """The number of iterations for all starts and bounds in these intervals."""
    signed = count.extend == "s" or (not count.extend and (count.predicate[0] == "s" or count.predicate in ("eq", "ne")))
    if not signed:
        start = unsigned(start, count.bits)
    bound = bound if count.predicate[0] == "s" or count.predicate in ("eq", "ne") else unsigned(bound, count.width)
    if count.extend == "s" and count.predicate[0] == "u" and start.low < 0:
        return _of_negative(count, start, step, bound)
    if not step.single:
        return _of_any_step(count, start, step, bound)
    if start.single and bound.single:
        return number(_single(count, start.low, step.low, bound.low, signed=signed))
    return _of_intervals(count, start, step.low, bound, ranges, signed=signed)


def _of_negative(count: Count, start: Interval, step: Interval, bound: Interval) -> Interval:
    """Negative starts, which are extended to the largest unsigned numbers: above all bounds that are not negative themselves."""
    if count.predicate not in ("ult", "ule") or start.high >= 0:
        return Interval(0, ENDLESS)
    half = 1 << (count.width - 1)
    if bound.high < half:
        return number(0)
    if not (step.single and step.low > 0 and start.single and bound.single):
        return Interval(0, ENDLESS)
    return number(_single(count, start.low, step.low, bound.low - 2 * half, signed=True))


def _of_any_step(count: Count, start: Interval, step: Interval, bound: Interval) -> Interval:
    relation = count.predicate if count.predicate in ("eq", "ne") else count.predicate[1:]
    upwards, downwards = step.low > 0 and relation in ("lt", "le"), step.high < 0 and relation in ("gt", "ge")
    if not (upwards or downwards):
        return Interval(0, ENDLESS)
    way = bound.high - start.low if upwards else start.high - bound.low
    smallest = step.low if upwards else -step.high
    limit = anything(count.bits)
    room = limit.high - bound.high if upwards else bound.low - limit.low
    if not count.nsw and max(abs(step.low), abs(step.high)) > room:
        return Interval(0, ENDLESS)
    return Interval(0, max(0, -(-(way + relation.endswith("e")) // smallest)))


def _limits(count: Count, *, signed: bool) -> tuple[int, int]:
    half = 1 << (count.bits - 1)
    return (-half, half - 1) if signed else (0, 2 * half - 1)


def _single(count: Count, start: int, step: int, bound: int, *, signed: bool) -> int:
    """The exact number, through any number of wraps up to MOST_WRAPS."""
    low, high = _limits(count, signed=signed)
    relation = count.predicate if count.predicate in ("eq", "ne") else count.predicate[1:]
    done = 0
    for _ in range(MOST_WRAPS):
        if not _holds(relation, start, bound):
            return done
        if not step:
            return ENDLESS
        last = (high - start) // step if step > 0 else (start - low) // -step
        end = _first_failing(relation, start, step, bound)
        if end is not None and (end <= last or count.nsw):
            return done + end
        done += last + 1
        start = (start + (last + 1) * step - low) % (high - low + 1) + low
    return ENDLESS


def _holds(relation: str, x: int, bound: int) -> bool:
    return {"eq": x == bound, "ne": x != bound, "lt": x < bound, "le": x <= bound, "gt": x > bound, "ge": x >= bound}[relation]


def _first_failing(relation: str, start: int, step: int, bound: int) -> int | None:
    """The first c at which `start + c * step relation bound` is false, with no limit to numbers; it holds at 0."""
    match relation:
        case "eq":
            return 1
        case "ne":
            turns, rest = divmod(bound - start, step)
            return turns if rest == 0 and turns >= 0 else None
        case "lt" | "le":
            return -(-(bound + (relation == "le") - start) // step) if step > 0 else None
        case _:
            return -(-(start - bound + (relation == "ge")) // -step) if step < 0 else None


def _of_intervals(count: Count, start: Interval, step: int, bound: Interval, ranges: Ranges, *, signed: bool) -> Interval:
    low, high = _limits(count, signed=signed)
    relation = count.predicate if count.predicate in ("eq", "ne") else count.predicate[1:]
    if relation == "ne" and abs(step) == 1:
        relation = "lt" if step > 0 else "gt"
        if (bound.low < start.high) if step > 0 else (start.low < bound.high):
            way = _way(start, bound, step)
            if way is None or span_of(way, ranges)[0] < 0:
                return Interval(0, ENDLESS)
    upwards, downwards = step > 0 and relation in ("lt", "le"), step < 0 and relation in ("gt", "ge")
    strict = not relation.endswith("e")
    fits = bound.high + step - strict <= high if upwards else bound.low + step + strict >= low
    if not (upwards or downwards) or not (fits or count.nsw):
        return Interval(0, 0) if _never(relation, start, bound) else Interval(0, ENDLESS)
    way = _way(start, bound, step)
    extra, stride = int(relation.endswith("e")), abs(step)
    least, greatest = bound.low - start.high, bound.high - start.low
    if step < 0:
        least, greatest = start.low - bound.high, start.high - bound.low
    if way is not None:
        first, last = span_of(way, ranges)
        least, greatest = max(least, first), min(greatest, last)
    form: Form | None = None
    if way is not None and stride == 1 and least + extra >= 0:
        form = plus(way, {CONSTANT: extra})
    return Interval(max(0, -(-(least + extra) // stride)), max(0, -(-(greatest + extra) // stride)), form)


def _way(start: Interval, bound: Interval, step: int) -> Form | None:
    if start.form is None or bound.form is None:
        return None
    way = plus(bound.form, start.form, -1)
    return way if step > 0 else times(way, -1)


def _never(relation: str, start: Interval, bound: Interval) -> bool:
    """Whether the test fails at once for all starts and bounds."""
    match relation:
        case "lt":
            return start.low >= bound.high
        case "le":
            return start.low > bound.high
        case "gt":
            return start.high <= bound.low
        case "ge":
            return start.high < bound.low
        case "eq":
            return start.low > bound.high or start.high < bound.low
        case _:
            return start.single and bound.single and start.low == bound.low

