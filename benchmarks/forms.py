"""`--brush auto` on C functions of other people's kinds: `python benchmarks/forms.py [FUNCTION ...] [--suite ordinary]`

The suite `forms` (`benchmarks/forms`) has linear algebra, statistics, stencils, relaxation in place, shortest paths, sparse rows;
`ordinary` has branches, conditions on where an iteration is, small inner loops, early ends. Speed over the scalar code, gcc -O3
and clang -O3 for this machine, without fused operations, so that all results are the same bits, which is checked: the least of
interleaved samples.
"""

from __future__ import annotations

import argparse
import ctypes
import math
import shutil
import subprocess
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from names import check_known

from autotune.automatic import compile_automatically
from rv.evolution.facts import Legal
from rv.target.machine import Target, resolve_target
from tensorrv.check.bench import Stopwatch
from tensorrv.check.sizes import Sizes
from tensorrv.check.verify import Comparer
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.facts import Interface, interface_of
from tensorrv.interface.signature import Signature
from tensorrv.pipeline.kernel import compile_scalar
from tensorrv.pipeline.native import native_function
from tensorrv.schedule.plan import Plan
from tensorrv.unit.unit import Unit

SUITES: Final = ("forms", "ordinary")
SAMPLES: Final = 11
NANOSECONDS: Final = 2e6
USUAL: Final[Sizes] = {"n": 300, "m": 40, "steps": 4, "nnz": 4000}
OTHER: Final[dict[str, Sizes]] = {
    "jacobi_1d": {"n": 20000}, "heat": {"n": 60}, "clamped": {"m": 300}, "lag_4": {"n": 32000}, "contraction": {"n": 60, "m": 20},
    "sparse_rows": {"n": 2000, "nnz": 20000}, "levinson": {"n": 1000}, "forward_solve": {"n": 700},
    "odd_rows": {"n": 256, "m": 256}, "filter_3": {"n": 512, "m": 256}, "filter_5": {"n": 512, "m": 256},
    "filter_7": {"n": 512, "m": 256}, "previous": {"n": 4096}, "alternating": {"n": 4096},
    **{key: {"n": 4096, "k": 2048} for key in ("up_to", "two_formulas", "sum_of_part")},
}  # fmt: skip
OF_FILES: Final[dict[str, Sizes]] = {
    "pixels": {"n": 16384}, "conditions": {"n": 4096}, "edges": {"n": 256, "m": 256}, "exits": {"n": 4096, "k": 2048},
    "runs": {"n": 8192}, "small_loops": {"n": 4096},
}  # fmt: skip


def library(source: Path, compiler: str, target: Target, directory: Path) -> ctypes.CDLL:
    output = directory / f"{source.stem}.{compiler}.so"
    machine = "native" if target.name == "native" else target.cpu
    options = ["-O3", f"-march={machine}", "-ffp-contract=off", "-shared", "-fPIC", "-w"]
    subprocess.run([compiler, *options, str(source), "-o", str(output), "-lm"], check=True)
    return ctypes.CDLL(str(output))


def times(function: Unit, libraries: dict[str, ctypes.CDLL], target: Target, usual: Sizes) -> tuple[dict[str, float], str]:
    """Nanoseconds of a call of every version, and the brushes that `auto` takes."""
    interface = interface_of(function)
    known = usual | OTHER.get(function.name, {})
    sizes = {name: known[name] for name in interface.signature.sizes | (known.keys() & _scalars(interface.signature))}
    kernels = {"auto": compile_automatically(function, Plan(), target, sizes), "scalar": compile_scalar(function, target)}
    addresses = {name: kernel.module.jit().address(function.name) for name, kernel in kernels.items()}
    for name, shared in libraries.items():
        addresses[name] = ctypes.cast(shared[function.name], ctypes.c_void_p).value or 0
    for name in addresses.keys() - {"scalar"}:
        _check(interface, sizes, addresses["scalar"], addresses[name], f"{function.name} by {name}")
    stopwatch = Stopwatch(interface.signature, interface.reaches, sizes)
    calls = {name: max(1, int(NANOSECONDS / max(1.0, stopwatch.time(a, 1)))) for name, a in addresses.items()}
    samples: dict[str, list[float]] = {name: [] for name in addresses}
    for _ in range(SAMPLES):
        for name, address in addresses.items():
            samples[name].append(stopwatch.time(address, calls[name]))
    found = {name: min(own) for name, own in samples.items()}
    tensorized = kernels["auto"].tensorized
    taken = [
        ",".join(f"{tensorized.widened.context.loops[h].name}={m}" for h, m in c.brush) if isinstance(c.outcome, Legal) else "-"
        for c in tensorized.choices
    ]
    return found, "; ".join(taken)


def _scalars(signature: Signature) -> frozenset[str]:
    return frozenset(scalar.name for scalar in signature.scalars)


def _check(interface: Interface, sizes: Sizes, right: int, tested: int, what: str) -> None:
    """Raises ValueError where a version computes other numbers than the scalar code."""
    one, other = (native_function(interface.signature, address) for address in (right, tested))
    difference = Comparer(interface.signature, interface.reaches, one, other).compare(0, sizes).difference
    if difference is not None:
        raise ValueError(f"{what}: {difference}")


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", help="all unless named")
    parser.add_argument("--target", default="native", help="code for this target and these compilers' options for it")
    parser.add_argument("--suite", choices=SUITES, default=SUITES[0])
    options = parser.parse_args(arguments)
    sources = sorted((Path(__file__).parent / options.suite).glob("*.c"))
    check_known(parser, options.functions, [function.name for source in sources for function in parse_c(source).functions])
    wanted, target = options.functions, resolve_target(options.target)
    compilers = [c for c in ("gcc", "clang", "clang-19") if shutil.which(c)]
    ratios: dict[str, list[float]] = {name: [] for name in ("scalar", *compilers)}
    print(f"{'':20} {'auto, us':>9} " + " ".join(f"{name:>9}" for name in ratios) + "  brushes")
    with tempfile.TemporaryDirectory() as scratch:
        for source in sources:
            libraries = {compiler: library(source, compiler, target, Path(scratch)) for compiler in compilers}
            for function in parse_c(source).functions:
                if wanted and function.name not in wanted:
                    continue
                found, brushes = times(function, libraries, target, USUAL | OF_FILES.get(source.stem, {}))
                own = [found[name] / found["auto"] for name in ratios]
                for name, ratio in zip(ratios, own, strict=True):
                    ratios[name].append(ratio)
                shown = " ".join(f"{ratio:8.2f}x" for ratio in own)
                print(f"{function.name:20} {found['auto'] / 1e3:9.1f} {shown}  {brushes}", flush=True)
    means = [math.exp(sum(map(math.log, own)) / max(1, len(own))) for own in ratios.values()]
    print(f"{'geometric mean':30} " + " ".join(f"{mean:8.2f}x" for mean in means))


if __name__ == "__main__":
    main()
