"""Verification and benchmark of a compiled kernel: which code is compared with which, at which sizes."""

from __future__ import annotations

import ctypes
import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from rv.target.machine import runs_here
from tensorrv.bench import Timing, Version, gcc_library, measure, scratch_directory
from tensorrv.buffers import UnknownLength, extents
from tensorrv.diagnostics import Diagnostic, Refused
from tensorrv.interface import Interface, innermost_iterations, interface_of
from tensorrv.kernel import UNOPTIMIZED, Kernel, automatic_brush, compile_function, compile_scalar
from tensorrv.native import native_function
from tensorrv.plan import Brush
from tensorrv.reach import violation
from tensorrv.signature import Signature
from tensorrv.sizes import Sizes
from tensorrv.verify import Verification, default_sizes, verify

BENCH_SIZES: Final = {1: 1 << 20, 2: 1024, 3: 128}
OTHER_BENCH_SIZE: Final = 16
"""For a size that occurs in arrays of fewer dimensions than others have, such as a number of time steps."""


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
            _check_sizes(interface, _complete(interface.signature, values))
    except UnknownLength as error:
        span = next((p.span for p in kernel.source.parameters if p.name == error.name), None)
        message = f"the length of '{error.name}' is not known, so that there is nothing to run '{kernel.name}' on"
        hint = f"declare the parameter as an array with its length, such as {error.name}[n]"
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
    """Compares with the scalar code at the given sizes and at small sizes that leave every remainder of the brush."""
    check_runs(kernel, sizes)
    interface = interface_of(kernel.source)
    signature = interface.signature
    reference = compile_scalar(kernel.source, kernel.target)
    brush = kernel.plan.brush.sizes
    small = default_sizes(signature, interface.reaches, brush, {}, lambda values: violation(interface.nests, values) is None)
    given = [_complete(signature, s) for s in sizes]
    expected, tested = (native_function(signature, k.module.jit().address(k.name)) for k in (reference, kernel))
    return verify(signature, interface.reaches, expected, tested, [*small, *given], exact=kernel.plan.fp == "strict")


def bench_kernel(kernel: Kernel, sizes: Sequence[Sizes], source: Path | None, options: Sequence[str]) -> tuple[Benchmark, ...]:
    """Times of scalar code, inner-loop vectorization, the kernel, and gcc -O3 on the C file `source` with `options`."""
    check_runs(kernel, sizes)
    interface = interface_of(kernel.source)
    versions = {"scalar": compile_scalar(kernel.source, kernel.target, dataclasses.replace(UNOPTIMIZED, level=3))}
    inner = _inner_loop(kernel)
    if inner is not None and inner.plan.brush != kernel.plan.brush:
        versions[f"inner loop, brush {inner.plan.brush}"] = inner
    versions[f"brush {kernel.plan.brush}"] = kernel
    measured = [Version(name, k.module.jit().address(k.name)) for name, k in versions.items()]
    with scratch_directory() as scratch:
        gcc = None if source is None else gcc_library(source, kernel.target, options, Path(scratch))
        if gcc is not None:
            measured += _from_library(gcc, kernel.name)
        return tuple(_bench(interface, measured, _complete(interface.signature, s)) for s in sizes or ({},))


def _bench(interface: Interface, versions: Sequence[Version], sizes: Sizes) -> Benchmark:
    timings = measure(interface.signature, interface.reaches, versions, sizes)
    return Benchmark(sizes, innermost_iterations(interface.nests, sizes), timings)


def _inner_loop(kernel: Kernel) -> Kernel | None:
    """The same kernel with one register of the innermost brushed loop at a time; None when that is refused."""
    brush = kernel.plan.brush
    lanes = automatic_brush(kernel.source, kernel.target).sizes[-1]
    narrow = Brush((*(1,) * (brush.rank - 1), lanes), brush.names) if brush.rank else Brush((lanes,))
    try:
        return compile_function(kernel.source, dataclasses.replace(kernel.plan, brush=narrow), kernel.target)
    except Refused:
        return None


def _from_library(path: Path, name: str) -> list[Version]:
    library = ctypes.CDLL(str(path))
    address = ctypes.cast(getattr(library, name), ctypes.c_void_p).value if hasattr(library, name) else None
    return [] if address is None else [Version("gcc -O3", address)]


def _complete(signature: Signature, given: Sizes) -> Sizes:
    """The sizes that concern this function, with defaults for those that are not given."""
    own = {scalar.name for scalar in signature.scalars}
    defaults = {name: _bench_size(signature, name) for name in sorted(signature.sizes)}
    return {**defaults, **{name: value for name, value in given.items() if name in own}}


def _bench_size(signature: Signature, name: str) -> int:
    ranks: Mapping[str, int] = {array.name: len(array.extents) for array in signature.arrays}
    widest = max(ranks.values(), default=1)
    used = [ranks[a.name] for a in signature.arrays if any(e is not None and name in e.symbols for e in a.extents)]
    if used and max(used) < widest:
        return OTHER_BENCH_SIZE
    return BENCH_SIZES.get(widest if used else min(2, widest), OTHER_BENCH_SIZE)
