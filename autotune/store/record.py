"""One row of results: everything that is known about one candidate of one subject on one machine."""

from __future__ import annotations

from dataclasses import asdict, dataclass, fields, replace
from statistics import median
from typing import Any, Literal

from autotune.model.counts import Counts
from autotune.model.traffic import Traffic
from autotune.space import Candidate
from autotune.store.statistics import Estimate, estimate

Status = Literal["compiled", "measured", "refused", "different", "crashed", "hung"]


@dataclass(frozen=True, slots=True)
class Key:
    """What results hold for. `kernel` is the hash of the function's meaning; `sizes` as `cols=1026,rows=1026`."""

    kernel: str
    sizes: str
    cpu: str
    target: str
    llvm: str
    tool: str


@dataclass(frozen=True, slots=True)
class Record:
    """`samples` are nanoseconds of a call, `together` those for arrays at equal offsets in their pages; `code` identifies the
    machine code; `updated` is in seconds since 1970.
    """

    key: Key
    candidate: Candidate
    name: str
    status: Status
    reason: str = ""
    code: str = ""
    counts: Counts | None = None
    traffic: Traffic | None = None
    points: int | None = None
    samples: tuple[float, ...] = ()
    ulps: int = 0
    updated: float = 0.0
    together: tuple[float, ...] = ()

    @property
    def time(self) -> Estimate | None:
        """Nanoseconds of a call."""
        return estimate(self.samples) if self.samples else None

    @property
    def time_together(self) -> float | None:
        """The median for arrays at equal offsets in their pages."""
        return median(self.together) if self.together else None

    def with_samples(self, more: tuple[float, ...], ulps: int, together: tuple[float, ...] = ()) -> Record:
        both = self.together + together
        return replace(self, status="measured", reason="", samples=self.samples + more, ulps=ulps, together=both)


def record_as_json(record: Record) -> dict[str, Any]:
    """The record as plain data; `record_from_json` reads it back."""
    flat = {**asdict(record.key), "plan": record.candidate.plan, "threads": record.candidate.threads}
    for field in fields(record):
        if field.name not in ("key", "candidate", "counts", "traffic"):
            flat[field.name] = getattr(record, field.name)
    flat["samples"], flat["together"] = list(record.samples), list(record.together)
    flat["counts"] = None if record.counts is None else asdict(record.counts)
    flat["traffic"] = None if record.traffic is None else asdict(record.traffic)
    return flat


def record_from_json(data: dict[str, Any]) -> Record:
    """The record. Raises KeyError, TypeError or ValueError when `data` is none."""
    key = Key(**{field.name: str(data[field.name]) for field in fields(Key)})
    counts = None if data["counts"] is None else Counts(**data["counts"])
    traffic = None if data["traffic"] is None else Traffic(**data["traffic"])
    return Record(
        key=key,
        candidate=Candidate(str(data["plan"]), int(data["threads"])),
        name=str(data["name"]),
        status=data["status"],
        reason=str(data["reason"]),
        code=str(data["code"]),
        counts=counts,
        traffic=traffic,
        points=None if data["points"] is None else int(data["points"]),
        samples=tuple(map(float, data["samples"])),
        ulps=int(data["ulps"]),
        updated=float(data["updated"]),
        together=tuple(map(float, data.get("together", ()))),
    )
