"""A loop of assembly as the cost model sees it (`rv.cost.loop`)."""

from __future__ import annotations

from collections.abc import Iterable

from autotune.model.aarch64_steps import aarch64_step
from autotune.model.x86_steps import x86_step
from rv.cost.loop import Step


def steps_of(lines: Iterable[str], architecture: str) -> list[Step]:
    """The steps of the instructions among these lines."""
    decode = x86_step if architecture == "x86_64" else aarch64_step
    return [step for line in lines if (step := decode(line)) is not None]
