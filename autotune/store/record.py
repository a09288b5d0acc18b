"""One row of results: everything that is known about one candidate of one subject on one machine."""

from __future__ import annotations

from dataclasses import MISSING, asdict, dataclass, fields, replace
from statistics import median
from typing import Any, Final, Literal, get_args

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


class NoRecord(Exception):
    """Data that is no record; the text says why."""


def record_from_json(data: object) -> Record:
    """The record. Raises NoRecord."""
    flat = _object(data, "a record")
    lacking = [name for name in _NAMES if name not in flat]
    if lacking:
        raise NoRecord(f"it lacks '{lacking[0]}'")
    if flat["status"] not in get_args(Status):
        raise NoRecord(f"'{flat['status']}' is not a status")
    return Record(
        key=Key(**{field.name: str(flat[field.name]) for field in fields(Key)}),
        candidate=Candidate(str(flat["plan"]), _whole(flat["threads"])),
        name=str(flat["name"]),
        status=flat["status"],
        reason=str(flat["reason"]),
        code=str(flat["code"]),
        counts=None if flat["counts"] is None else Counts(**_numbers(flat["counts"], Counts)),
        traffic=None if flat["traffic"] is None else Traffic(**_numbers(flat["traffic"], Traffic)),
        points=None if flat["points"] is None else _whole(flat["points"]),
        samples=_samples(flat["samples"]),
        ulps=_whole(flat["ulps"]),
        updated=_number(flat["updated"]),
        together=_samples(flat.get("together", ())),
    )


_NAMES: Final = (
    *(field.name for field in fields(Key)), "plan", "threads",
    *(field.name for field in fields(Record) if field.name not in ("key", "candidate", "together")),
)  # fmt: skip


def _object(data: object, what: str) -> dict[str, Any]:
    if not isinstance(data, dict):
        raise NoRecord(f"{data!r} is not {what}")
    return data


def _number(data: object) -> float:
    if isinstance(data, bool) or not isinstance(data, int | float):
        raise NoRecord(f"{data!r} is not a number")
    return float(data)


def _whole(data: object) -> int:
    if isinstance(data, bool) or not isinstance(data, int):
        raise NoRecord(f"{data!r} is not an integer")
    return data


def _samples(data: object) -> tuple[float, ...]:
    if not isinstance(data, list | tuple):
        raise NoRecord(f"{data!r} is not a list of numbers")
    return tuple(map(_number, data))


def _numbers(data: object, kind: type[Counts] | type[Traffic]) -> dict[str, Any]:
    """The arguments that make a `Counts` or a `Traffic`."""
    given, known = _object(data, "a table of numbers"), {field.name: field for field in fields(kind)}
    for name, value in given.items():
        if name not in known:
            raise NoRecord(f"'{name}' is not known")
        _number(value)
    lacking = [name for name, field in known.items() if field.default is MISSING and name not in given]
    if lacking:
        raise NoRecord(f"it lacks '{lacking[0]}'")
    return given
