"""Times of several versions of one kernel, measured interleaved so that a disturbance affects all of them.

A sample is as many calls as fill a few milliseconds, made by a loop in machine code; a result is the median of the
samples with its quartiles. Arrays that begin at equal offsets in their pages are timed beside arrays that are spread: NumPy's
large ones do, and loads are then taken for those of what has just been stored.
"""

from __future__ import annotations

import shutil
import statistics
import subprocess
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from layouts.layout import Layout
from rv.ir.types import I64, PTR
from rv.target.llvm import jit
from rv.target.machine import Target, resolve_target
from tensorrv.check.buffers import Buffer, Placement, make_buffers, make_scalars, offset, stored_buffer
from tensorrv.check.given.values import NOTHING, Given
from tensorrv.check.sizes import Sizes
from tensorrv.check.timing import THREAD_CLOCK, TIMER, WALL_CLOCK, timing_module
from tensorrv.interface.reach import Reaches
from tensorrv.interface.signature import ArrayArgument, ScalarArgument, Signature
from tensorrv.interface.storage.runs import ROWS, Storages
from tensorrv.pipeline.native import native_function

SAMPLES: Final = 25
SAMPLE_NANOSECONDS: Final = 3e6
MAX_REPETITIONS: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Version:
    """One version of the kernel: machine code at `address`, which takes the arrays of `storages` in a layout of their own."""

    name: str
    address: int
    storages: Storages = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Timing:
    """Nanoseconds of one call: the median of the samples and the quartiles around it, for arrays that are spread.

    `together`: the median for arrays at equal offsets in their pages; None where there are not several arrays.
    """

    version: str
    median: float
    low: float
    high: float
    together: float | None = None


class Stopwatch:
    """Times calls of versions of one function on one set of arrays: processor time, or elapsed time if they use `threads`.

    `storages` are the arrays that a version takes in a layout of its own; the elements are the same. For every placement there is
    a set of arrays, made on first use. Raises UnknownLength.
    """

    def __init__(
        self, signature: Signature, reaches: Reaches, sizes: Sizes, *, threads: bool = False, given: Given = NOTHING
    ) -> None:
        random = np.random.default_rng(1)
        self._sizes = sizes
        self._reaches = reaches
        self._given = given
        spread = make_buffers(signature, reaches, sizes, random, given=given)
        self._rows: dict[Placement, Mapping[str, Buffer]] = {"spread": spread}
        self._scalars = make_scalars(signature, sizes, random, given)
        self._first = {name: buffer.elements.copy() for name, buffer in spread.items() if name in _steering(signature)}
        self._signature = signature
        self._stored: dict[tuple[Placement, tuple[tuple[str, Layout], ...]], Mapping[str, Buffer]] = {}
        native = resolve_target("native")
        self._code = jit(timing_module(signature, WALL_CLOCK if threads else THREAD_CLOCK, native), native)
        self._timer = native_function(_timer_signature(signature), self._code.address(TIMER))

    @property
    def array_bytes(self) -> int:
        """The size of all arrays together."""
        return sum(buffer.elements.nbytes for buffer in self._rows["spread"].values())

    def time(self, address: int, repetitions: int, storages: Storages = ROWS, placement: Placement = "spread") -> float:
        """Nanoseconds of one call of the function at `address`, on average over the repetitions."""
        buffers = self._buffers(storages, placement)
        arguments = self._signature.arguments
        passed = [buffers[a.name].address if isinstance(a, ArrayArgument) else self._scalars[a.name] for a in arguments]
        if not self._first:
            return float(self._timer(address, repetitions, *passed)) / repetitions
        return sum(self._timed_anew(address, passed, buffers) for _ in range(repetitions)) / repetitions

    def _timed_anew(self, address: int, passed: Sequence[Any], buffers: Mapping[str, Buffer]) -> float:
        """Nanoseconds of a call that begins with what was in the arrays at first."""
        for name, elements in self._first.items():
            buffers[name].elements[:] = elements
        return float(self._timer(address, 1, *passed))

    def repetitions(self, address: int, storages: Storages = ROWS) -> int:
        """How many calls fill a sample; the first calls also bring the data into the caches."""
        once = self.time(address, 1, storages)
        if once < SAMPLE_NANOSECONDS / 10:
            few = max(1, min(MAX_REPETITIONS, int(SAMPLE_NANOSECONDS / 10 / max(once, 1))))
            once = self.time(address, few, storages)
        return max(1, min(MAX_REPETITIONS, int(SAMPLE_NANOSECONDS / max(once, 1))))

    def _buffers(self, storages: Storages, placement: Placement) -> Mapping[str, Buffer]:
        """The arrays in the layouts of a version, made on first use."""
        key = placement, tuple((name, storage.layout) for name, storage in storages.items())
        if placement not in self._rows:
            random = np.random.default_rng(1)
            self._rows[placement] = make_buffers(
                self._signature, self._reaches, self._sizes, random, placement=placement, given=self._given
            )
        if key not in self._stored:
            self._stored[key] = {
                name: stored_buffer(storages[name], rows, self._sizes, offset(placement, number)) if name in storages else rows
                for number, (name, rows) in enumerate(self._rows[placement].items())
            }
        return self._stored[key]


