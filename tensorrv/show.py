"""What people see of a run: short tables on standard output. Each function also gives the same facts as plain data."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from rv.ir.printer import print_function
from tensorrv.facts import FunctionFacts
from tensorrv.kernel import Kernel
from tensorrv.tables import show_table

if TYPE_CHECKING:
    from tensorrv.trial import Benchmark
    from tensorrv.verify import Verification

Facts = dict[str, Any]


STAGE_TEXTS: Final[Mapping[str, Callable[[Kernel], str]]] = {
    "frontend": lambda kernel: print_function(kernel.source.function),
    "prepare": lambda kernel: print_function(kernel.tensorized.function),
    "tensorize": lambda kernel: kernel.tensorized.llvm,
    "optimize": lambda kernel: kernel.module.ir,
}


def stages_text(facts: FunctionFacts, stages: Sequence[str]) -> None:
    """Records the code of a function after the given stages."""
    facts.printed = {stage: STAGE_TEXTS[stage](facts.kernel) for stage in stages}


def summary(facts: FunctionFacts) -> None:
    """One line on what was compiled and written, and the code after the stages that were asked for."""
    kernel = facts.kernel
    written = ", ".join(map(str, facts.files))
    print(f"{kernel.name}: {kernel.plan}, target {kernel.target.name}" + (f" -> {written}" if written else ""))
    for stage, text in facts.printed.items():
        print(f"\n--- {kernel.name} after {stage}\n{text.rstrip()}\n")


def verification(kernel: Kernel, found: Verification, *, quiet: bool) -> Facts:
    """Says whether the kernel equals the scalar code."""
    strict = kernel.plan.fp == "strict"
    if not quiet:
        if found.difference is not None:
            print(f"{kernel.name}: DIFFERENT: {found.difference}")
        elif strict:
            print(f"{kernel.name}: verified, {found.runs} runs, {found.elements} elements bit-identical to the scalar code")
        else:
            print(f"{kernel.name}: {found.runs} runs, {found.elements} elements at most {found.ulps} ULP from the scalar code")
    difference = found.difference
    return {
        "equal": difference is None,
        "runs": found.runs,
        "elements": found.elements,
        "max_ulp": found.ulps,
        "difference": None
        if difference is None
        else {
            "sizes": dict(difference.sizes),
            "where": difference.where,
            "index": None if difference.index is None else list(difference.index),
            "expected": difference.expected,
            "found": difference.found,
        },
    }


def benchmark(kernel: Kernel, found: Benchmark, *, quiet: bool) -> Facts:
    """A table of times with the speed relative to the first row and to gcc."""
    sizes = ", ".join(f"{name}={value}" for name, value in found.sizes.items())
    if not quiet:
        unit = "ns/point" if found.points else "ns/call"
        share = found.points or 1
        slowest = found.timings[0].median
        gcc = next((t.median for t in found.timings if t.version.startswith("gcc")), None)
        headers = ("version", unit, "+-", "vs scalar", *(("vs gcc",) if gcc else ()))
        rows = [
            (
                timing.version,
                f"{timing.median / share:.3f}",
                f"{(timing.high - timing.low) / 2 / timing.median * 100:.0f}%",
                f"{slowest / timing.median:.2f}x",
                *((f"{gcc / timing.median:.2f}x",) if gcc else ()),
            )
            for timing in found.timings
        ]
        show_table(f"{kernel.name}, {sizes or 'no sizes'}", headers, rows)
    return {
        "sizes": dict(found.sizes),
        "points": found.points,
        "versions": [
            {
                "version": timing.version,
                "ns_per_call": timing.median,
                "ns_per_call_quartiles": [timing.low, timing.high],
                "ns_per_point": timing.median / found.points if found.points else None,
            }
            for timing in found.timings
        ],
    }
