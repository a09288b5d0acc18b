"""Two schedules compared: the cases in which a pair of iterations is reordered.

The source runs iterations by the counters of the loops around both, then by the text. So a pair whose source comes before its
sink either first differs in one of these common loops (`level`), where the source's counter is smaller, or in none. The new
time orders the pair otherwise where, behind dimensions in which both have equal time, one has the source later (`back`), or
where all dimensions are equal and the text has the source last. In a parallel dimension any difference is too much.

For each way there is one convex set of pairs, which isl decides (`tensorrv.nest.legality.dependence`).
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from typing import Literal

from tensorrv.schedule.schedule import Dimension, Schedule

Relation = Literal["later", "earlier"]


@dataclass(frozen=True, slots=True)
class Step:
    """A dimension that both iterations have, with the loops that it is on the source's side and on the sink's.

    In a dimension of kind apart a side that is in none of its loops has none.
    """

    dimension: Dimension
    source: str
    sink: str


@dataclass(frozen=True, slots=True)
class Way:
    """Common loop `level` is the first whose counters differ, if any; both have equal time in the steps `equal`.

    Then the source's time in `back` is later, or earlier in a parallel dimension. Without `back` there is no difference: both
    run at once.
    """

    level: int | None
    equal: tuple[Step, ...]
    back: Step | None
    relation: Relation = "later"


def common_loops(source: tuple[str, ...], sink: tuple[str, ...]) -> tuple[str, ...]:
    """The loops around two accesses both of which have these loops around them, outermost first."""
    count = 0
    while count < min(len(source), len(sink)) and source[count] == sink[count]:
        count += 1
    return source[:count]


def ways_to_differ(
    schedule: Schedule, source: tuple[str, ...], sink: tuple[str, ...], carrying: Collection[str]
) -> Iterator[Way]:
    """All cases for accesses with these loops around them; only loops `carrying` have dependences between their iterations."""
    common = common_loops(source, sink)
    steps = tuple(_shared(schedule, source, sink))
    for level, loop in enumerate(common):
        if loop in carrying:
            yield from _ways(steps, common, level)
    if any(step.source != step.sink for step in steps):
        yield from _ways(steps, common, None)


def _shared(schedule: Schedule, source: tuple[str, ...], sink: tuple[str, ...]) -> Iterator[Step]:
    for dimension in schedule.dimensions:
        left = next((loop for loop in source if loop in dimension.loops), None)
        right = next((loop for loop in sink if loop in dimension.loops), None)
        if dimension.kind == "apart":
            yield Step(dimension, left or "", right or "")
            continue
        skewing = {loop for loop, _ in dimension.skew}
        if left is not None and right is not None and skewing.issubset(source) and skewing.issubset(sink):
            yield Step(dimension, left, right)


def _ways(steps: tuple[Step, ...], common: tuple[str, ...], level: int | None) -> list[Way]:
    """Those with one first difference; that both run at once stands first."""
    found: list[Way] = []
    equal: list[Step] = []
    for step in steps:
        sign = _sign(step, common, level)
        if sign == "equal":
            continue
        if sign == "later":
            return [*found, Way(level, tuple(equal), step)]
        if sign == "unknown":
            found.append(Way(level, tuple(equal), step))
        if step.dimension.kind == "parallel":
            found.append(Way(level, tuple(equal), step, "earlier"))
        if sign == "earlier" and step.dimension.size == 1:
            return found
        equal.append(step)
    return found if level is None else [Way(level, tuple(equal), None), *found]


def _sign(step: Step, common: tuple[str, ...], level: int | None) -> Literal["equal", "earlier", "later", "unknown"]:
    """What the first difference implies for the source's counter in a dimension: not later, for `earlier`."""
    if step.dimension.kind == "apart":
        if bool(step.source) == bool(step.sink):
            return "equal"
        return "later" if step.source else "earlier"
    if step.dimension.skew or step.source != step.sink or step.source not in common:
        return "unknown"
    position = common.index(step.source)
    if level is None or position < level:
        return "equal"
    return "earlier" if position == level else "unknown"
