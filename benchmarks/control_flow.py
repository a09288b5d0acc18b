"""Kernels with divergent control flow at 8 to 64 lanes, against gcc and, where there is one, clang.

    taskset -c 1 python benchmarks/control_flow.py [NAME...] [--rounds 15] [--lanes 8,16,32,64] [--clang clang-19] [--json]

The same C (benchmarks/control_flow), one thread. The compilers get -O3 -march=native -fno-math-errno and may fuse, as they do
by default, so ours gets --fp contract (--fp fast where sums run across iterations) and --math vector where libm is called.
Samples of all versions are taken in turns; medians of the thread's processor time. Results are compared with gcc's. Prints
a table in Markdown: ns per item of the better compiler, how many times faster each number of lanes is, and for the best one
the gain of skipping code that no lane needs (--boscc auto over none).
"""

from __future__ import annotations

import argparse
import ctypes
import json
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
from control_flow_inputs import Argument, Task, tasks
from names import check_known

from rv.target.host import host
from rv.target.machine import resolve_target
from tensorrv.frontend.c.module import parse_c
from tensorrv.pipeline.kernel import Kernel, compile_function
from tensorrv.schedule.plan import Brush, Plan
from tensorrv.unit.unit import Unit

SOURCES = Path(__file__).parent / "control_flow"
HEADERS = Path(__file__).parents[1] / "tensorrv" / "include"
FLAGS = ("-O3", "-march=native", "-fno-math-errno", "-shared", "-fPIC", "-w", f"-I{HEADERS}")
SAMPLE = 2e-3  # seconds of one sample, at least

Call = Callable[[], object]


@dataclass(frozen=True, slots=True)
class Row:
    """Nanoseconds per item, `untested` with --boscc none.

    `error` is the sum of the differences from gcc's results over the sum of these, of whole numbers the share that differs.
    """

    name: str
    scalar: Mapping[str, float]
    lanes: Mapping[int, float]
    untested: float
    error: float
    aim: float | None

    @property
    def better(self) -> float:
        return min(self.scalar.values())

    @property
    def best(self) -> int:
        return min(self.lanes, key=self.lanes.__getitem__)


def measured(task: Task, sizes: tuple[int, ...], compilers: Mapping[str, ctypes.CDLL], rounds: int) -> Row:
    """Compiles and times one kernel."""
    arguments = task.make(np.random.default_rng(1))
    function = parse_c(SOURCES / f"{task.file}.c").function(task.kernel)
    expected: list[np.ndarray] = []
    calls: dict[str, Call] = {}
    for name, library in compilers.items():
        calls[name] = bound(getattr(library, task.kernel), arguments)
        calls[name]()
        expected = expected or [np.array(a) for a in results(task, arguments)]
    kept: list[Kernel] = []
    error = 0.0
    for lanes in sizes:
        for boscc in ("auto", "none"):
            kernel = compiled(function, task, lanes, boscc)
            kept.append(kernel)
            call = bound(ctypes.CFUNCTYPE(None)(kernel.module.jit().address(task.kernel)), arguments)
            call()
            error = max(error, *map(difference, results(task, arguments), expected))
            calls[f"{lanes} {boscc}"] = call
    items = task.items(arguments)
    times = {name: t / items * 1e9 for name, t in in_turns(calls, rounds).items()}
    by_lanes = {lanes: times[f"{lanes} auto"] for lanes in sizes}
    best = min(by_lanes, key=by_lanes.__getitem__)
    return Row(task.name, {name: times[name] for name in compilers}, by_lanes, times[f"{best} none"], error, task.aim)


def compiled(function: Unit, task: Task, lanes: int, boscc: str) -> Kernel:
    plan = Plan(
        Brush((lanes,), (task.sums,) if task.sums else ()),
        fp="fast" if task.sums else "contract",
        math="vector" if task.math else "libm",
        boscc="auto" if boscc == "auto" else "none",
    )
    return compile_function(function, plan, resolve_target("native"))


def results(task: Task, arguments: tuple[Argument, ...]) -> list[np.ndarray]:
    return [a for a in arguments[-task.results :] if isinstance(a, np.ndarray)]


