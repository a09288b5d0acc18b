"""Diagnostics about the user's input: one frozen value per finding, one exception that carries them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Final, Literal

from rv.ir.source import Span

Severity = Literal["error", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Related:
    """A second place that belongs to a finding, with its label."""

    span: Span
    label: str


@dataclass(frozen=True, slots=True)
class Diagnostic:
    """One finding. `code` ("TRV012") is stable; `label` is printed beside the caret; `hint` is a remedy."""

    severity: Severity
    code: str
    message: str
    span: Span | None = None
    label: str = ""
    related: tuple[Related, ...] = ()
    hint: str = ""


class Refused(Exception):
    """The input was refused; `diagnostics` holds at least one error, `sources` the text of the files they point into.

    `explanations` contain, function by function, the report on its loops up to the refusal.
    """

    sources: Mapping[str, str] = MappingProxyType({})
    explanations: tuple[str, ...] = ()

    def __init__(self, *diagnostics: Diagnostic) -> None:
        super().__init__("; ".join(d.message for d in diagnostics))
        self.diagnostics = diagnostics


class Wrong(Refused):
    """Machine code and source differ: a difference that verification found."""


_GUTTER: Final = 5
_WIDEST: Final = 160
"""Columns of a source line that are shown; longer lines are cut around the caret."""


def render(diagnostic: Diagnostic, sources: Mapping[str, str]) -> str:
    """The finding as plain text: place and message, the source line with a caret, related places, a hint.

        jacobi.c:4:25: error[TRV010]: 'nn' is not declared
           4 |   for (int i = 1; i < nn; ++i)
             |                       ^^ not declared
             = hint: did you mean 'n'?

    `sources` maps the file names of spans to their text; a place in another file is shown without its line.
    """
    place = f"{diagnostic.span}: " if diagnostic.span is not None else ""
    lines = [f"{place}{diagnostic.severity}[{diagnostic.code}]: {diagnostic.message}"]
    if diagnostic.span is not None:
        lines += _excerpt(diagnostic.span, diagnostic.label, sources)
    elif diagnostic.label:
        lines.append(f"  {diagnostic.label}")
    for related in diagnostic.related:
        lines.append(f"{related.span}: note: {related.label}")
        lines += _excerpt(related.span, "", sources)
    if diagnostic.hint:
        lines.append(f"{' ' * _GUTTER} = hint: {diagnostic.hint}")
    return "\n".join(lines)


def _excerpt(span: Span, label: str, sources: Mapping[str, str]) -> list[str]:
    """The source line of a span, and carets below it."""
    text = sources.get(span.file)
    source_lines = text.split("\n") if text is not None else []
    if not 1 <= span.line <= len(source_lines):
        return [f"{' ' * _GUTTER} | {label}"] if label else []
    line = source_lines[span.line - 1].rstrip("\r")
    start = max(0, span.column - 1 - _WIDEST // 2) if len(line) > _WIDEST else 0
    shown = line[start : start + _WIDEST]
    before = shown[: span.column - 1 - start]
    padding = "".join("\t" if character == "\t" else " " for character in before)
    carets = "^" * max(1, min(span.length, len(shown) - len(before)))
    return [f"{span.line:>{_GUTTER}} | {shown}".rstrip(), f"{' ' * _GUTTER} | {padding}{carets} {label}".rstrip()]
