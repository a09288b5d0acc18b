"""How reading gives up on a function: with the instruction, in the user's file."""

from __future__ import annotations

from typing import Never

from rv.ir.source import Span
from tensorrv.report.diagnostics import Diagnostic


class Unsupported(Exception):
    """A function cannot be expressed; the others of its module may be."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def give_up(code: str, message: str, span: Span | None, label: str = "", hint: str = "") -> Never:
    """Raises Unsupported."""
    raise Unsupported(Diagnostic("error", code, message, span, label, hint=hint))
