"""Everything that a run of `tensorrv-gen` found out, as plain data for `--json`."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from rv.ir.source import Span
from rv.target.machine import Target
from tensorrv.diagnostics import Diagnostic
from tensorrv.kernel import Kernel
from tensorrv.stages import StageTime


@dataclass(slots=True)
class FunctionFacts:
    """What was found out about one compiled function, step by step."""

    kernel: Kernel
    files: list[Path] = field(default_factory=list)
    explanation: Any = None
    verification: dict[str, Any] | None = None
    benchmarks: list[dict[str, Any]] = field(default_factory=list)
    printed: dict[str, str] = field(default_factory=dict)


def document(
    kernel: str,
    target: Target,
    functions: Sequence[FunctionFacts],
    stages: Sequence[StageTime],
    diagnostics: Sequence[Diagnostic],
) -> dict[str, Any]:
    """The whole JSON document."""
    return {
        "kernel": kernel,
        "target": {"name": target.name, "triple": target.triple, "cpu": target.cpu, "register_bits": target.register_bits},
        "functions": [_function(facts) for facts in functions],
        "stages": [_stage(stage) for stage in stages],
        "diagnostics": [_diagnostic(diagnostic) for diagnostic in diagnostics],
    }


def _function(facts: FunctionFacts) -> dict[str, Any]:
    kernel = facts.kernel
    return {
        "name": kernel.name,
        "prototype": kernel.source.prototype,
        "plan": str(kernel.plan),
        "files": [str(path) for path in facts.files],
        "explanation": facts.explanation,
        "verification": facts.verification,
        "benchmarks": facts.benchmarks,
        "stages": [_stage(stage) for stage in kernel.times],
        "printed": facts.printed,
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
