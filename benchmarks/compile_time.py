"""How long compilation takes on large inputs, by stage, and how it grows: `python benchmarks/compile_time.py [NAME...]`.

    python benchmarks/compile_time.py                     # all inputs
    python benchmarks/compile_time.py nested_ifs_300 --profile

Times are seconds of processor time of one run. `python` is everything but LLVM's pipeline.
"""

from __future__ import annotations

import argparse
import cProfile
import pstats
import time
from collections.abc import Callable, Iterator
from itertools import product
from typing import Final

from rv.target.machine import resolve_target
from tensorrv.frontend.module import parse_c
from tensorrv.kernel import compile_function
from tensorrv.plan import Plan, parse_brush


def _kernel(parameters: str, body: str) -> str:
    return f"void kernel(int n, {parameters})\n{{\n    for (int i = 0; i < n; ++i) {{\n{body}\n    }}\n}}\n"


def nested_ifs(depth: int) -> str:
    """`depth` conditions inside each other, each with work of its own."""
    opening = "\n".join(f"if (x > {k}.0) {{ s += A[i] * {k}.5;" for k in range(depth))
    body = f"double x = A[i], s = 0;\n{opening}\n{'}' * depth}\nB[i] = s;"
    return _kernel("const double *restrict A, double *restrict B", body)


def chained_ifs(count: int) -> str:
    """`count` conditions one after the other, which lanes answer differently, with a store in every other arm: 3 blocks each."""
    arms = "\n".join(
        f"if (x > {k}.0) {{ s = s * {k}.5 + 1; B[i] = s; }} else {{ s = s - x; x = x / 1.5; }}" for k in range(count)
    )
    return _kernel("const double *restrict A, double *restrict B", f"double x = A[i], s = 0;\n{arms}\nB[i] = s;")


def small_loops(count: int) -> str:
    """`count` loops that lanes leave at different times, one after the other."""
    loops = "\n".join(f"while (x < {k + 2}.0) {{ x = x * 1.5 + 1; if (x > 1e6) break; s += x; }}" for k in range(count))
    return _kernel("const double *restrict A, double *restrict B", f"double x = A[i], s = 0;\n{loops}\nB[i] = s;")


def deep_loops(count: int) -> str:
    """A chain of `count` small sequential loops with known counts around loads."""
    loops = "\n".join(f"for (int k{k} = 0; k{k} < n; ++k{k}) s += A[k{k}] * {k}.5;" for k in range(count))
    return _kernel("const double *restrict A, double *restrict B", f"double s = 0;\n{loops}\nB[i] = s;")


def gotos(count: int) -> str:
    """A body of `count` labels; each jumps forward to one of the next two."""
    states = "\n".join(
        f"l{k}: s = s * 1.5 + x; x = x - 1; if (x > {k}.0) goto l{min(k + 2, count)};" for k in range(count)
    )
    return _kernel("const double *restrict A, double *restrict B", f"double x = A[i], s = 0;\n{states}\nl{count}: B[i] = s;")


def straight_line(statements: int) -> str:
    """`statements` assignments to variables without control flow."""
    lines = "\n".join(f"double v{k} = v{k - 1} * {k}.5 + A[i + {k % 64}] - v{k // 2};" for k in range(1, statements))
    return _kernel("const double *restrict A, double *restrict B", f"double v0 = A[i];\n{lines}\nB[i] = v{statements - 1};")


def many_stores(statements: int) -> str:
    """`statements` elements of one array written in each iteration."""
    lines = "\n".join(f"B[{statements} * i + {k}] = A[{statements} * i + {k}] * {k}.5;" for k in range(statements))
    return _kernel("const double *restrict A, double *restrict B", lines)


def many_arrays(count: int, qualifier: str = "restrict") -> str:
    """A sum of `count` arrays."""
    parameters = ", ".join(f"const double *{qualifier} A{k}" for k in range(count))
    terms = " + ".join(f"A{k}[i]" for k in range(count))
    return _kernel(f"{parameters}, double *{qualifier} B", f"B[i] = {terms};")


