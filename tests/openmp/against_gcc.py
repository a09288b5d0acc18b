"""Functions `void f(int n, const int x[64], int o[64])` with OpenMP, run by gcc's programs and by kernels on the same data."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np

from tests.run.toolchain import installed

_DRIVER = """
#include <stdio.h>
static int x[64], o[64];
static void run(const char *name, void (*f)(int, const int *, int *), int n)
{
    for (unsigned i = 0, s = 12345 + n; i < 64; i++) {
        s = s * 1103515245 + 12345; x[i] = (int)(s >> 8) - (1 << 22);
        s = s * 1103515245 + 12345; o[i] = (int)(s >> 20);
    }
    f(n, x, o);
    printf("%s", name);
    for (int i = 0; i < 64; i++) printf(" %d", o[i]);
    printf("\\n");
}
"""
Outcomes = Mapping[str, Sequence[Sequence[int]]]


def need_gcc() -> None:
    """Skips a test where gcc is missing."""
    installed("avx2")


def outcomes(text: str, names: Iterable[str], sizes: Sequence[int], scratch: Path, *, threads: Sequence[int]) -> Outcomes:
    """What gcc's program leaves in `o`, by function and size; without `threads` it is compiled without -fopenmp.

    AssertionError when it depends on the number of threads.
    """
    calls = "".join(f'    run("{name}", {name}, {n});\n' for name in names for n in sizes)
    source, program = scratch / "main.c", scratch / "main"
    source.write_text(f"{text}\n{_DRIVER}int main(void)\n{{\n{calls}    return 0;\n}}\n")
    options = ("-fopenmp",) if threads else ()
    subprocess.run(["gcc", "-O1", "-w", *options, str(source), "-o", str(program)], check=True)
    first, *others = [_lines(program, count) for count in threads or (1,)]
    found: dict[str, list[list[int]]] = {}
    for line, *same in zip(first, *others, strict=True):
        name, *values = line.split()
        assert all(other == line for other in same), f"{name} depends on the number of threads"
        found.setdefault(name, []).append([int(value) for value in values])
    return found


def _lines(program: Path, threads: int) -> list[str]:
    environment = {**os.environ, "OMP_NUM_THREADS": str(threads)}
    return subprocess.run([program], env=environment, check=True, capture_output=True, text=True).stdout.splitlines()


def check_kernel(kernel: Callable[..., object], wanted: Sequence[Sequence[int]], sizes: Sequence[int]) -> None:
    """Runs a kernel on the data of the program. AssertionError where the results differ."""
    for n, values in zip(sizes, wanted, strict=True):
        x, o = _data(n)
        kernel(n, x, o)
        assert o.tolist() == values, f"n={n}"


def _data(n: int) -> tuple[np.ndarray, np.ndarray]:
    x, o, s = np.zeros(64, np.int32), np.zeros(64, np.int32), 12345 + n
    for i in range(64):
        s = (s * 1103515245 + 12345) % 2**32
        x[i] = (s >> 8) - (1 << 22)
        s = (s * 1103515245 + 12345) % 2**32
        o[i] = s >> 20
    return x, o