def measure(
    signature: Signature, reaches: Reaches, versions: Sequence[Version], sizes: Sizes, samples: int = SAMPLES,
    *, threads: bool = False, given: Given = NOTHING, timing: Callable[[str], None] = lambda version: None,
) -> tuple[Timing, ...]:  # fmt: skip
    """Times of all versions for these sizes: see `Stopwatch`. `timing` gets the version that runs. Raises UnknownLength."""
    stopwatch = Stopwatch(signature, reaches, sizes, threads=threads, given=given)
    placements: tuple[Placement, ...] = ("spread", "together") if len(signature.arrays) > 1 else ("spread",)
    found: dict[tuple[str, Placement], list[float]] = {(version.name, p): [] for version in versions for p in placements}
    repetitions: dict[str, int] = {}
    for version in versions:
        timing(version.name)
        repetitions[version.name] = stopwatch.repetitions(version.address, version.storages)
    for _ in range(samples):
        for version in versions:
            timing(version.name)
            for placement in placements:
                time = stopwatch.time(version.address, repetitions[version.name], version.storages, placement)
                found[version.name, placement].append(time)
    names = [version.name for version in versions]
    return tuple(_timing(name, found[name, "spread"], found.get((name, "together"))) for name in names)


def gcc_library(source: Path, target: Target, options: Sequence[str], directory: Path) -> Path | None:
    """The C file as gcc -O3 compiles it for this machine; None when there is no gcc or it fails."""
    compiler = shutil.which("gcc")
    if compiler is None:
        return None
    march = "native" if target.name == "native" else target.cpu
    output = directory / "gcc.so"
    command = [compiler, "-O3", f"-march={march}", "-shared", "-fPIC", "-w", *options, str(source), "-o", str(output), "-lm"]
    result = subprocess.run(command, capture_output=True, check=False)
    return output if result.returncode == 0 else None


def scratch_directory() -> tempfile.TemporaryDirectory[str]:
    """A directory that disappears after use."""
    return tempfile.TemporaryDirectory(prefix="tensorrv-")


def _timer_signature(signature: Signature) -> Signature:
    first = (ScalarArgument("function", PTR, False, "void *"), ScalarArgument("repetitions", I64, True, "long"))
    return Signature(TIMER, (*first, *signature.arguments), I64)


def _steering(signature: Signature) -> frozenset[str]:
    """Arrays of subscripts and ends of loops that the function itself writes: a second call would go on where the first ended."""
    return frozenset(a.name for a in signature.arrays if a.written and (a.subscript or a.limits != "none"))


def _timing(name: str, times: Sequence[float], together: Sequence[float] | None) -> Timing:
    other = None if together is None else statistics.median(together)
    if len(times) < 2:
        return Timing(name, times[0], times[0], times[0], other)
    low, median, high = statistics.quantiles(times, n=4)
    return Timing(name, median, low, high, other)
