"""Bugs of this project, as opposed to what is wrong with the user's input: how they are reported, and what a report needs.

An exception that is not documented is a bug wherever it comes from. It reaches the user as an InternalError: from the
commands with exit status 70, from Python as an exception. Python's traceback is only shown with TENSORRV_TRACEBACK=1 in the
environment.
"""

from __future__ import annotations

import os
import traceback
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

TRACEBACK: Final = "TENSORRV_TRACEBACK"
HOW_TO_REPORT: Final = f"""\
This is a bug in TensorRV. Please report it with
  - the input (the C file and what it includes, or the formulas) and the command or call,
  - this text, from a run with {TRACEBACK}=1 in the environment,
  - the versions that `tensorrv-gen --version` and `pip list` show."""
_FRAMES: Final = 4
"""The number of innermost calls whose places are printed."""


class InternalError(Exception):
    """An invariant is violated. The message contains `detail` and a request to report it."""

    def __init__(self, what: str, detail: str = "") -> None:
        super().__init__(what, detail)
        self.what, self.detail = what, detail

    def __str__(self) -> str:
        return "\n".join(part for part in (f"internal error: {self.what}", self.detail, HOW_TO_REPORT) if part)


def internal_error(error: Exception) -> InternalError:
    """The report on an unexpected exception: what it is, and where it was raised."""
    if isinstance(error, InternalError):
        return error
    frames = traceback.extract_tb(error.__traceback__)[-_FRAMES:]
    places = " > ".join(f"{Path(frame.filename).name}:{frame.lineno} {frame.name}" for frame in frames)
    return InternalError(f"{type(error).__name__}: {error}", f"at {places}")


def tracebacks_wanted() -> bool:
    """Whether Python's tracebacks of internal errors are requested."""
    return os.environ.get(TRACEBACK, "") not in ("", "0")


@contextmanager
def bugs_reported(*expected: type[Exception]) -> Iterator[None]:
    """Raises an InternalError for every exception but the documented ones."""
    try:
        yield
    except expected:
        raise
    except Exception as error:
        raise internal_error(error) from (error if tracebacks_wanted() else None)
