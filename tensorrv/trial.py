"""Verification and benchmark of a compiled kernel: which code is compared with which, at which sizes."""

from __future__ import annotations

import ctypes
import dataclasses
import os
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rv.target.machine import runs_here
from tensorrv.bench import Timing, Version, gcc_library, measure, scratch_directory
from tensorrv.buffers import PointersInside, UnknownLength, extents
from tensorrv.diagnostics import Diagnostic, Refused, render
from tensorrv.interface import Interface, innermost_iterations, interface_of
from tensorrv.kernel import UNOPTIMIZED, Kernel, compile_function, compile_scalar, register_lanes
from tensorrv.native import native_function
from tensorrv.nest_reaches import violation
from tensorrv.plan import Brush, MathMode
from tensorrv.sizes import Sizes
from tensorrv.verify import Verification, default_sizes, verify

LONGEST: Final = 120.0  # seconds that a verification may take
MAX_ELEMENTS: Final = 1 << 22
MAX_ITERATIONS: Final = 1 << 24
"""Up to where default sizes go: 1024 for a stencil on two arrays in two dimensions, 256 for a matrix product."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Times at one set of sizes; `points` is the number of innermost iterations of a call, where it is known."""

    sizes: Sizes
    points: int | None
    timings: tuple[Timing, ...]


def check_runs(kernel: Kernel, sizes: Sequence[Sizes]) -> None:
    """Raises Refused when the kernel cannot be run: for another machine, or on arrays of unknown length."""
    reason = runs_here(kernel.target)
    if reason is not None:
        message = f"code for target '{kernel.target.name}' cannot run here: {reason}"
        raise Refused(Diagnostic("error", "TRV087", message, hint="leave out --verify and --bench, or choose another target"))
    interface = interface_of(kernel.source)
    try:
        for values in sizes or ({},):
            _check_sizes(interface, complete_sizes(interface, values))
    except UnknownLength as error:
        span = next((p.span for p in kernel.source.parameters if p.name == error.name), None)
        message = f"the length of '{error.name}' is not known, so that there is nothing to run '{kernel.name}' on"
        hint = f"declare the parameter as an array with its length, such as {error.name}[n]"
        if isinstance(error, PointersInside):
            message = f"'{kernel.name}' cannot be run on random data: the structs of '{error.name}' hold pointers"
            hint = "compile it, and call it with data of your own"
        raise Refused(Diagnostic("error", "TRV088", message, span, hint=hint)) from error


def _check_sizes(interface: Interface, sizes: Sizes) -> None:
    """Raises Refused when the C source itself goes astray at these sizes, or its arrays would fill the machine's memory."""
    text = ", ".join(f"{name}={value}" for name, value in sizes.items())
    violated = violation(interface.nests, sizes)
    if violated is not None:
        message = f"{interface.signature.name}() cannot be run with {text}: {violated.why}"
        raise Refused(Diagnostic("error", "TRV088", message, hint="give other sizes with --size"))
    needed = extents(interface.signature, interface.reaches, sizes)
    total = sum(len(needed[array.name]) * array.element_size for array in interface.signature.arrays)
    if total > os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4:
        message = f"the arrays of {interface.signature.name}() would take {total / 2**30:.1f} GiB with {text}"
        raise Refused(Diagnostic("error", "TRV088", message, hint="give smaller sizes with --size"))


def verify_kernel(kernel: Kernel, sizes: Sequence[Sizes]) -> Verification:
    """Compares with the scalar code at the given sizes and at small sizes that leave every remainder of the brush.

    A kernel with vector functions is compared with scalar code that has the same functions, whose results do not depend on the
    brush; how far that is from libm's results is reported.
    """
    check_runs(kernel, sizes)
    interface = interface_of(kernel.source)
    signature = interface.signature
    modes: tuple[MathMode, ...] = ("vector", "libm") if kernel.math.vector else ("libm",)
    references = [compile_scalar(kernel.source, kernel.target, math=math) for math in modes]
    brush = kernel.plan.brush.sizes
    small = default_sizes(signature, interface.reaches, brush, {}, lambda values: violation(interface.nests, values) is None)
    given = [complete_sizes(interface, s) for s in sizes]
    tested, *expected = (native_function(signature, k.module.jit().address(k.name)) for k in (kernel, *references))
    exact = kernel.plan.fp == "strict"
    # a loop that ends when a value has become small may never end on an infinity
    counted = all(loop.trip is not None for loop in interface.nests.loops.values())
    with _time_limit(kernel):
        runs, storages = [*small, *given], kernel.storages
        found, *libm = (
            verify(
                signature,
                interface.reaches,
                reference,
                tested,
                runs,
                exact=exact and not k,
                special=counted,
                storages=storages,
            )
            for k, reference in enumerate(expected)
        )
        return dataclasses.replace(found, libm_ulps=libm[0].ulps) if libm else found


