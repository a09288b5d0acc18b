"""What a sweep found out as plain data: the JSON document and the CSV table."""

from __future__ import annotations

import csv
import io
from typing import Any, Final

from autotune.search.tune import Tuning, correlation, prediction, speedup
from autotune.store.record import Record
from tensorrv.schedule.plan import parse_plan

COLUMNS: Final = (
    "plan", "brush", "threads", "status", "reason", "ns_per_point", "ns_low", "ns_high", "ns_at_equal_offsets",
    "samples", "speedup", "predicted_ns", "limit",
    "loads", "split_loads", "stores", "shuffles", "arithmetic", "spills", "shuffle_share", "arithmetic_share", "memory_share",
)  # fmt: skip
"""`ns_per_point` is per call where the number of points is not known; counts are per point."""


def candidate_facts(tuning: Tuning, record: Record) -> dict[str, Any]:
    """One row."""
    share, time, counts = record.points or 1, record.time, record.counts
    facts: dict[str, Any] = dict.fromkeys(COLUMNS)
    facts |= {
        "plan": record.candidate.plan,
        "brush": str(parse_plan(record.candidate.plan).brush),
        "threads": record.candidate.threads,
        "status": record.status,
        "reason": record.reason,
        "samples": len(record.samples),
        "speedup": speedup(record, tuning.baseline),
    }
    if time is not None:
        facts |= {"ns_per_point": time.median / share, "ns_low": time.low / share, "ns_high": time.high / share}
    if record.time_together is not None:
        facts["ns_at_equal_offsets"] = record.time_together / share
    predicted = prediction(tuning, record)
    if predicted is not None:
        facts |= {"predicted_ns": predicted.nanoseconds, "limit": predicted.limit}
    if counts is not None:
        facts |= {k: counts.per_point(k) for k in ("loads", "split_loads", "stores", "shuffles", "arithmetic", "spills")}
        facts |= dict(zip(("shuffle_share", "arithmetic_share", "memory_share"), counts.fractions, strict=True))
    return facts


def tuning_facts(tuning: Tuning) -> dict[str, Any]:
    """The whole document."""
    return {
        "function": tuning.subject.function.name,
        "sizes": dict(tuning.subject.sizes),
        "target": tuning.key.target,
        "cpu": tuning.key.cpu,
        "llvm": tuning.key.llvm,
        "version": tuning.key.tool,
        "kernel": tuning.key.kernel,
        "points": tuning.best.points,
        "interrupted": tuning.interrupted,
        "rank_correlation": correlation(tuning),
        "baseline": tuning.baseline.candidate.plan,
        "best": candidate_facts(tuning, tuning.best),
        "candidates": [candidate_facts(tuning, record) for record in tuning.records],
    }


def csv_text(tuning: Tuning) -> str:
    """All candidates as comma-separated values with a header."""
    output = io.StringIO()
    writer = csv.DictWriter(output, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for record in tuning.records:
        facts = candidate_facts(tuning, record)
        writer.writerow({k: f"{v:.6g}" if isinstance(v, float) else v for k, v in facts.items()})
    return output.getvalue()
