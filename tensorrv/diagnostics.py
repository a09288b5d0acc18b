"""What we tell the user about the user's input: one frozen value per finding, one exception that carries them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rv.ir.source import Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a finding, with what to say about it."""

    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` ("TRV012") is stable; `label` stands beside the caret; `hint` says what to do."""

    severity: Severity
    code: str
    message: str
    span: Span | None = None
    label: str = ""
    related: tuple[Related, ...] = ()
    hint: str = ""


class Refused(Exception):
    """The input was refused; `diagnostics` holds at least one error."""

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics
