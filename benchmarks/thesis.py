"""The thesis's six kernels in double precision, and copying as their floor, against gcc -O3 -march=native, on one thread.

Same C file, rows padded to an odd number of cache lines, samples taken in turns, medians; the best of a small fixed set of
brushes with `--fp strict`. Every brush is verified before it is measured. Prints a Markdown table, or JSON with `--json`.

    python benchmarks/thesis.py [--sizes 256,1024] [--kernels jacobi5,...] [--samples 25] [--json]
"""

from __future__ import annotations

import argparse
import ctypes
import json
import platform
import subprocess
import sys
from dataclasses import asdict, dataclass
from pathlib import Path

from names import check_known

from rv.target.host import host
from rv.target.machine import resolve_target
from tensorrv.check.bench import Version, gcc_library, measure, scratch_directory
from tensorrv.check.trial import verify_kernel
from tensorrv.frontend.c.module import parse_c
from tensorrv.frontend.shipped import find_kernel
from tensorrv.interface.facts import innermost_iterations, interface_of
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.schedule.plan import Plan, parse_brush
from tensorrv.unit.unit import Unit

BRUSHES = ("1x8", "2x8", "4x8", "8x8", "2x16", "4x16", "8x16", "16x8")
LINE = 8


@dataclass(frozen=True, slots=True)
class Task:
    """A kernel, how many elements its arrays have beyond the computed patch, and the speed-ups that are aimed at."""

    kernel: str
    border: int
    goals: dict[int, float]


TASKS = (
    Task("jacobi5", 2, {256: 1.5, 1024: 1.35}),
    Task("seidel9", 2, {256: 1.8, 1024: 1.6}),
    Task("jacobi9", 4, {256: 1.5, 1024: 1.4}),
    Task("seidel25", 4, {256: 1.6, 1024: 1.5}),
    Task("sparse_jacobi5", 4, {256: 1.45, 1024: 1.25}),
    Task("transpose", 0, {256: 2.5, 1024: 2.0}),
    Task("copy", 0, {}),
)


@dataclass(frozen=True, slots=True)
class Row:
    """Nanoseconds per point at one size: of gcc, and of every brush."""

    kernel: str
    size: int
    gcc: float
    brushes: dict[str, float]
    goal: float | None

    @property
    def best(self) -> str:
        return min(self.brushes, key=self.brushes.__getitem__)


def padding(length: int) -> int:
    """Unused elements that make a row of `length` elements an odd number of cache lines."""
    lines = -(-length // LINE)
    return (lines + (lines % 2 == 0)) * LINE - length


def run(task: Task, size: int, samples: int) -> Row:
    """Measures one kernel on a patch of `size` x `size` points."""
    length = size + task.border
    pad = str(padding(length))
    path = Path(__file__).parent / "copy.c" if task.kernel == "copy" else find_kernel(task.kernel)
    function = parse_c(path, defines=[("PADDING", pad)]).function(task.kernel)
    target = resolve_target("native")
    kernels = {brush: compiled(function, brush) for brush in BRUSHES}
    versions = [Version(name, kernel.module.jit().address(task.kernel)) for name, kernel in kernels.items()]
    interface, sizes = interface_of(function), {"rows": length, "cols": length}
    with scratch_directory() as scratch:
        library = gcc_library(path, target, [f"-DPADDING={pad}"], Path(scratch))
        if library is None:
            sys.exit("this benchmark needs gcc")
        loaded = ctypes.CDLL(str(library))
        gcc = Version("gcc", ctypes.cast(getattr(loaded, task.kernel), ctypes.c_void_p).value or 0)
        timings = measure(interface.signature, interface.reaches, [gcc, *versions], sizes, samples)
    points = innermost_iterations(interface.nests, sizes) or 1
    times = {timing.version: timing.median / points for timing in timings}
    return Row(task.kernel, size, times.pop("gcc"), times, task.goals.get(size))


def compiled(function: Unit, brush: str) -> Kernel:
    """The kernel for a brush, held against the scalar code."""
    kernel = compile_function(function, Plan(parse_brush(brush) or Plan().brush), resolve_target("native"))
    difference = verify_kernel(kernel, ()).difference
    if difference is not None:
        sys.exit(f"{function.name}, brush {brush}: {difference}")
    return kernel


def markdown(rows: list[Row]) -> str:
    """The results as a table."""
    compiler = subprocess.run(["gcc", "--version"], capture_output=True, text=True, check=True).stdout.splitlines()[0]
    lines = [
        f"{host().cpu}, {platform.system()}, {compiler}; ns per point, one thread, `--fp strict`",
        "",
        "| kernel | size | gcc -O3 | best brush | ns | speed-up | aim | " + " | ".join(BRUSHES) + " |",
        "|---" * (7 + len(BRUSHES)) + "|",
    ]
    for row in rows:
        cells = [row.kernel, f"{row.size}x{row.size}", f"{row.gcc:.3f}", row.best, f"{row.brushes[row.best]:.3f}"]
        cells += [f"{row.gcc / row.brushes[row.best]:.2f}x", f"{row.goal}x" if row.goal else ""]
        cells += [f"{row.brushes[brush]:.3f}" for brush in BRUSHES]
        lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--sizes", default="256,1024")
    parser.add_argument("--kernels", default=",".join(task.kernel for task in TASKS))
    parser.add_argument("--samples", type=int, default=25)
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    check_known(parser, given.kernels.split(","), [task.kernel for task in TASKS])
    rows = []
    for task in TASKS:
        for size in map(int, given.sizes.split(",")) if task.kernel in given.kernels.split(",") else ():
            print(f"{task.kernel} {size}x{size}", file=sys.stderr)
            rows.append(run(task, size, given.samples))
    if given.json:
        print(json.dumps([asdict(row) for row in rows], indent=2))
    else:
        print(markdown(rows))


if __name__ == "__main__":
    main()
