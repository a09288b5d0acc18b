"""The cost model (`rv.cost.loop`) against llvm-mca, on the hot loops of all shipped kernels for described cores.

    python benchmarks/mca.py --cpu znver4 --kernel seidel9 --loops

For each core the rank correlation of the cycles of an iteration, and the median of the relative differences: with the core's
description, and with the numbers that llvm-mca (Debian's llvm-19) has instead where it is wrong, or has another core's model
(llvm_mca.toml says where, and why). The second says how good the model is, the first how good llvm-mca's numbers are as well.
Loops that call functions are left out, since both see the call only.
"""

from __future__ import annotations

import argparse
import re
import sys
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from llvm_mca import find_mca, mca_cycles
from names import check_known

from autotune.measure.subject import element_bits, work_of
from autotune.model.counts import hot_loop
from autotune.model.prediction import rank_correlation
from autotune.model.steps import steps_of
from rv.cost.loop import Cycles, cycles
from rv.target.description import Machine, machine_of, read_machine, source_text
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
DEPARTURES = tomllib.loads((Path(__file__).parent / "llvm_mca.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True)
class Compared:
    """One loop: what llvm-mca says, and what the model does with the description and with llvm-mca's numbers; None where those
    of an instruction are known to be wrong.
    """

    kernel: str
    brush: str
    mca: float
    described: Cycles
    adapted: Cycles | None


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cpu", action="append", metavar="NAME", help=f"a described core (default: {', '.join(CPUS)})")
    parser.add_argument("--kernel", action="append", metavar="NAME", help="a shipped kernel (default: all)")
    parser.add_argument("--loops", action="store_true", help="show every loop")
    given = parser.parse_args()
    check_known(parser, given.kernel, list(shipped_kernels()))
    mca = find_mca()
    if mca is None:
        print("llvm-mca is not installed (Debian: llvm-19)", file=sys.stderr)
        return 1
    rows = []
    for cpu in given.cpu or CPUS:
        found = list(compare(mca, given.kernel or shipped_kernels(), resolve_target(cpu)))
        if given.loops:
            show_loops(cpu, found)
        described = [(one.described.total, one.mca) for one in found]
        adapted = [(one.adapted.total, one.mca) for one in found if one.adapted is not None]
        has_model = "model" not in DEPARTURES.get(cpu, {})
        rows.append((cpu, *summary(described), *(summary(adapted) if has_model else ("-", "-", "-"))))
    show_table("the model against llvm-mca", ("core", "loops", "ranks", "error", "of these", "ranks", "error"), rows)
    return 0


def summary(pairs: Sequence[tuple[float, float]]) -> tuple[str, str, str]:
    """How many loops, the rank correlation, the median error."""
    error = median(abs(model / mca - 1) for model, mca in pairs)
    return str(len(pairs)), f"{rank_correlation(pairs):.3f}", f"{100 * error:.1f} %"


def show_loops(cpu: str, found: Sequence[Compared]) -> None:
    for one in sorted(found, key=lambda one: -abs((one.adapted or one.described).total / one.mca - 1)):
        adapted = "-" if one.adapted is None else f"{one.adapted.total:.2f} ({one.adapted.limit})"
        described = f"{one.described.total:8.2f}"
        print(f"{cpu:15} {one.kernel:20} {one.brush:5} mca {one.mca:8.2f} described {described} adapted {adapted}")


def compare(mca: str, kernels: Sequence[str], target: Target) -> Iterator[Compared]:
    """The hot loop of each function of these kernels under each brush that it takes."""
    machine, adapted, left_out = machine_of(target), as_llvm_has_it(target), DEPARTURES.get(target.cpu, {}).get("left_out")
    for function in (function for name in kernels for function in functions_of(name)):
        for brush in BRUSHES:
            lines = loop_of(function, brush, target)
            said = mca_cycles(mca, "\n".join(lines), target.cpu, target.triple, ITERATIONS) if lines else None
            if said is not None:
                steps = steps_of(lines, target.architecture)
                wrong = left_out is not None and any(re.search(left_out, line) for line in lines)
                yield Compared(function.name, brush, said, cycles(machine, steps), None if wrong else cycles(adapted, steps))


def as_llvm_has_it(target: Target) -> Machine:
    """The description of a core with the numbers that llvm-mca has instead."""
    departures = DEPARTURES.get(target.cpu, {})
    own = {key: value for key, value in departures.items() if key not in ("reason", "left_out", "model")}
    return read_machine(merged(tomllib.loads(source_text(target)), own))


def merged(table: dict[str, Any], changes: dict[str, Any]) -> dict[str, Any]:
    """A table with the values of another, and the same for tables inside."""
    both = {key: merged(table[key], value) for key, value in changes.items() if isinstance(value, dict) and key in table}
    return table | changes | both


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
