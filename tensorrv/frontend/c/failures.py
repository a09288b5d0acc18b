"""How the front end gives up: on the whole file (`Refused`), or on one function that is outside the C subset (`Unsupported`)."""

from __future__ import annotations

from typing import Never

from rv.ir.source import Span
from tensorrv.frontend.c.codes import CODES
from tensorrv.report.diagnostics import Diagnostic, Refused, Related


class Unsupported(Exception):
    """The function is valid C, as far as is known, but outside the subset; `diagnostic` gives place and reason."""

    def __init__(self, diagnostic: Diagnostic) -> None:
        super().__init__(diagnostic.message)
        self.diagnostic = diagnostic


def refuse(
    code: str, message: str, span: Span | None, label: str = "", *, hint: str = "", related: tuple[Related, ...] = ()
) -> Never:
    """Raise the error of the user's program."""
    assert code in CODES
    raise Refused(Diagnostic("error", code, message, span, label, related, hint))


def refuse_depth(span: Span | None) -> Never:
    """Raise the error of a text whose nesting takes more recursion than there is."""
    hint = "split long expressions and deeply nested statements"
    refuse("TRV005", "the source is nested too deeply", span, "deepest nesting here", hint=hint)


def give_up(
    code: str, message: str, span: Span | None, label: str = "", *, hint: str = "", related: tuple[Related, ...] = ()
) -> Never:
    """Raise the reason why a function is passed over."""
    assert code in CODES
    raise Unsupported(Diagnostic("note", code, message, span, label, related, hint))
