"""Modules of the vector IR that the pipeline makes of C files."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from rv.target.machine import resolve_target
from rv.vector.function import Module
from tensorrv.brush.tensorize import tensorize
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import declared_arrays
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import SCALAR, Plan, parse_plan
from tensorrv.unit.unit import Unit

PLANS = (
    ("brush=4x8", "avx512"),
    ("brush=8", "neon"),
    ("brush=2x16 fp=fast", "avx2"),
    ("brush=8 threads=openmp", "skylake-avx512"),
)
"""Plans and targets; a file is tried under one of them, in turn."""


def module_of(function: Unit, plan: Plan, target: str) -> Module:
    """The vector IR of a function, scalar where it does not take the brush."""
    machine, arrays = resolve_target(target), declared_arrays(function)
    for own in (plan, replace(plan, brush=SCALAR, threads="none")):
        with contextlib.suppress(Refused):
            return tensorize(function.function, own, machine, lambda _: contextlib.nullcontext(), arrays=arrays).widened.module
    raise AssertionError("scalar code is never refused")


def modules(path: Path, number: int) -> Iterator[tuple[str, Module]]:
    """The functions of a file by name, under the plan with this number."""
    text, target = PLANS[number % len(PLANS)]
    for function in parse_c(path).functions:
        yield function.name, module_of(function, parse_plan(text), target)