def difference(found: np.ndarray, expected: np.ndarray) -> float:
    if found.dtype.kind == "i":
        return float(np.mean(found != expected))
    return float(np.abs(found - expected).sum() / np.abs(expected).sum())


def bound(function: Callable[..., object], arguments: tuple[Argument, ...]) -> Call:
    """The call with its arguments as C requires them; doubles for double parameters only in functions on doubles."""
    wide = any(isinstance(a, np.ndarray) and a.dtype == np.float64 for a in arguments)
    real = ctypes.c_double if wide else ctypes.c_float

    def converted(argument: Argument) -> object:
        if isinstance(argument, np.ndarray):
            return ctypes.c_void_p(argument.ctypes.data)
        return ctypes.c_int(argument) if isinstance(argument, int) else real(argument)

    given = tuple(map(converted, arguments))
    return lambda: function(*given)


def in_turns(calls: Mapping[str, Call], rounds: int) -> dict[str, float]:
    """The median time of each call, in seconds."""
    repeats = {name: max(1, round(SAMPLE / max(once(call, 1), 1e-7))) for name, call in calls.items()}
    found: dict[str, list[float]] = {name: [] for name in calls}
    for _ in range(rounds):
        for name, call in calls.items():
            found[name].append(once(call, repeats[name]))
    return {name: statistics.median(samples) for name, samples in found.items()}


def once(call: Call, times: int) -> float:
    start = time.thread_time()
    for _ in range(times):
        call()
    return (time.thread_time() - start) / times


def library(compiler: str, directory: Path) -> ctypes.CDLL:
    path = directory / f"{Path(compiler).name}.so"
    files = [str(source) for source in sorted(SOURCES.glob("*.c"))]
    subprocess.run([compiler, *FLAGS, *files, "-o", str(path), "-lm"], check=True)
    return ctypes.CDLL(str(path))


def markdown(rows: list[Row], versions: list[str]) -> str:
    """The results as a table."""
    sizes = list(rows[0].lanes)
    lines = [f"{host().cpu}; {'; '.join(versions)}; ns per item of the better compiler, one thread", ""]
    titles = ["kernel", "scalar ns", *(f"{n} lanes" for n in sizes), "best", "aim", "tests gain", "difference"]
    lines.append(f"| {' | '.join(titles)} |")
    lines.append("|---" * (len(sizes) + 6) + "|")
    for row in rows:
        cells = [row.name, f"{row.better:.2f}", *(f"{row.better / row.lanes[n]:.2f}x" for n in sizes)]
        cells += [f"{row.better / row.lanes[row.best]:.2f}x", f"{row.aim}x" if row.aim else ""]
        lines.append(f"| {' | '.join([*cells, f'{row.untested / row.lanes[row.best]:.2f}x', f'{row.error:.1e}'])} |")
    mean = statistics.geometric_mean(row.better / row.lanes[row.best] for row in rows)
    return "\n".join([*lines, "", f"Geometric mean of the best: {mean:.2f}x."])


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("names", nargs="*", help="kernels, by the C function's name (default: all)")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--lanes", default="8,16,32,64")
    parser.add_argument("--clang", default="clang", help="another scalar compiler, left out when there is none")
    parser.add_argument("--json", action="store_true")
    given = parser.parse_args()
    check_known(parser, given.names, dict.fromkeys(task.kernel for task in tasks()))
    found = [c for c in ("gcc", given.clang) if shutil.which(c)]
    if "gcc" not in found:
        sys.exit("this benchmark needs gcc")
    with tempfile.TemporaryDirectory() as directory:
        compilers = {name: library(name, Path(directory)) for name in found}
        rows = []
        for task in tasks():
            if not given.names or task.kernel in given.names:
                print(task.name, file=sys.stderr)
                rows.append(measured(task, tuple(map(int, given.lanes.split(","))), compilers, given.rounds))
    versions = [subprocess.run([c, "--version"], capture_output=True, text=True).stdout.splitlines()[0] for c in found]
    print(json.dumps([asdict(row) for row in rows], indent=2) if given.json else markdown(rows, versions))


if __name__ == "__main__":
    main()
