"""The text output of a run: short texts and tables on standard output."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from rv.evolution.facts import Legal
from tensorrv.cli.facts import FunctionFacts
from tensorrv.cli.steps import STEPS
from tensorrv.pipeline.kernel import Kernel
from tensorrv.report.tables import show_table

if TYPE_CHECKING:
    from tensorrv.check.trial import Benchmark
    from tensorrv.check.verify import Verification


def function(facts: FunctionFacts) -> None:
    """Everything about one function, in the order in which it was found out."""
    kernel = facts.kernel
    written = ", ".join(map(str, facts.files))
    used = "; ".join(_used_brushes(kernel))
    plan = f"{kernel.plan} ({used})" if used else str(kernel.plan)
    print(f"{kernel.name}: {plan}, target {kernel.target.label}" + (f" -> {written}" if written else ""))
    if kernel.versions:
        print(f"{kernel.name}: vector versions {', '.join(version.name for version in kernel.versions)}")
    if str(kernel.math) and (kernel.plan.vector_math or facts.explanation is not None):
        print(f"{kernel.name}: {kernel.math}")
    if facts.explanation is not None:
        from tensorrv.pipeline.explain.text import explanation_text

        print(explanation_text(kernel.name, facts.explanation))
    if facts.layout_cost is not None:
        from tensorrv.pipeline.layout_cost import layout_cost_text

        print("\n".join(layout_cost_text(kernel.name, facts.layout_cost)))
    for step, text in facts.printed:
        print(f"\n--- {kernel.name} after {step}: {STEPS[step]}\n{text.rstrip()}\n")
    if facts.verification is not None:
        print(f"{kernel.name}: {_verdict(facts.verification, strict=kernel.plan.fp == 'strict')}")
    for found in facts.benchmarks:
        _times(kernel.name, found)


def _used_brushes(kernel: Kernel) -> Iterator[str]:
    """What the brush became in each nest that takes it, such as `j=4, i=8`."""
    loops = kernel.tensorized.widened.context.loops
    for choice in kernel.tensorized.choices:
        if isinstance(choice.outcome, Legal):
            yield ", ".join(f"{loops[header].name}={size}" for header, size in choice.brush)


def _verdict(found: Verification, *, strict: bool) -> str:
    if found.difference is not None:
        return f"DIFFERENT from the scalar code: {found.difference}"
    extent = f"{found.runs - found.left_out} runs, {found.elements} elements"
    verdict = f"verified, {extent} bit-identical to" if strict else f"{extent} within {found.ulps} ULP of"
    if found.libm_ulps is None:
        return f"{verdict} the scalar code{_second(found, strict=strict)}{_left_out(found)}"
    libm = f"within {found.libm_ulps} ULP of libm's"
    return f"{verdict} the scalar code with the same vector functions, {libm}{_second(found, strict=False)}{_left_out(found)}"


def _left_out(found: Verification) -> str:
    """How many runs were left out, and why."""
    if not found.left_out:
        return ""
    return f"; {found.left_out} runs left out in which the source has undefined behaviour: {found.undefined}"


def _second(found: Verification, *, strict: bool) -> str:
    """That the scalar code is bit-identical to the C compiler's."""
    if found.compiler is None:
        return ""
    return f" and to {found.compiler}" if strict else f"; the scalar code is bit-identical to {found.compiler}"


def _times(name: str, found: Benchmark) -> None:
    """A table with the speed relative to the scalar code, which comes first, and to gcc."""
    sizes = ", ".join(f"{size}={value}" for size, value in found.sizes.items())
    share = found.points or 1
    scalar = found.timings[0].median
    gcc = next((timing.median for timing in found.timings if timing.version.startswith("gcc")), None)
    several = any(timing.together is not None for timing in found.timings)
    unit = "ns/point" if found.points else "ns/call"
    placed = ("same offset",) if several else ()
    headers = ("version", unit, "+-", *placed, "vs scalar", *(("vs gcc",) if gcc else ()))
    rows = [
        (
            timing.version,
            f"{timing.median / share:.3f}",
            f"{(timing.high - timing.low) / 2 / timing.median * 100:.0f}%",
            *((f"{(timing.together or timing.median) / share:.3f}",) if several else ()),
            f"{scalar / timing.median:.2f}x",
            *((f"{gcc / timing.median:.2f}x",) if gcc else ()),
        )
        for timing in found.timings
    ]
    show_table(f"{name}, {sizes or 'no sizes'}", headers, rows)
