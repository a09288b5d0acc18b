"""`--brush auto` on 28 functions of other people's kinds (`benchmarks/forms`): `python benchmarks/forms.py [FUNCTION ...]`

Linear algebra, statistics, stencils, relaxation in place, shortest paths, sparse rows. Speed over the scalar code, gcc -O3 and
clang -O3 for this machine, without fused operations, so that all results are the same bits: the least of interleaved samples.
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

from autotune.automatic import compile_automatically
from rv.evolution.facts import Legal
from rv.target.machine import Target, resolve_target
from tensorrv.check.bench import Stopwatch
from tensorrv.check.sizes import Sizes
from tensorrv.frontend.c.module import parse_c
from tensorrv.interface.facts import interface_of
from tensorrv.pipeline.kernel import compile_scalar
from tensorrv.schedule.plan import Plan
from tensorrv.unit.unit import Unit

FORMS: Final = Path(__file__).parent / "forms"
SAMPLES: Final = 9
NANOSECONDS: Final = 2e6
USUAL: Final[Sizes] = {"n": 300, "m": 40, "steps": 4, "nnz": 4000}
OTHER: Final[dict[str, Sizes]] = {
    "jacobi_1d": {"n": 20000}, "heat": {"n": 60}, "clamped": {"m": 300}, "lag_4": {"n": 32000}, "contraction": {"n": 60, "m": 20},
    "sparse_rows": {"n": 2000, "nnz": 20000}, "levinson": {"n": 1000}, "forward_solve": {"n": 700},
}  # fmt: skip
OF_FILES: Final[dict[str, Sizes]] = {"pixels": {"n": 16384}}


def library(source: Path, compiler: str, target: Target, directory: Path) -> ctypes.CDLL:
    output = directory / f"{source.stem}.{compiler}.so"
    machine = "native" if target.name == "native" else target.cpu
    options = ["-O3", f"-march={machine}", "-ffp-contract=off", "-shared", "-fPIC", "-w"]
    subprocess.run([compiler, *options, str(source), "-o", str(output), "-lm"], check=True)
    return ctypes.CDLL(str(output))


def times(function: Unit, libraries: dict[str, ctypes.CDLL], target: Target, usual: Sizes) -> tuple[dict[str, float], str]:
    """Nanoseconds of a call of every version, and the brushes that `auto` takes."""
    interface = interface_of(function)
    sizes = {name: (usual | OTHER.get(function.name, {}))[name] for name in interface.signature.sizes}
    kernels = {"auto": compile_automatically(function, Plan(), target, sizes), "scalar": compile_scalar(function, target)}
    addresses = {name: kernel.module.jit().address(function.name) for name, kernel in kernels.items()}
    for name, shared in libraries.items():
        addresses[name] = ctypes.cast(shared[function.name], ctypes.c_void_p).value or 0
    stopwatch = Stopwatch(interface.signature, interface.reaches, sizes)
    calls = {name: max(1, int(NANOSECONDS / max(1.0, stopwatch.time(a, 1)))) for name, a in addresses.items()}
    found = dict.fromkeys(addresses, math.inf)
    for _ in range(SAMPLES):
        for name, address in addresses.items():
            found[name] = min(found[name], stopwatch.time(address, calls[name]))
    tensorized = kernels["auto"].tensorized
    taken = [
        ",".join(f"{tensorized.widened.context.loops[h].name}={m}" for h, m in c.brush) if isinstance(c.outcome, Legal) else "-"
        for c in tensorized.choices
    ]
    return found, "; ".join(taken)


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("functions", nargs="*", help="all unless named")
    parser.add_argument("--target", default="native", help="code for this target and these compilers' options for it")
    options = parser.parse_args(arguments)
    wanted, target = options.functions, resolve_target(options.target)
    compilers = [c for c in ("gcc", "clang", "clang-19") if shutil.which(c)]
    ratios: dict[str, list[float]] = {name: [] for name in ("scalar", *compilers)}
    print(f"{'':20} {'auto, us':>9} " + " ".join(f"{name:>9}" for name in ratios) + "  brushes")
    with tempfile.TemporaryDirectory() as scratch:
        for source in sorted(FORMS.glob("*.c")):
            libraries = {compiler: library(source, compiler, target, Path(scratch)) for compiler in compilers}
            for function in parse_c(source).functions:
                if wanted and function.name not in wanted:
                    continue
                found, brushes = times(function, libraries, target, USUAL | OF_FILES.get(source.stem, {}))
                own = [found[name] / found["auto"] for name in ratios]
                for name, ratio in zip(ratios, own, strict=True):
                    ratios[name].append(ratio)
                ratios = " ".join(f"{ratio:8.2f}x" for ratio in own)
                print(f"{function.name:20} {found['auto'] / 1e3:9.1f} {ratios}  {brushes}", flush=True)
    means = [math.exp(sum(map(math.log, own)) / max(1, len(own))) for own in ratios.values()]
    print(f"{'geometric mean':30} " + " ".join(f"{mean:8.2f}x" for mean in means))


if __name__ == "__main__":
    main()
