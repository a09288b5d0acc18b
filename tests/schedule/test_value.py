"""Schedules as values: their text form, and what is no schedule."""

import pytest

from tensorrv.schedule.schedule import Dimension, Schedule, ScheduleError, in_order
from tensorrv.schedule.text import parse_schedule

TEXTS = [
    "",
    "k sequential",
    "j brush 4; i brush 8",
    "j tile 64; i tile 512; k sequential; j brush 4; i brush 8; dy inside; dx inside",
    "t skewed 16 by 1*t.1; i skewed 32 by 2*t+-1*j; t sequential; i brush 8",
    "j+j.1 parallel; j+j.1 brush 1; i+i.1 brush 8",
]


@pytest.mark.parametrize("text", TEXTS)
def test_text_round_trips(text):
    schedule = parse_schedule(text)
    assert str(schedule) == text
    assert parse_schedule(str(schedule)) == schedule


def test_dimensions_are_what_the_text_says():
    j, i, k = parse_schedule("j tile 64; i skewed 8 by 2*j; k inside").dimensions
    assert j == Dimension(("j",), "tile", 64)
    assert i == Dimension(("i",), "skewed", 8, (("j", 2),))
    assert k == Dimension(("k",), "inside")


@pytest.mark.parametrize(
    "text",
    [
        "j",
        "j brush",
        "j brush 0",
        "j sequential 4",
        "j wavefront",
        "j tile 8 by 2*i",
        "j skewed 8",
        "j skewed 8 by 2i",
        "j brush 4; j brush 8",
        "j sequential; j inside",
        "4 brush 4",
        "j brush 4;",
    ],
)
def test_nonsense_is_refused(text):
    with pytest.raises(ScheduleError):
        parse_schedule(text)


def test_sizes_of_the_brush_change_alone():
    schedule = parse_schedule("j tile 64; j brush 4; i brush 8; k inside")
    assert str(schedule.with_brush({"j": 1, "k": 7})) == "j tile 64; j brush 1; i brush 8; k inside"
    assert [schedule.size(loop) for loop in "jik"] == [4, 8, 1]


def test_loops_get_other_names():
    schedule = parse_schedule("for.j tile 64; for.i skewed 8 by 1*for.j")
    assert str(schedule.named(lambda label: label.removeprefix("for."))) == "j tile 64; i skewed 8 by 1*j"


def test_the_order_of_the_source():
    assert in_order(("j", "i")) == Schedule((Dimension(("j",)), Dimension(("i",))))