@contextmanager
def _time_limit(kernel: Kernel) -> Iterator[None]:
    """Ends the process with a diagnostic when the block takes longer than LONGEST: machine code cannot be interrupted."""

    def give_up() -> None:
        message = f"'{kernel.name}' did not end within {LONGEST:.0f} s on random data"
        hint = "loops that run until a value has some property may not end on all data; test the function on data of your own"
        print(render(Diagnostic("error", "TRV092", message, hint=hint), {}), file=sys.stderr, flush=True)
        os._exit(1)

    timer = threading.Timer(LONGEST, give_up)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def bench_kernel(kernel: Kernel, sizes: Sequence[Sizes], source: Path | None, options: Sequence[str]) -> tuple[Benchmark, ...]:
    """Times of scalar code, inner-loop vectorization, the kernel, and gcc -O3 on the C file `source` with `options`."""
    check_runs(kernel, sizes)
    interface = interface_of(kernel.source)
    versions = {"scalar": compile_scalar(kernel.source, kernel.target, dataclasses.replace(UNOPTIMIZED, level=3))}
    inner = _inner_loop(kernel)
    if inner is not None and inner.plan != kernel.plan:
        versions[f"inner loop, brush {inner.plan.brush}"] = inner
    stored = "".join(f", {name} {layout}" for name, layout in kernel.plan.layouts)
    versions[f"brush {kernel.plan.brush}{stored}"] = kernel
    measured = [Version(name, k.module.jit().address(k.name), k.storages) for name, k in versions.items()]
    with scratch_directory() as scratch:
        gcc = None if source is None else gcc_library(source, kernel.target, options, Path(scratch))
        if gcc is not None:
            measured += _from_library(gcc, kernel.name)
        threads = kernel.plan.threads != "none"
        return tuple(_bench(interface, measured, complete_sizes(interface, s), threads) for s in sizes or ({},))


def _bench(interface: Interface, versions: Sequence[Version], sizes: Sizes, threads: bool) -> Benchmark:
    timings = measure(interface.signature, interface.reaches, versions, sizes, threads=threads)
    return Benchmark(sizes, innermost_iterations(interface.nests, sizes), timings)


def _inner_loop(kernel: Kernel) -> Kernel | None:
    """The kernel on row-major arrays, with one register of the innermost brushed loop at a time; None when that is refused."""
    brush = kernel.plan.brush
    lanes = register_lanes(kernel.source, kernel.target)
    narrow = Brush((*(1,) * (brush.rank - 1), lanes), brush.names) if brush.rank else Brush((lanes,))
    try:
        plan = dataclasses.replace(kernel.plan, brush=narrow, threads="none", layouts=())
        return compile_function(kernel.source, plan, kernel.target)
    except Refused:
        return None


def _from_library(path: Path, name: str) -> list[Version]:
    library = ctypes.CDLL(str(path))
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value if hasattr(library, name) else None
    return [] if address is None else [Version("gcc -O3", address)]


def complete_sizes(interface: Interface, given: Sizes) -> Sizes:
    """The sizes that concern this function; the others get one power of two, as large as the limits allow."""
    signature = interface.signature
    own = {scalar.name for scalar in signature.scalars}
    known = {name: value for name, value in given.items() if name in own}
    size = 1 << 20
    while True:
        sizes = {**dict.fromkeys(sorted(signature.sizes), size), **known}
        elements = sum(map(len, extents(signature, interface.reaches, sizes).values()))
        iterations = innermost_iterations(interface.nests, sizes) or 0
        if size == 1 or (elements <= MAX_ELEMENTS and iterations <= MAX_ITERATIONS):
            return sizes
        size //= 2
