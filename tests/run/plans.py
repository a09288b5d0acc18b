"""The plans that run tests take."""

from __future__ import annotations

import itertools
from collections.abc import Iterable

from tensorrv.schedule.plan import Plan, parse_plan

PLANS = (
    "brush=1x8 tail=scalar", "brush=8 tail=mask", "brush=4x8", "brush=3x5 tail=peel", "brush=2x16", "brush=8x8 projection=0,1",
    "brush=7x3 tail=mask", "brush=2x2x8",
)  # fmt: skip
TAILS = ("auto", "mask", "peel", "scalar")
LONG_BRUSHES = (
    "3", "16", "1x8", "4x8", "4x8 projection=0,1", "5x1", "8x8", "8x8 projection=0,1", "7x3", "7x3 projection=0,1", "2x16",
    "2x16 projection=0,1", "3x6", "3x6 register_bits=128", "2x3x5", "2x3x5 projection=0,1,2", "2x3x5 projection=1,2,0", "2x2x8",
    "2x2x8 projection=2,0,1",
)  # fmt: skip
LONG_PLANS = tuple(f"brush={brush} tail={tail}" for brush, tail in itertools.product(LONG_BRUSHES, TAILS))


def parse_plans(texts: Iterable[str]) -> list[Plan]:
    return [parse_plan(text) for text in texts]
