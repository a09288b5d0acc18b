"""How long compilation takes on large inputs, by stage, and how it grows: `python benchmarks/compile_time.py [NAME...]`.

    python benchmarks/compile_time.py                      # all inputs
    python benchmarks/compile_time.py halo_update --brush auto
    python benchmarks/compile_time.py nested_ifs --size 100 --profile

Each input is compiled at its usual size and at half of it. `time` is processor time at the usual size; `growth` is that
of the calls of Python functions between the two, as a power of the size: 1 when work grows as the input does. Calls are counted
without LLVM's pipeline (`optimize`), and are the same on every machine.
"""

from __future__ import annotations

import argparse
import contextlib
import cProfile
import math
import pstats
import sys
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import partial
from types import FrameType
from typing import Final

import compile_time_inputs as inputs
from names import check_known

from autotune.automatic import compile_automatically
from rv.target.machine import Target, resolve_target
from tensorrv.brush.tensorize import tensorize
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import Kernel, compile_function, declared_arrays
from tensorrv.pipeline.stages import StageClock
from tensorrv.report.diagnostics import Refused
from tensorrv.schedule.plan import SCALAR, Plan, parse_brush
from tensorrv.unit.unit import Unit


@dataclass(frozen=True, slots=True)
class Input:
    """A generator of C text, its usual size, and the brush."""

    make: Callable[[int], str]
    size: int
    brush: str


INPUTS: Final[Mapping[str, Input]] = {
    "nested_ifs": Input(inputs.nested_ifs, 300, "8"),
    "chained_ifs": Input(inputs.chained_ifs, 70, "8"),
    "small_loops": Input(inputs.small_loops, 40, "8"),
    "deep_loops": Input(inputs.deep_loops, 60, "8"),
    "gotos": Input(inputs.gotos, 200, "8"),
    "straight_line": Input(inputs.straight_line, 2000, "8"),
    "many_stores": Input(inputs.many_stores, 200, "8"),
    "many_arrays": Input(inputs.many_arrays, 50, "8"),
    "many_outputs": Input(inputs.many_outputs, 50, "8"),
    "many_outputs_may_alias": Input(partial(inputs.many_outputs, qualifier=""), 20, "8"),
    "box_stencil": Input(inputs.box_stencil, 9, "4x8"),
    "clamped_box": Input(inputs.clamped_box, 2, "4x8"),
    "guarded_box": Input(inputs.guarded_box, 2, "4x8"),
    "nested_loops": Input(inputs.nested_loops, 40, "4x8"),
    "weighted_star_2": Input(partial(inputs.weighted_stencils, reach=2, star=True), 2, "4x8"),
    "weighted_box_2": Input(partial(inputs.weighted_stencils, reach=2, star=False), 2, "4x8"),
    "weighted_star_4": Input(partial(inputs.weighted_stencils, reach=4, star=True), 2, "4x8"),
    "weighted_box_4": Input(partial(inputs.weighted_stencils, reach=4, star=False), 2, "4x8"),
    "block_solver": Input(inputs.block_solver, 64, "4x8"),
    "halo_update": Input(inputs.halo_update, 60, "4x8"),
    "conditional_copies": Input(inputs.conditional_copies, 40, "4x8"),
    "products": Input(inputs.products, 24, "4x8"),
    "branching_nests": Input(inputs.branching_nests, 24, "4x8"),
    "boundary_functions": Input(inputs.boundary_functions, 85, "4x8"),
}


def _compiled(text: str, brush: str, target: Target) -> Mapping[str, float]:
    """Seconds by stage, in all functions together."""
    clock = StageClock()
    with clock.stage("read C"):
        functions = parse_c("<generated>", text=text).functions
    found: Counter[str] = Counter({stage.stage: stage.seconds for stage in clock.times})
    for function in functions:
        for time_ in _kernel(function, brush, target).times:
            found[time_.stage] += time_.seconds
    return found


def _kernel(function: Unit, brush: str, target: Target) -> Kernel:
    if brush == "auto":
        return compile_automatically(function, Plan(SCALAR), target, {})
    return compile_function(function, Plan(parse_brush(brush) or SCALAR), target)


def function_calls(text: str, brush: str, target: Target) -> int:
    """How many Python functions are called up to LLVM's pipeline."""
    calls = 0

    def count_call(frame: FrameType, event: str, argument: object) -> None:
        nonlocal calls
        calls += event == "call"

    plan, stage = Plan(parse_brush(brush) or SCALAR), StageClock().stage
    sys.setprofile(count_call)
    try:
        for function in parse_c("<generated>", text=text).functions:
            tensorize(function.function, plan, target, stage, arrays=declared_arrays(function))
    finally:
        sys.setprofile(None)
    return calls


def _row(name: str, size: int, brush: str, target: Target) -> str:
    own = INPUTS[name]
    start = time.process_time()
    times = _compiled(own.make(size), brush, target)
    seconds = time.process_time() - start
    counted = own.brush if brush == "auto" else brush
    many, few = (function_calls(own.make(s), counted, target) for s in (size, max(1, size // 2)))
    growth = math.log(many / few) / math.log(size / max(1, size // 2)) if size > 1 else 0.0
    stages = "  ".join(f"{stage} {own_time:.2f}" for stage, own_time in times.items())
    return f"{name:24}{size:6}{brush:>6}{seconds:8.2f} s{many / 1e6:8.2f} M calls{growth:7.2f}   {stages}"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"one of {', '.join(INPUTS)}")
    parser.add_argument("--profile", action="store_true", help="print what takes the time")
    parser.add_argument("--size", type=int, help="in place of the usual sizes")
    parser.add_argument("--brush", help="in place of the usual brushes; `auto` too")
    parser.add_argument("--target", default="avx512")
    options = parser.parse_args()
    check_known(parser, options.names, INPUTS)
    target = resolve_target(options.target)
    print(f"{'input':24}{'size':>6}{'brush':>6}{'time':>10}{'calls':>16}{'growth':>7}   seconds by stage")
    for name in options.names or INPUTS:
        size, brush = options.size or INPUTS[name].size, options.brush or INPUTS[name].brush
        with cProfile.Profile() if options.profile else contextlib.nullcontext() as profile:
            try:
                print(_row(name, size, brush, target), flush=True)
            except Refused as refusal:
                print(f"{name:24}{size:6}{brush:>6} refused: {refusal.diagnostics[0].message}", flush=True)
        if isinstance(profile, cProfile.Profile):
            pstats.Stats(profile).sort_stats("cumulative").print_stats(70)


if __name__ == "__main__":
    main()
