"""Everything that a run of `tensorrv-gen` found out, as plain data for `--json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from rv.ir.source import Span
from rv.target.machine import Target
from tensorrv.nest.choice.choose import Choice
from tensorrv.pipeline.kernel import Kernel
from tensorrv.pipeline.stages import StageTime
from tensorrv.report.diagnostics import Diagnostic

if TYPE_CHECKING:
    # loading these takes longer than all the rest
    from tensorrv.check.trial import Benchmark
    from tensorrv.check.verify import Verification
    from tensorrv.pipeline.explain.nests import NestReport
    from tensorrv.pipeline.layout_cost import LayoutCost


@dataclass(slots=True)
class FunctionFacts:
    """What was found out about one compiled function, step by step."""

    kernel: Kernel
    files: list[Path] = field(default_factory=list)
    explanation: tuple[NestReport, ...] | None = None
    layout_cost: LayoutCost | None = None
    verification: Verification | None = None
    benchmarks: tuple[Benchmark, ...] = ()
    printed: list[tuple[str, str]] = field(default_factory=list)
    not_run: Diagnostic | None = None
    """Why the function could not be run for verification or benchmark."""


def document(
    kernel: str | None,
    target: Target | None,
    functions: Sequence[FunctionFacts],
    stages: Sequence[StageTime],
    diagnostics: Sequence[Diagnostic],
) -> dict[str, Any]:
    """The whole JSON document. Kernel and target are None when the command line makes no sense."""
    return {
        "kernel": kernel,
        "target": None if target is None else _target(target),
        "functions": [_function(facts) for facts in functions],
        "stages": [_stage(stage) for stage in stages],
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in diagnostics],
    }


def _target(target: Target) -> dict[str, Any]:
    return {"name": target.label, "triple": target.triple, "cpu": target.cpu, "register_bits": target.register_bits}


def _function(facts: FunctionFacts) -> dict[str, Any]:
    kernel = facts.kernel
    return {
        "name": kernel.name,
        "prototype": kernel.source.prototype,
        "versions": [version.name for version in kernel.versions],
        "plan": str(kernel.plan),
        "choices": [_choice(choice) for choice in kernel.tensorized.choices if choice.considered],
        "math": asdict(kernel.math),
        "files": [str(path) for path in facts.files],
        "explanation": None if facts.explanation is None else [asdict(report) for report in facts.explanation],
        "layout_cost": None if facts.layout_cost is None else asdict(facts.layout_cost),
        "verification": None if facts.verification is None else _verification(facts.verification),
        "benchmarks": [_benchmark(benchmark) for benchmark in facts.benchmarks],
        "stages": [_stage(stage) for stage in kernel.times],
        "printed": [{"step": step, "text": text} for step, text in facts.printed],
        "not_run": None if facts.not_run is None else _diagnostic(facts.not_run),
    }


def _choice(choice: Choice) -> dict[str, Any]:
    """Among which brushes one was chosen for a nest."""
    span = choice.loops[-1].span
    return {
        "loops": [loop.name for loop in choice.loops],
        "line": span.line if span is not None else None,
        "considered": [asdict(one) for one in choice.considered],
    }


def _verification(found: Verification) -> dict[str, Any]:
    difference = found.difference
    return {
        "equal": difference is None,
        "runs": found.runs,
        "elements": found.elements,
        "max_ulp": found.ulps,
        "max_ulp_from_libm": found.libm_ulps,
        "compiler": found.compiler,
        "runs_left_out": found.left_out,
        "undefined": found.undefined or None,
        "difference": None if difference is None else {
            "sizes": dict(difference.sizes),
            "where": difference.where,
            "index": None if difference.index is None else list(difference.index),
            "expected": difference.expected,
            "found": difference.found,
        },
    }  # fmt: skip


def _benchmark(found: Benchmark) -> dict[str, Any]:
    return {
        "sizes": dict(found.sizes),
        "points": found.points,
        "versions": [
            {
                "version": timing.version,
                "ns_per_call": timing.median,
                "ns_per_call_quartiles": [timing.low, timing.high],
                "ns_per_call_at_equal_offsets": timing.together,
                "ns_per_point": timing.median / found.points if found.points else None,
            }
            for timing in found.timings
        ],
    }


def _stage(stage: StageTime) -> dict[str, Any]:
    return {"stage": stage.stage, "seconds": stage.seconds}


def _diagnostic(diagnostic: Diagnostic) -> dict[str, Any]:
    return {
        "severity": diagnostic.severity,
        "code": diagnostic.code,
        "message": diagnostic.message,
        **_place(diagnostic.span),
        "label": diagnostic.label,
        "hint": diagnostic.hint,
        "related": [{**_place(related.span), "label": related.label} for related in diagnostic.related],
    }


def _place(span: Span | None) -> dict[str, Any]:
    if span is None:
        return {}
    return {"file": span.file, "line": span.line, "column": span.column, "length": span.length}
