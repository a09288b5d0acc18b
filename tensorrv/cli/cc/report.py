"""What became of every nest of a command, for `--tensorrv-explain` and `--tensorrv-report`."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from rv.internal_error import HOW_TO_REPORT, InternalError
from tensorrv.cli.cc.command import Command
from tensorrv.cli.cc.options import CcOptions

if TYPE_CHECKING:
    from tensorrv.cli.cc.nests import Outcome
    from tensorrv.report.diagnostics import Diagnostic


@dataclass(slots=True)
class Report:
    """Lines are collected and written at the end, in one piece: several commands may run at a time."""

    options: CcOptions
    lines: list[str] = field(default_factory=list)
    bugs: bool = False

    def left(self, command: Command, reason: str | InternalError) -> None:
        """The compiler's output stays as it is."""
        names = ", ".join(command.words[position] for position in command.sources) or "the command"
        text = reason if isinstance(reason, str) else self._bug(reason)
        self.lines.append(f"{names}: left to the compiler: {text}")

    def nests(
        self,
        name: str,
        outcomes: Sequence[Outcome],
        closed: Sequence[tuple[str, Diagnostic]],
        sources: Mapping[str, str],
    ) -> None:
        taken = sum(outcome.kernel is not None for outcome in outcomes)
        self.lines.append(f"{name}: {taken} of {len(outcomes)} nests replaced")
        for outcome in outcomes:
            where = f"{outcome.span}: nest in {outcome.site.function}"
            if outcome.kernel is not None:
                self.lines.append(f"{where}: {_brushes(outcome)}")
            elif outcome.reason is not None:
                self.lines.append(f"{where}: {self._reason(outcome.reason)}")
        for function, reason in closed:
            self.lines.append(f"{name}: nests in {function}: {self._reason(reason)}")

    def write(self) -> None:
        if not self.lines:
            return
        text = "".join(f"tensorrv-cc: {line}\n" for line in self.lines)
        if self.bugs:
            text += f"{HOW_TO_REPORT}\n"
        if self.options.explain:
            sys.stderr.write(text)
        if self.options.report is not None:
            with open(self.options.report, "a", encoding="utf-8", errors="replace") as file:
                file.write(text)

    def _reason(self, reason: Diagnostic | InternalError) -> str:
        if isinstance(reason, InternalError):
            return f"left to the compiler: {self._bug(reason)}"
        place = f" ({reason.span})" if reason.span is not None else ""
        return f"left to the compiler: {reason.code}: {reason.message}{place}"

    def _bug(self, error: InternalError) -> str:
        self.bugs = True
        return " ".join(f"TRV507: internal error: {error.what} {error.detail}".split())


def _brushes(outcome: Outcome) -> str:
    from rv.evolution.facts import Legal

    assert outcome.kernel is not None
    parts: list[str] = []
    for choice in outcome.kernel.tensorized.choices:
        names = {header: loop.name for header, loop in choice.facts.loops.items()}
        brush = ",".join(f"{names.get(header, header)}={size}" for header, size in choice.brush)
        parts.append(f"brush {brush}" if isinstance(choice.outcome, Legal) else f"scalar ({choice.outcome.code})")
    return "; ".join(parts)
