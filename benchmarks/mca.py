"""The cost model (`rv.cost.loop`) against llvm-mca, on the hot loops of all shipped kernels for described cores.

    python benchmarks/mca.py --cpu znver4 --kernel seidel9 --loops

For each core the rank correlation of the cycles of an iteration, and the median of the relative differences. llvm-mca (Debian's
llvm-19) has no model of its own for some cores: it takes Zen 5 for Zen 4 and Apple M1 for Cyclone, which these are not. Loops
that call functions are left out, since both see the call only.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from statistics import median

from llvm_mca import find_mca, mca_cycles

from autotune.measure.subject import element_bits, work_of
from autotune.model.counts import hot_loop
from autotune.model.prediction import rank_correlation
from autotune.model.steps import steps_of
from rv.cost.loop import Cycles, cycles
from rv.target.description import machine_of
from rv.target.machine import Target, resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel, shipped_kernels
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.diagnostics import Refused
from tensorrv.report.tables import show_table
from tensorrv.schedule.plan import Plan, parse_brush
from tensorrv.unit.unit import Unit

CPUS = (
    "sapphirerapids", "skylake-avx512", "haswell", "znver3", "znver4", "znver5", "neoverse-n1", "neoverse-v1", "neoverse-v2",
    "apple-m1",
)  # fmt: skip
BRUSHES = ("4x8", "16")
ITERATIONS = 100
CALL = re.compile(r"\s+(call|bl\s)")


@dataclass(frozen=True)
class Compared:
    """One loop: what llvm-mca says and what the model does."""

    kernel: str
    brush: str
    mca: float
    model: Cycles

    @property
    def error(self) -> float:
        return abs(self.model.total / self.mca - 1)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", action="append", metavar="NAME", help=f"a described core (default: {', '.join(CPUS)})")
    parser.add_argument("--kernel", action="append", metavar="NAME", help="a shipped kernel (default: all)")
    parser.add_argument("--loops", action="store_true", help="show every loop")
    given = parser.parse_args()
    mca = find_mca()
    if mca is None:
        print("llvm-mca is not installed (Debian: llvm-19)", file=sys.stderr)
        return 1
    rows = []
    for cpu in given.cpu or CPUS:
        found = list(compare(mca, given.kernel or shipped_kernels(), resolve_target(cpu)))
        if given.loops:
            for one in sorted(found, key=lambda one: -one.error):
                print(f"{cpu:15} {one.kernel:20} {one.brush:5} mca {one.mca:8.2f} model {one.model.total:8.2f} {one.model}")
        rows.append((cpu, str(len(found)), f"{correlation(found):.3f}", f"{100 * median(one.error for one in found):.1f} %"))
    show_table("the model against llvm-mca", ("core", "loops", "rank correlation", "median error"), rows)
    return 0


def correlation(found: Sequence[Compared]) -> float:
    return rank_correlation([(one.model.total, one.mca) for one in found])


def compare(mca: str, kernels: Sequence[str], target: Target) -> Iterator[Compared]:
    """The hot loop of each function of these kernels under each brush that it takes."""
    for function in (function for name in kernels for function in functions_of(name)):
        for brush in BRUSHES:
            lines = loop_of(function, brush, target)
            said = mca_cycles(mca, "\n".join(lines), target.cpu, target.triple, ITERATIONS) if lines else None
            if said is not None:
                yield Compared(function.name, brush, said, cycles(machine_of(target), steps_of(lines, target.architecture)))


def loop_of(function: Unit, brush: str, target: Target) -> list[str]:
    """The lines of the hot loop; none where the brush is refused, or functions are called."""
    plan = Plan(parse_brush(brush))
    try:
        assembly = compile_function(function, plan, target).module.assembly
    except Refused:
        return []
    loop = hot_loop(assembly, work_of(function), plan.brush.lanes, element_bits(function))
    lines = [line for block in loop.blocks for line in block]
    return [] if any(CALL.match(line) for line in lines) else lines


def functions_of(name: str) -> Sequence[Unit]:
    return [function for function in parse_c(find_kernel(name)).functions if not function.internal]


if __name__ == "__main__":
    sys.exit(main())
