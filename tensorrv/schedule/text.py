"""Schedules from their text form, `j tile 64; i brush 8; k inside` (see `tensorrv.schedule.schedule`)."""

from __future__ import annotations

import re
from typing import Final

from tensorrv.schedule.schedule import KINDS, SIZED, Dimension, Schedule, ScheduleError

_LOOP: Final = r"[A-Za-z_][A-Za-z_0-9.]*"
_DIMENSION: Final = re.compile(
    rf"(?P<loops>{_LOOP}(?:\+{_LOOP})*) (?P<kind>[a-z]+)(?: (?P<size>[0-9]{{1,9}}))?(?: by (?P<skew>\S+))?\Z"
)
_SKEW: Final = re.compile(rf"(?P<factor>-?[0-9]{{1,9}})\*(?P<loop>{_LOOP})\Z")


def parse_schedule(text: str) -> Schedule:
    """The schedule whose text form this is. Raises ScheduleError."""
    return Schedule(tuple(_dimension(part.strip()) for part in text.split(";"))) if text.strip() else Schedule(())


def _dimension(text: str) -> Dimension:
    match = _DIMENSION.match(text)
    kind = next((kind for kind in KINDS if match is not None and kind == match["kind"]), None)
    if match is None or kind is None:
        raise ScheduleError(f"'{text}' is not a dimension of a schedule: write a loop, {', '.join(KINDS)}, and a size")
    if (match["size"] is None) == (kind in SIZED):
        raise ScheduleError(f"'{text}': only dimensions of kind {', '.join(sorted(SIZED))} have sizes")
    skew = tuple(map(_skew, match["skew"].split("+"))) if match["skew"] else ()
    return Dimension(tuple(match["loops"].split("+")), kind, int(match["size"] or 1), skew)


def _skew(text: str) -> tuple[str, int]:
    match = _SKEW.match(text)
    if match is None:
        raise ScheduleError(f"'{text}' is not a multiple of a loop, such as 2*t")
    return match["loop"], int(match["factor"])
