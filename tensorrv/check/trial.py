"""Verification and benchmark of a compiled kernel: which code is compared with which, at which sizes."""

from __future__ import annotations

import dataclasses
import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from rv.analysis.values.effects import is_pure_call
from rv.ir.instructions import Binary, Call
from rv.target.llvm import ObjectImage, missing_symbols
from rv.target.machine import Target, runs_here
from tensorrv.check.bench import Timing, gcc_library, scratch_directory
from tensorrv.check.buffers import PointersInside, Special, UnknownLength, bytes_needed, lengths
from tensorrv.check.compiler import CSource, Library, unoptimized
from tensorrv.check.faults import doubted, run_apart, undefined_on_data
from tensorrv.check.given.values import NOTHING, Given
from tensorrv.check.invented_lengths import InterfaceToRun, interface_to_run
from tensorrv.check.reference import reference
from tensorrv.check.runs import GCC_VERSION, SCALAR_VERSION, Comparison, Measurement
from tensorrv.check.sizes import Sizes
from tensorrv.check.verify import SPECIALS, Verification, default_sizes
from tensorrv.interface.facts import Interface, innermost_iterations
from tensorrv.interface.nest_reaches import violation
from tensorrv.interface.storage.runs import ROWS, Storages
from tensorrv.pipeline.kernel import Kernel, compile_function, compile_scalar, register_lanes
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import Brush, MathMode
from tensorrv.unit.callable_units import is_closed, opened
from tensorrv.unit.unit import Unit

WITHOUT_BRUSH: Final = 16
"""Scalar code is run at the sizes for a brush of so many iterations."""
MAX_ELEMENTS: Final = 1 << 22
MAX_ITERATIONS: Final = 1 << 24
"""Up to where default sizes go: 1024 for a stencil on two arrays in two dimensions, 256 for a matrix product."""


@dataclass(frozen=True, slots=True)
class Benchmark:
    """Times at one set of sizes; `points` is the number of innermost iterations of a call, where it is known."""

    sizes: Sizes
    points: int | None
    timings: tuple[Timing, ...]


def check_runs(kernel: Kernel, sizes: Sequence[Sizes], given: Given = NOTHING) -> None:
    """Raises Refused when the kernel cannot be run: for another machine, or on arrays of unknown length."""
    reason = runs_here(kernel.target)
    if reason is not None:
        message = f"code for target '{kernel.target.name}' cannot run here: {reason}"
        raise Refused(Diagnostic("error", "TRV087", message, hint="leave out --verify and --bench, or choose another target"))
    _check_symbols(kernel, given)
    for values in sizes or ({},):
        sizes_to_run(kernel.source, values, given)


def runnable(kernel: Kernel) -> Kernel:
    """The kernel, or the same with structs that are passed by value, and what its file defines outside of it, as parameters."""
    return compile_function(opened(kernel.source), kernel.plan, kernel.target) if is_closed(kernel.source) else kernel


def sizes_to_run(function: Unit, values: Sizes, given: Given = NOTHING) -> Sizes:
    """Sizes for all that concerns the function. Raises Refused when it cannot be run with them."""
    _check_surroundings(function, given)
    interface = interface_to_run(function, given)
    try:
        sizes = complete_sizes(interface, values, given)
        _check_sizes(interface, sizes, given)
    except UnknownLength as error:
        span = next((p.span for p in function.parameters if p.name == error.name), None)
        message = f"the length of '{error.name}' is not known, so that there is nothing to run '{function.name}' on"
        hint = (
            f"declare the parameter as an array with its length, such as {error.name}[n], or give --length {error.name}=n, "
            "or arrays of your own with --data"
        )
        if isinstance(error, PointersInside):
            message = f"'{function.name}' cannot be run on random data: the structs of '{error.name}' hold pointers"
            hint = "compile it, and call it with data of your own"
        raise Refused(Diagnostic("error", "TRV088", message, span, hint=hint)) from error
    return sizes


def try_source(function: Unit, target: Target, sizes: Sizes, given: Given = NOTHING) -> None:
    """Runs the source as it stands in a child process. Raises Refused when it faults, never ends or takes too much memory."""
    interface = interface_to_run(function, given)
    image = reference(function, target).image
    request = Comparison(
        function.function, interface.signature, interface.reaches, (sizes,), image, None, ROWS, given=given
    )
    run_apart(function, request)


_HARMLESS: Final = frozenset(
    "printf fprintf puts putchar fputs fputc fflush clock time gettimeofday clock_gettime omp_get_wtime omp_get_max_threads "
    "omp_get_num_threads omp_get_thread_num malloc calloc free memcpy memmove memset exit abort __assert_fail".split()
)
"""Functions that a run on random data may call."""


