"""Cycles of a stencil's point on described cores, by llvm-mca, beside the least that the ports of the core allow.

    python benchmarks/ports.py --cpu znver4 --cpu sapphirerapids --kernel seidel9

For each kernel and core the best of several brushes: what llvm-mca (Debian's llvm-19) says of the steady-state loop, and the
cycles for which its additions and multiplications keep their ports (`rv.cost.ports`). llvm-mca 19 takes Zen 5 for Zen 4.
"""

from __future__ import annotations

import argparse
import re
import sys
from collections import Counter
from dataclasses import dataclass

from llvm_mca import find_mca, mca_cycles
from names import check_known

from autotune.model.hot_loop import innermost_loops
from rv.cost.ports import least_cycles
from rv.target.description import Operation, machine_of
from rv.target.machine import Target, resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel, shipped_kernels
from tensorrv.pipeline.kernel import compile_function
from tensorrv.report.tables import show_table
from tensorrv.schedule.plan import Plan, parse_brush
from tensorrv.unit.unit import Unit

KERNELS = ("jacobi5", "seidel9", "jacobi9", "seidel25", "sparse_jacobi5")
CPUS = ("znver4", "znver5", "sapphirerapids", "skylake-avx512", "haswell", "neoverse-n1", "neoverse-v2")
BRUSHES = ("4x8", "8x8", "4x16", "8x16")
ITERATIONS = 100
STORE = re.compile(r"v?mov[aun]\w*p[sd]\s+%[xyz]mm\d+, (?!.*%rsp)|\bst[pr]\s+q(?!.*\bsp\b)")


@dataclass(frozen=True)
class Loop:
    """Cycles of one point by llvm-mca, the least for its arithmetic, and accesses of the stack in the loop."""

    cycles: float
    least: float
    spills: int
    brush: str


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", action="append", metavar="NAME", help=f"a described core (default: {', '.join(CPUS)})")
    parser.add_argument("--kernel", action="append", metavar="NAME", help=f"a shipped kernel (default: {', '.join(KERNELS)})")
    given = parser.parse_args()
    check_known(parser, given.kernel, list(shipped_kernels()))
    mca = find_mca()
    if mca is None:
        print("llvm-mca is not installed (Debian: llvm-19)", file=sys.stderr)
        return 1
    rows = []
    for cpu in given.cpu or CPUS:
        target = resolve_target(cpu)
        for name in given.kernel or KERNELS:
            best = min((found for brush in BRUSHES if (found := measure(mca, name, brush, target))), key=lambda loop: loop.cycles)
            rows.append((cpu, name, best.brush, f"{best.cycles:.2f}", f"{best.least:.2f}", str(best.spills)))
    show_table("cycles per point", ("core", "kernel", "brush", "llvm-mca", "ports", "stack accesses"), rows)
    return 0


def measure(mca: str, name: str, brush: str, target: Target) -> Loop | None:
    """The best of the loops that store whole registers."""
    kernel = compile_function(function_of(name), Plan(parse_brush(brush)), target)
    loops = ("\n".join(line for block in loop.blocks for line in block) for loop in innermost_loops(kernel.module.assembly))
    found = [loop for text in loops if (loop := of_loop(mca, text, brush, target)) is not None]
    return min(found, key=lambda loop: loop.cycles, default=None)


def function_of(name: str) -> Unit:
    return next(function for function in parse_c(find_kernel(name)).functions if function.name == name)


def of_loop(mca: str, text: str, brush: str, target: Target) -> Loop | None:
    points = sum(2 if "stp" in line else 1 for line in text.splitlines() if STORE.search(line)) * target.register_bits // 64
    cycles = mca_cycles(mca, text, target.cpu, target.triple, ITERATIONS)
    if not points or cycles is None:
        return None
    counts: Counter[Operation] = Counter()
    for line in text.splitlines():
        counts["add"] += bool(re.match(r"\s*v(add|sub)p[sd]\b|\s*f(add|sub)\s+v", line))
        counts["multiply"] += bool(re.match(r"\s*vf?n?m(ul|add|sub)\w*p[sd]|\s*f(mul|mla)\s+v", line))
    arithmetic = counts["add"] + counts["multiply"]
    together = machine_of(target).arithmetic_per_cycle(target.register_bits)
    least = max(arithmetic / together, least_cycles(machine_of(target), counts, target.register_bits))
    spills = sum(bool(re.search(r"%rsp|\[sp", line)) for line in text.splitlines())
    return Loop(cycles / points, least / points, spills, brush)


if __name__ == "__main__":
    sys.exit(main())
