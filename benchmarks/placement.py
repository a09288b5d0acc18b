"""The README's Python example on arrays as NumPy places them: `python benchmarks/placement.py`

Large NumPy arrays all start 16 bytes behind a page, and with rows of 2^k + 2 doubles rows of one have the low address bits of
rows of the other. Times in ns per point of `trv.compile(..., brush="auto")` and some brushes, gcc -O3, clang -O3 and Numba,
where they are there: with the arrays where NumPy put them, and the worst and the best over offsets of the output. The least of
interleaved rounds.
"""

from __future__ import annotations

import argparse
import ctypes
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

import tensorrv as trv

SOURCE: Final = """void jacobi5(int rows, int cols, const double A[restrict rows][cols], double B[restrict rows][cols])
{
    for (int j = 1; j < rows - 1; ++j)
        for (int i = 1; i < cols - 1; ++i)
            B[j][i] = .2 * (A[j - 1][i] + A[j][i - 1] + A[j][i] + A[j][i + 1] + A[j + 1][i]);
}
"""
PAGE: Final = 4096
SHIFTS: Final = (0, 64, 256, 1024, 2112, 3072, 4032)
Array = NDArray[np.float64]
Call = Callable[[Array, Array], Any]


def compiled_c(compiler: str, directory: Path) -> Call:
    """The C source as a compiler makes it."""
    source, library = directory / "jacobi5.c", directory / f"{compiler}.so"
    source.write_text(SOURCE)
    options = ["-O3", "-march=native", "-shared", "-fPIC"]
    subprocess.run([compiler, *options, str(source), "-o", str(library)], check=True, capture_output=True)
    function = ctypes.CDLL(str(library)).jacobi5

    def call(a: Array, b: Array) -> None:
        rows, cols = a.shape
        function(rows, cols, ctypes.c_void_p(a.ctypes.data), ctypes.c_void_p(b.ctypes.data))

    return call


def numba_loop() -> Call | None:
    """The loops in Python, compiled by Numba; None where there is no Numba."""
    try:
        from numba import njit
    except ImportError:
        return None

    @njit  # type: ignore[untyped-decorator, unused-ignore]
    def jacobi5(a: Array, b: Array) -> None:
        for j in range(1, a.shape[0] - 1):
            for i in range(1, a.shape[1] - 1):
                b[j, i] = 0.2 * (a[j - 1, i] + a[j, i - 1] + a[j, i] + a[j, i + 1] + a[j + 1, i])

    return jacobi5  # type: ignore[no-any-return, unused-ignore]


def placed(like: Array, shift: int) -> Array:
    """An array of this shape whose offset in its page is that of `like`, moved by `shift` bytes."""
    raw = np.zeros(like.nbytes + 2 * PAGE, np.uint8)
    start = (like.ctypes.data - raw.ctypes.data + shift) % PAGE
    return raw[start : start + like.nbytes].view(np.float64).reshape(like.shape)


def times(versions: dict[str, Call], size: int, rounds: int) -> dict[tuple[str, int], float]:
    """Nanoseconds per point of every version at every shift."""
    a = np.random.default_rng(1).random((size, size))
    outputs = {shift: placed(a, shift) for shift in SHIFTS}
    calls = max(1, 2_000_000 // a.size)
    found: dict[tuple[str, int], float] = {}
    order = list(versions.items())
    for _ in range(rounds):
        # the first one finds what the last one has left in the caches
        order.append(order.pop(0))
        for shift, b in outputs.items():
            for name, call in order:
                call(a, b)
                start = time.perf_counter()
                for _ in range(calls):
                    call(a, b)
                once = (time.perf_counter() - start) / calls / a.size * 1e9
                found[name, shift] = min(once, found.get((name, shift), once))
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default="514,1026,2050", help="rows and columns")
    parser.add_argument("--brushes", default="4x8,8x8", help="brushes beside auto")
    parser.add_argument("--rounds", type=int, default=15)
    given = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as scratch:
        versions: dict[str, Call] = {"auto": trv.compile(SOURCE, brush="auto")}
        versions |= {brush: trv.compile(SOURCE, brush=brush) for brush in given.brushes.split(",")}
        versions |= {c: compiled_c(c, Path(scratch)) for c in ("gcc", "clang", "clang-19") if shutil.which(c)}
        numba = numba_loop()
        versions |= {"numba": numba} if numba is not None else {}
        for size in map(int, given.sizes.split(",")):
            found = times(versions, size, given.rounds)
            print(f"{size} x {size}, ns per point")
            print(f"  {'':10} {'as placed':>10} {'worst':>8} {'best':>8}")
            for name in versions:
                every = [found[name, shift] for shift in SHIFTS]
                print(f"  {name:10} {found[name, 0]:10.3f} {max(every):8.3f} {min(every):8.3f}")


if __name__ == "__main__":
    main()