def _check_symbols(kernel: Kernel, given: Given) -> None:
    """Raises Refused when the kernel uses what this process does not have."""
    _check_surroundings(kernel.source, given)
    missing = missing_symbols(kernel.module.image)
    if missing:
        message = f"'{kernel.name}' uses '{missing[0]}', which is defined elsewhere, so that it cannot be run by itself"
        raise Refused(Diagnostic("error", "TRV088", message, kernel.source.function.span, hint="leave out --verify and --bench"))


def _check_surroundings(function: Unit, given: Given) -> None:
    """Raises Refused when a run would need what only a program has, or on random data do more than compute."""
    for _, call in function.function.instructions():
        if isinstance(call, Call) and not is_pure_call(call) and call.callee not in _HARMLESS and not given.arrays:
            message = f"'{function.name}' calls '{call.callee}', which is not to be done on random data"
            hint = "give data of your own with --data"
            raise Refused(Diagnostic("error", "TRV088", message, call.span, "called here", hint=hint))


def _check_sizes(interface: InterfaceToRun, sizes: Sizes, given: Given) -> None:
    """Raises Refused when the C source itself goes astray at these sizes, or its arrays would fill the machine's memory."""
    text = ", ".join(f"{name}={value}" for name, value in sizes.items())
    violated = violation(interface.nests, sizes)
    if violated is not None:
        message = f"{interface.signature.name}() cannot be run with {text}: {violated.why}"
        raise Refused(Diagnostic("error", "TRV088", message, hint="give other sizes with --size"))
    _check_lengths(interface, sizes, given)
    total = bytes_needed(interface.signature, interface.reaches, sizes, given)
    if total > os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") // 4:
        message = f"the arrays of {interface.signature.name}() would take {total / 2**30:.1f} GiB with {text}"
        raise Refused(Diagnostic("error", "TRV088", message, hint="give smaller sizes with --size"))


def _check_lengths(interface: InterfaceToRun, sizes: Sizes, given: Given) -> None:
    """Raises Refused when an array that is given, or whose length is, has fewer elements than are accessed."""
    name = interface.signature.name
    for array, reach in interface.known(sizes).items():
        length = given.arrays[array].size if array in given.arrays else given.constraints.length_of(array, sizes)
        if length is not None and reach is not None and reach.low <= reach.high and not 0 <= reach.low <= reach.high < length:
            missed = reach.high if reach.high >= length else reach.low
            message = f"'{array}' of {name}() is given {length} elements, but element {missed} is accessed"
            raise Refused(Diagnostic("error", "TRV104", message, hint="give as many elements as the loops access"))


def verify_kernel(
    kernel: Kernel, sizes: Sequence[Sizes], source: CSource | None = None, given: Given = NOTHING, *, small: bool = True
) -> Verification:
    """Compares with the scalar code at the given sizes and, if `small`, at small sizes that leave every remainder of the brush.

    What is given goes before what is invented; where arrays are, they decide the sizes.

    A kernel with vector functions is compared with scalar code that has the same functions, whose results do not depend on the
    brush; how far that is from libm's results is reported. With `source` the scalar code is also compared with what the C
    compiler makes of that. All code runs in a child process. Raises Refused when the source cannot be run, Wrong when the
    kernel does not terminate where the source does, or when the scalar code and the C compiler's code differ.
    """
    check_runs(kernel, sizes, given)
    with scratch_directory() as scratch:
        library = unoptimized(source, kernel.target, Path(scratch))
        references = References(kernel.source, kernel.target)
        request = comparison(kernel, sizes, references, library, given, small=small)
        found: Verification = run_apart(kernel.source, request)
    if found.doubt is not None:
        raise doubted(kernel.source, found)
    if given.arrays and found.left_out == found.runs:
        raise undefined_on_data(kernel.source, found.undefined)
    return found


@dataclass(slots=True)
class References:
    """The scalar code that the kernels of a function are compared with, compiled on first use."""

    source: Unit
    target: Target
    compiled: dict[MathMode, ObjectImage] = field(default_factory=dict)

    def image(self, math: MathMode) -> ObjectImage:
        if math not in self.compiled:
            self.compiled[math] = reference(self.source, self.target, math).image
        return self.compiled[math]


def comparison(
    kernel: Kernel,
    sizes: Sequence[Sizes],
    references: References,
    library: Library | None = None,
    given: Given = NOTHING,
    *,
    small: bool = True,
) -> Comparison:
    """What is to be run to verify a kernel. Raises Refused when it cannot be run."""
    interface = interface_to_run(kernel.source, given)
    reaches = interface.reaches
    runs: tuple[Sizes, ...]
    if _is_whole(interface, given):
        runs = (complete_sizes(interface, {}, given),)
    else:
        wanted = (complete_sizes(interface, s, given) for s in sizes)
        runs = (*(_small_sizes(kernel, interface, given) if small or not sizes else ()), *wanted)
    vector = bool(kernel.math.vector)
    return Comparison(
        kernel.source.function,
        interface.signature,
        reaches,
        runs,
        references.image("vector" if vector else "libm"),
        kernel.module.image,
        kernel.storages,
        references.image("libm") if vector else None,
        library,
        exact=kernel.plan.fp == "strict",
        specials=_specials(interface),
        given=given,
    )


