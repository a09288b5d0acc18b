"""Errors of the libraries that read C, distinguished from ours.

pycparser and pcpp stop at malformed input in other ways than they document: with assertions, missing attributes, subscripts out
of range. Such an exception is about the input when it is raised in the library's own code. What is raised in ours, which they
call, is a bug.
"""

from __future__ import annotations

from pathlib import Path
from types import ModuleType, TracebackType
from typing import Final

_OURS: Final = Path(__file__).parents[3]


def raised_in(library: ModuleType, error: BaseException) -> bool:
    """Whether the exception comes from the library, or what that calls, and not from our code."""
    assert library.__file__ is not None
    home = Path(library.__file__).parent
    found = False
    traceback: TracebackType | None = error.__traceback__
    while traceback is not None:
        file = Path(traceback.tb_frame.f_code.co_filename)
        if file.is_relative_to(home):
            found = True
        elif file.is_relative_to(_OURS / "tensorrv") or file.is_relative_to(_OURS / "rv"):
            found = False
        traceback = traceback.tb_next
    return found
