"""Predictions for plans that were not measured: Gaussian-process regression of the cost model's errors.

The logarithm of measured over predicted time is taken as one unknown factor for the kernel, which does not affect the
order of plans, plus one for each choice besides the brush, plus a power of the number of lanes, since the model sees neither
latencies nor what loops cost, plus a smooth function of the plan: plans that differ by little are wrong by nearly the same
factor. The posterior gives each plan an expected time and how uncertain it is (Rasmussen and Williams, Gaussian Processes for
Machine Learning, section 2.2).
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Final

import numpy as np
from numpy.typing import NDArray

from autotune.space import Candidate
from tensorrv.schedule.plan import Plan, parse_plan

SCALE: Final = 20.0  # standard deviation of the kernel's factor, in logarithms: it may be a number of points as well
ERROR: Final = 0.15  # standard deviation of the model's error from brush to brush
CHOICE: Final = 0.15  # the same of what any other choice does to all brushes
TREND: Final = 0.07  # the same of what doubling the lanes does to all brushes
NOISE: Final = 0.02  # of a measurement
REACH: Final = 1.0  # distance of plans over which errors are related


@dataclass(frozen=True, slots=True)
class Point:
    """Where a candidate lies in the space: logarithms of its brush's sizes, innermost first, and its other choices."""

    sizes: tuple[float, ...]
    choices: tuple[object, ...]

    def distance(self, other: Point) -> float:
        """Steps between two candidates: doubling a size is one, another choice is one."""
        rank = max(len(self.sizes), len(other.sizes))
        mine, theirs = (p.sizes + (0.0,) * (rank - len(p.sizes)) for p in (self, other))
        squares = sum((a - b) ** 2 for a, b in zip(mine, theirs, strict=True))
        return math.sqrt(squares + sum(a != b for a, b in zip(self.choices, other.choices, strict=True)))

    @property
    def lanes(self) -> float:
        """The logarithm of their number."""
        return sum(self.sizes)

    def in_common(self, other: Point) -> int:
        """The number of choices besides the brush that are the same."""
        return sum(a == b for a, b in zip(self.choices, other.choices, strict=True))


def point_of(candidate: Candidate) -> Point:
    plan = parse_plan(candidate.plan)
    others = tuple(getattr(plan, field.name) for field in fields(Plan) if field.name != "brush")
    return Point(tuple(math.log2(size) for size in reversed(plan.brush.sizes)), (*others, candidate.threads))


@dataclass(frozen=True, slots=True)
class Expected:
    """The logarithm of a time, and its standard deviation as far as it differs from plan to plan."""

    mean: float
    deviation: float


def expected_times(predicted: Mapping[Candidate, float], measured: Mapping[Candidate, float]) -> dict[Candidate, Expected]:
    """What to expect of every candidate that has a prediction, from the measured times of some of them, in the same unit."""
    candidates = list(predicted)
    points = [point_of(candidate) for candidate in candidates]
    known = [k for k, candidate in enumerate(candidates) if candidate in measured]
    prior = np.array([math.log(predicted[candidate]) for candidate in candidates])
    if not known:
        return {c: Expected(float(mean), ERROR) for c, mean in zip(candidates, prior, strict=True)}
    between = _covariance(points, [points[k] for k in known])
    inside = between[known] + NOISE**2 * np.eye(len(known))
    wrong = np.array([math.log(measured[candidates[k]]) for k in known]) - prior[known]
    weights = np.linalg.solve(inside, between.T)
    means = prior + weights.T @ wrong
    alone = np.array([_covariance([point], [point])[0, 0] for point in points])
    variances = alone - np.einsum("ij,ji->i", between, weights)
    return {
        candidate: Expected(float(mean), math.sqrt(max(0.0, float(variance))))
        for candidate, mean, variance in zip(candidates, means, variances, strict=True)
    }


def _covariance(left: Sequence[Point], right: Sequence[Point]) -> NDArray[np.float64]:
    distances = np.array([[one.distance(other) for other in right] for one in left])
    alike = np.array([[one.in_common(other) for other in right] for one in left])
    trend = TREND**2 * np.outer([one.lanes for one in left], [other.lanes for other in right])
    result: NDArray[np.float64] = SCALE**2 + CHOICE**2 * alike + trend + ERROR**2 * np.exp(-((distances / REACH) ** 2) / 2)
    return result