def _is_whole(interface: Interface, given: Given) -> bool:
    """Whether nothing is left to invent, so that all runs would be the same."""
    return {argument.name for argument in interface.signature.arguments} <= given.arrays.keys() | given.numbers.keys()


def _small_sizes(kernel: Kernel, interface: Interface, given: Given) -> tuple[Sizes, ...]:
    """Small sizes from which trip counts take the residues of the brush; those that are given stay."""
    plan = kernel.plan
    return default_sizes(
        interface.signature,
        interface.reaches,
        (*(plan.brush.sizes or (WITHOUT_BRUSH,)), *plan.tile.sizes),
        _given_sizes(interface, given),
        lambda values: violation(interface.nests, values) is None,
        lambda values: innermost_iterations(interface.nests, values),
    )


def _given_sizes(interface: Interface, given: Given) -> dict[str, int]:
    """The sizes among the numbers that are given."""
    return {name: value for name, value in given.numbers.items() if name in interface.signature.sizes and isinstance(value, int)}


def _specials(interface: Interface) -> tuple[Special, ...]:
    """The special values that the source can be expected to stand."""
    nests = interface.nests
    # a loop that ends when a value has become small may never end on an infinity
    counted = all(loop.trip is not None for loop in nests.loops.values())
    divided = any(isinstance(i, Binary) and i.op in ("sdiv", "udiv", "srem", "urem") for _, i in nests.function.instructions())
    return tuple(Special(s.floats * counted, s.integers * (counted and not divided)) for s in SPECIALS)


def bench_kernel(
    kernel: Kernel, sizes: Sequence[Sizes], source: CSource | None, given: Given = NOTHING
) -> tuple[Benchmark, ...]:
    """Times of scalar code, inner-loop vectorization, the kernel, and gcc -O3 on the C source.

    All code runs in a child process. Raises Refused when the source cannot be run, Wrong when only the kernel cannot.
    """
    check_runs(kernel, sizes, given)
    interface = interface_to_run(kernel.source, given)
    versions = {SCALAR_VERSION: compile_scalar(kernel.source, kernel.target)}
    inner = _inner_loop(kernel)
    if inner is not None and inner.plan != kernel.plan:
        versions[f"inner loop, brush {inner.plan.brush}"] = inner
    stored = "".join(f", {name} {layout}" for name, layout in kernel.plan.layouts)
    versions[f"brush {kernel.plan.brush}{stored}"] = kernel
    measured: dict[str, tuple[ObjectImage | Library, Storages]]
    measured = {name: (k.module.image, k.storages) for name, k in versions.items()}
    with scratch_directory() as scratch:
        gcc = None if source is None else gcc_library(source.path, kernel.target, source.options, Path(scratch))
        if gcc is not None:
            measured[GCC_VERSION] = Library(gcc, GCC_VERSION), ROWS
        wanted = dict.fromkeys(tuple(complete_sizes(interface, s, given).items()) for s in sizes or ({},))
        return tuple(_bench(kernel, interface, measured, dict(values), given) for values in wanted)


def _bench(
    kernel: Kernel,
    interface: Interface,
    versions: Mapping[str, tuple[ObjectImage | Library, Storages]],
    sizes: Sizes,
    given: Given,
) -> Benchmark:
    threads = kernel.plan.threads != "none"
    request = Measurement(interface.signature, interface.reaches, sizes, versions, threads, given)
    timings: tuple[Timing, ...] = run_apart(kernel.source, request)
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


def complete_sizes(interface: Interface, values: Sizes, given: Given = NOTHING) -> Sizes:
    """The sizes that concern this function; the others get one power of two, as large as the limits allow."""
    signature = interface.signature
    own = {scalar.name for scalar in signature.scalars}
    known = {name: value for name, value in values.items() if name in own} | _given_sizes(interface, given)
    size = 1 << 20
    while True:
        sizes = {**dict.fromkeys(sorted(signature.sizes), size), **known}
        if size == 1 or (violation(interface.nests, sizes) is None and _fits(interface, sizes, given)):
            return sizes
        size //= 2


def _fits(interface: Interface, sizes: Sizes, given: Given) -> bool:
    elements = sum(lengths(interface.signature, interface.reaches, sizes, given).values())
    return elements <= MAX_ELEMENTS and (innermost_iterations(interface.nests, sizes) or 0) <= MAX_ITERATIONS
