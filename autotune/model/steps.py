"""The hot loop of assembly as the cost model sees it (`rv.cost.loop`)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from autotune.model.aarch64_steps import aarch64_steps
from autotune.model.counts import Counts, Work, hot_loop
from autotune.model.x86_steps import x86_step
from rv.cost.loop import Step, chain
from rv.target.description import machine_of
from rv.target.machine import Target


def steps_of(lines: Iterable[str], architecture: str) -> list[Step]:
    """The steps of the instructions among these lines."""
    if architecture != "x86_64":
        return [step for line in lines for step in aarch64_steps(line)]
    return [step for line in lines if (step := x86_step(line)) is not None]


def hot_steps(assembly: str, work: Work, lanes: int, element_bits: int, architecture: str) -> tuple[list[Step], Counts]:
    """The steps of one iteration of the hot loop, and its counts."""
    loop, counts = hot_loop(assembly, work, lanes, element_bits)
    return steps_of((line for block in loop.blocks for line in block), architecture), counts


def with_chain(assembly: str, work: Work, lanes: int, element_bits: int, target: Target) -> Counts:
    """Counts of the hot loop, with the cycles of its longest chain on the described core."""
    steps, counts = hot_steps(assembly, work, lanes, element_bits, target.architecture)
    return replace(counts, chain=chain(machine_of(target), steps))
