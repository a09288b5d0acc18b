"""The seam between the steps of a compilation: what `--print-after` shows, and where tests plant errors."""

from __future__ import annotations

from typing import Protocol, TypeVar

M = TypeVar("M")
"""A function in P-LLVM or a module of the vector IR."""


class Keep(Protocol):
    """Called with the name of a step and its result, which nothing changes later; what it returns goes to the next step."""

    def __call__(self, step: str, made: M, /) -> M: ...


def forget(step: str, made: M, /) -> M:
    """Keeps nothing."""
    return made
