"""The ways in which a schedule can reverse two iterations, against all pairs of a small box."""

import random
from itertools import product

import pytest

from tensorrv.schedule.comparison import ways_to_differ
from tensorrv.schedule.schedule import Dimension, Schedule
from tensorrv.schedule.text import parse_schedule

RANGE = range(5)


def iterations(loops):
    return [dict(zip(loops, counters, strict=True)) for counters in product(RANGE, repeat=len(loops))]


def time(dimension, own, iteration):
    return (iteration[own] + sum(factor * iteration[loop] for loop, factor in dimension.skew)) // dimension.size


def vectors(schedule, source, sink, one, other):
    """The times of both in the dimensions that both have, with what kind each is."""
    for dimension in schedule.dimensions:
        left = [loop for loop in source if loop in dimension.loops]
        right = [loop for loop in sink if loop in dimension.loops]
        if left and right:
            yield dimension.kind, time(dimension, left[0], one), time(dimension, right[0], other)


def is_reversed(schedule, source, sink, one, other, textual):
    """Whether the new order has `one` not before `other`; `textual`: whether it stands before it in the text."""
    for kind, first, second in vectors(schedule, source, sink, one, other):
        if first != second:
            return kind == "parallel" or first > second
    return not textual


def holds(way, common, one, other):
    """Whether a pair satisfies the constraints of a way."""
    level = len(common) if way.level is None else way.level
    if any(one[loop] != other[loop] for loop in common[:level]):
        return False
    if way.level is not None and one[common[level]] >= other[common[level]]:
        return False
    if any(time(s.dimension, s.source, one) != time(s.dimension, s.sink, other) for s in way.equal):
        return False
    if way.back is None:
        return True
    first = time(way.back.dimension, way.back.source, one)
    second = time(way.back.dimension, way.back.sink, other)
    return first < second if way.relation == "earlier" else first > second


def check(schedule, source, sink):
    """`source` stands before `sink` in the text where both are in no loop that the other is not in."""
    common = tuple(loop for loop in source if loop in sink)
    ways = tuple(ways_to_differ(schedule, source, sink, source))
    for one, other in product(iterations(source), iterations(sink)):
        before = [one[loop] for loop in common] < [other[loop] for loop in common]
        same = all(one[loop] == other[loop] for loop in common)
        for textual in (False, True) if before else (True,) if same else ():
            possible = [way for way in ways if way.back is not None or not textual]
            found = any(holds(way, common, one, other) for way in possible)
            assert found == is_reversed(schedule, source, sink, one, other, textual), (str(schedule), one, other, textual)


CASES = [
    ("j brush 2; i brush 3", "j i", "j i"),
    ("i sequential; j sequential", "j i", "j i"),
    ("j tile 2; i tile 3; j sequential; i sequential", "j i", "j i"),
    ("i tile 2; j sequential; i brush 2", "j i", "j i"),
    ("j parallel; i sequential", "j i", "j i"),
    ("i parallel; j sequential", "j i", "j i"),
    ("j sequential; i skewed 1 by 1*j", "j i", "j i"),
    ("i skewed 2 by 2*j; j sequential; i sequential", "j i", "j i"),
    ("j sequential; a+b sequential", "j a", "j b"),
    ("a+b tile 2; j sequential; a+b sequential", "j a", "j b"),
    ("a+b parallel", "a", "b"),
    ("a+b brush 2", "a", "b"),
    ("j brush 2; i sequential", "j", "j i"),
]


@pytest.mark.parametrize(("text", "source", "sink"), CASES)
def test_ways_cover_the_reversed_pairs_and_no_others(text, source, sink):
    check(parse_schedule(text), tuple(source.split()), tuple(sink.split()))


def random_schedule(rng, loops):
    """Tiles in any order, then every loop in any order."""
    order = rng.sample(loops, len(loops))
    tiled = rng.sample(order, rng.randint(0, len(order)))
    found = [Dimension((loop,), "tile", rng.randint(2, 3)) for loop in tiled]
    if rng.random() < 0.3:
        loop, other = rng.sample(loops, 2)
        found.append(Dimension((loop,), "skewed", rng.randint(1, 3), ((other, rng.choice([-1, 1, 2])),)))
    for loop in order:
        kind = rng.choice(["sequential", "sequential", "brush", "parallel"])
        found.append(Dimension((loop,), kind, rng.randint(1, 3) if kind == "brush" else 1))
    return Schedule(tuple(found))


def test_random_schedules():
    rng = random.Random(11)
    for _ in range(60):
        loops = ["j", "i"] if rng.random() < 0.8 else ["k", "j", "i"]
        check(random_schedule(rng, loops), tuple(loops), tuple(loops))
