"""What a compilation has made after each of its steps, for `--print-after` and for tests that look between passes."""

from __future__ import annotations

from collections.abc import Callable

from rv.ir.function import Function
from rv.vector.function import Module

Made = Function | Module
Keep = Callable[[str, Made], None]
"""Called with the name of a step and what there is after it; both are values that nothing changes later."""


def forget(step: str, made: Made) -> None:
    """Keeps nothing."""
