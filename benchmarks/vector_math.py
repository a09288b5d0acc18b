"""Vector functions beside libmvec, the C library's own, which gcc -O3 -ffast-math takes: time and accuracy.

    taskset -c 1 python benchmarks/vector_math.py [NAME...]

Prints a table in Markdown. Times are medians of interleaved rounds over arrays that stay in the first cache, in ns per value of
thread time; accuracy is the greatest distance of libmvec's results from the true ones on these arguments, in units of the last
place. Ours is in docs/vector-math.md.
"""

from __future__ import annotations

import argparse
import ctypes
import statistics
import subprocess
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

import tensorrv as trv

COUNT = 1536
ROUNDS, CALLS = 41, 60
REPEAT = """
void repeat(void (*f)(int, const void *, const void *, void *), int times, int n, const void *x, const void *y, void *r)
{
    while (times--)
        f(n, x, y, r);
}
"""
RANGES = {
    "exp": (-700, 700), "exp2": (-1000, 1000), "expm1": (-30, 700), "log": (0, 1e6), "log2": (0, 1e6), "log10": (0, 1e6),
    "log1p": (-0.9, 1e3), "sin": (-100, 100), "cos": (-100, 100), "tan": (-100, 100), "asin": (-1, 1), "acos": (-1, 1),
    "atan": (-10, 10), "atan2": (-10, 10), "sinh": (-30, 30), "cosh": (-30, 30), "tanh": (-5, 5), "pow": (0, 20),
    "cbrt": (-1e6, 1e6), "hypot": (-1e3, 1e3), "erf": (-4, 4), "erfc": (-4, 20),
    "asinh": (-100, 100), "acosh": (1, 100), "atanh": (-1, 1),
}  # fmt: skip
TRUE = {"asin": "arcsin", "acos": "arccos", "atan": "arctan", "atan2": "arctan2", "pow": "power",
        "asinh": "arcsinh", "acosh": "arccosh", "atanh": "arctanh"}  # fmt: skip
TWO = ("pow", "atan2", "hypot")


def source(name: str, type_: str) -> str:
    """A loop that applies the function."""
    call = name + "f" * (type_ == "float") + ("(x[i], y[i])" if name in TWO else "(x[i])")
    return f"""#include <math.h>
void f(int n, const {type_} x[restrict n], const {type_} y[restrict n], {type_} r[restrict n])
{{
    for (int i = 0; i < n; ++i)
        r[i] = {call};
}}
"""


def gcc(text: str, directory: Path) -> ctypes.CDLL:
    """gcc's code; linked without -ffast-math, which would switch subnormal numbers off in the whole process."""
    c, o, so = (directory / f"f{time.monotonic_ns()}{suffix}" for suffix in (".c", ".o", ".so"))
    c.write_text(text)
    options = "-O3 -ffast-math -march=native -mprefer-vector-width=512 -fPIC -c -o".split()
    subprocess.run(["gcc", *options, o, c], check=True)
    subprocess.run(["gcc", "-shared", "-o", so, o, "-lmvec", "-lm"], check=True)
    return ctypes.CDLL(str(so))


def medians(repeat: Callable[..., None], functions: list[object], arguments: list[object]) -> list[float]:
    """ns per value for each function, called in a loop in C."""
    times: list[list[float]] = [[] for _ in functions]
    for _ in range(ROUNDS):
        for function, found in zip(functions, times, strict=True):
            start = time.thread_time_ns()
            repeat(function, CALLS, *arguments)
            found.append((time.thread_time_ns() - start) / (CALLS * COUNT))
    return [statistics.median(found) for found in times]


def true_values(name: str, arguments: list[np.ndarray], directory: Path) -> np.ndarray:
    """By NumPy in 80-bit numbers, or by the C library where NumPy lacks the function."""
    function = getattr(np, TRUE.get(name, name), None)
    if function is not None:
        return function(*arguments)
    result = np.empty_like(arguments[0])
    loop = f"for (int i = 0; i < {COUNT}; ++i) r[i] = {name}l(x[i]);"
    library = gcc(f"#include <math.h>\nvoid f(const long double *x, long double *r) {{ {loop} }}\n", directory)
    library.f(ctypes.c_void_p(arguments[0].ctypes.data), ctypes.c_void_p(result.ctypes.data))
    return result


def row(name: str, dtype: type[np.floating], directory: Path) -> list[str]:
    """ns of libmvec, ns of ours, ULP of libmvec."""
    type_ = "double" if dtype is np.float64 else "float"
    text = source(name, type_)
    kernel = trv.compile(text, brush=64 // np.dtype(dtype).itemsize, math="vector")
    ours = ctypes.CFUNCTYPE(None)(kernel.kernel.module.jit().address("f"))
    random = np.random.default_rng(1)
    low, high = RANGES[name] if type_ == "double" else (max(-80, RANGES[name][0]), min(80, RANGES[name][1]))
    x, y, r = (random.uniform(low, high, COUNT).astype(dtype) for _ in range(3))
    arguments = [ctypes.c_int(COUNT), *(ctypes.c_void_p(array.ctypes.data) for array in (x, y, r))]
    library = gcc(text + REPEAT, directory)
    true = true_values(name, [a.astype(np.longdouble) for a in ((x, y) if name in TWO else (x,))], directory)
    library.f(*arguments)
    distance = np.max(np.abs(r - true) / np.spacing(np.abs(true.astype(dtype))))
    theirs, own = medians(library.repeat, [library.f, ours], arguments)
    return [f"{theirs:.2f}", f"{own:.2f}", f"{distance:.2f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"among {', '.join(RANGES)}")
    names = parser.parse_args().names or list(RANGES)
    if unknown := [name for name in names if name not in RANGES]:
        parser.error(f"no function '{unknown[0]}'; choose among {', '.join(RANGES)}")
    print("| function | libmvec, double | ours | ULP of libmvec | libmvec, float | ours | ULP of libmvec |")
    print("|---|---|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as scratch:
        for name in names:
            cells = [*row(name, np.float64, Path(scratch)), *row(name, np.float32, Path(scratch))]
            print(f"| {name} | {' | '.join(cells)} |", flush=True)


if __name__ == "__main__":
    main()