def many_outputs(count: int, qualifier: str = "restrict") -> str:
    """`count` arrays, each of which is written."""
    parameters = ", ".join(f"double *{qualifier} A{k}" for k in range(count))
    return _kernel(parameters, "\n".join(f"A{k}[i] = A{k}[i] * {k}.5 + A{(k + 1) % count}[i];" for k in range(count)))


def box_stencil(width: int) -> str:
    """A three-dimensional stencil over width x width x width neighbours."""
    reach = width // 2
    terms = [
        f"A[k + {dk}][j + {dj}][i + {di}]" for dk, dj, di in product(range(-reach, reach + 1), repeat=3)
    ]
    total = " +\n".join(terms).replace("+ -", "- ")
    return (
        "void kernel(int n, const double A[restrict n][n][n], double B[restrict n][n][n])\n{\n"
        f"    for (int k = {reach}; k < n - {reach}; ++k)\n    for (int j = {reach}; j < n - {reach}; ++j)\n"
        f"    for (int i = {reach}; i < n - {reach}; ++i)\n        B[k][j][i] = {total};\n}}\n"
    )


def nested_loops(count: int) -> str:
    """`count` separate nests of two loops."""
    nests = "\n".join(
        f"for (int j = 1; j < n - 1; ++j) for (int i = 1; i < n - 1; ++i) B[j][i] = A[j][i - 1] * {k}.5 + A[j][i + 1];"
        for k in range(count)
    )
    return f"void kernel(int n, const double A[restrict n][n], double B[restrict n][n])\n{{\n{nests}\n}}\n"


INPUTS: Final[dict[str, tuple[Callable[[int], str], int, str]]] = {
    "nested_ifs_300": (nested_ifs, 300, "8"),
    "chained_ifs_70": (chained_ifs, 70, "8"),
    "chained_ifs_350": (chained_ifs, 350, "8"),
    "small_loops_40": (small_loops, 40, "8"),
    "deep_loops_60": (deep_loops, 60, "8"),
    "gotos_200": (gotos, 200, "8"),
    "straight_line_2000": (straight_line, 2000, "8"),
    "many_stores_200": (many_stores, 200, "8"),
    "many_arrays_50": (many_arrays, 50, "8"),
    "many_outputs_50": (many_outputs, 50, "8"),
    "many_outputs_may_alias_20": (lambda n: many_outputs(n, ""), 20, "8"),
    "box_stencil_9": (box_stencil, 9, "4x8"),
    "nested_loops_40": (nested_loops, 40, "4x8"),
}


def timed(name: str, size: int | None = None) -> Iterator[tuple[str, float]]:
    """Seconds by stage."""
    make, default, brush = INPUTS[name]
    text = make(size or default)
    start = time.process_time()
    (function,) = parse_c("<generated>", text=text).functions
    yield "front end", time.process_time() - start
    kernel = compile_function(function, Plan(parse_brush(brush)), resolve_target("avx512"))
    for stage in kernel.times:
        yield stage.stage, stage.seconds
    yield "blocks", len(function.function.blocks)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("names", nargs="*", default=list(INPUTS))
    parser.add_argument("--profile", action="store_true")
    parser.add_argument("--size", type=int)
    options = parser.parse_args()
    for name in options.names:
        profile = cProfile.Profile() if options.profile else None
        if profile:
            profile.enable()
        try:
            found = list(timed(name, options.size))
        except Exception as error:
            found = [(f"{type(error).__name__}: {str(error)[:300]}", 0.0)]
        print(name, "  ".join(f"{stage} {seconds:.2f}" for stage, seconds in found), flush=True)
        if profile:
            profile.disable()
            pstats.Stats(profile).sort_stats("cumulative").print_stats(70)
            pstats.Stats(profile).sort_stats("tottime").print_stats(25)


if __name__ == "__main__":
    main()
