"""What is known about a candidate: what the compiler made of it, and what running it showed. Plain values that are pickled."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from autotune.model.counts import Counts
from autotune.model.traffic import Traffic
from autotune.space import Candidate

Failure = Literal["refused", "different", "crashed", "hung"]


@dataclass(frozen=True, slots=True)
class Job:
    """A question to a worker. `subject` is a pickled `Subject`. No samples: only compile and count.

    Whatever is sampled is compared with the scalar code first.
    """

    subject: bytes
    candidate: Candidate
    samples: int


@dataclass(frozen=True, slots=True)
class Compiled:
    """`code` identifies the machine code; `counts` are the instructions of its hot loop, `traffic` the lines that it moves."""

    code: str
    counts: Counts
    traffic: Traffic


@dataclass(frozen=True, slots=True)
class Sampled:
    """Nanoseconds of a call, one number per sample; `ulps` is the greatest distance from the scalar code's results.

    `together`: the same for arrays at equal offsets in their pages.
    """

    nanoseconds: tuple[float, ...]
    ulps: int = 0
    together: tuple[float, ...] = ()


@dataclass(frozen=True, slots=True)
class Failed:
    """Why the candidate is out: the plan is refused for this kernel, its results differ, or its process crashed or hung."""

    status: Failure
    reason: str


Outcome = Compiled | Sampled | Failed
