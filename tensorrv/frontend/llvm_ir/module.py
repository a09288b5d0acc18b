"""LLVM IR to units: text or bitcode, as clang, flang, rustc, Julia and Numba write it.

    LLVM's own parser -> text in one spelling -> parts -> functions in P-LLVM, callees first -> interfaces

Where there is debug information, values have the source's names and loops its places; what cannot be expressed is shown in the
IR.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final, Never

from rv.ir.source import Span
from rv.target.llvm import NotLlvm, printed_module
from tensorrv.frontend.llvm_ir.debug_info import DebugInfo
from tensorrv.frontend.llvm_ir.failures import Unsupported, give_up
from tensorrv.frontend.llvm_ir.functions import Lowered, lower_function
from tensorrv.frontend.llvm_ir.heads import Head, is_hidden, read_head
from tensorrv.frontend.llvm_ir.interface import unit_of_function
from tensorrv.frontend.llvm_ir.lower.state import Body
from tensorrv.frontend.llvm_ir.module_text import RawFunction, RawModule, Statement, read_parts
from tensorrv.frontend.llvm_ir.own_lines import own_lines
from tensorrv.frontend.llvm_ir.tokens import tokens_of
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.unit import Module, Unit

BITCODE: Final = b"BC\xc0\xde"


def parse_llvm(source: Path | str, *, text: str | None = None) -> Module:
    """The units of a file of LLVM IR or bitcode, or of `text` as if it were in a file called `source`. Raises Refused."""
    name = str(source)
    given = _read(name) if text is None else text
    try:
        printed = printed_module(given)
    except NotLlvm as problem:
        _refuse(name, given, problem)
    parts = read_parts(printed)
    lines = own_lines(given, printed, parts) if isinstance(given, str) else None
    shown = given if isinstance(given, str) and lines is not None else printed
    debug = DebugInfo(parts.metadata)
    debug.sources[name] = shown
    return _Reading(name, parts, debug, lines).module()


def module_text(path: Path) -> str:
    """The text of a file of LLVM IR, or that of bitcode as LLVM prints it. Raises Refused."""
    given = _read(str(path))
    try:
        return given if isinstance(given, str) else printed_module(given)
    except NotLlvm as problem:
        _refuse(str(path), given, problem)


@dataclass(eq=False, slots=True)
class _Reading:
    name: str
    parts: RawModule
    debug: DebugInfo
    lines: Mapping[int, tuple[int, int]] | None
    """Line and indentation in the user's file of each line with a statement in the printed module."""

    def module(self) -> Module:
        problem = _foreign(self.parts.layout)
        if problem:
            raise Refused(Diagnostic("error", "TRV054", f"'{self.name}' is for a machine {problem}"))
        lowered: dict[str, Lowered] = {}
        heads: dict[str, Head] = {}
        failed: dict[str, Diagnostic] = {}
        for raw in _callees_first(self.parts.functions):
            try:
                heads[raw.name] = read_head(self.parts, raw, self._place)
                lowered[raw.name] = self._lower(raw, heads, lowered, failed)
            except Unsupported as problem_found:
                failed[raw.name] = problem_found.diagnostic
        units: list[Unit] = []
        inlined = {raw.name: _called(raw, lowered) for raw in self.parts.functions}
        for raw in self.parts.functions:
            if raw.name not in lowered or heads[raw.name].elsewhere:
                continue
            try:
                made = unit_of_function(lowered[raw.name], heads[raw.name], self._place(raw.head))
                units.append(replace(made, inlined=frozenset(inlined[raw.name]), sources=self.debug.sources))
            except Unsupported as problem_found:
                failed[raw.name] = problem_found.diagnostic
        if not units:
            self._refuse_all(failed)
        internal = tuple((u.name, u.function.span) for u in units if u.internal)
        reasons = tuple((raw.name, failed[raw.name]) for raw in self.parts.functions if raw.name in failed)
        return Module(tuple(units), reasons, (), internal, self.debug.sources)

    def _lower(
        self, raw: RawFunction, heads: Mapping[str, Head], lowered: Mapping[str, Lowered], failed: Mapping[str, Diagnostic]
    ) -> Lowered:
        for callee in _called(raw, failed):
            reason = failed[callee]
            message = f"'{callee}', which '{raw.name}' calls, cannot be inlined: {reason.message}"
            give_up(reason.code, message, reason.span, reason.label, reason.hint)
        own = {name: made for name, made in lowered.items() if not heads[name].replaceable}
        bodies = {name: Body(made.function, tuple(made.symbols)) for name, made in own.items()}
        hidden = frozenset(other.name for other in self.parts.functions if is_hidden(other))
        names = self.debug.names(raw)
        return lower_function(self.parts, raw, heads[raw.name], bodies, hidden, names, self._place, self._spot)

    def _place(self, statement: Statement) -> Span | None:
        """Where a statement is in the IR."""
        line, indent = (statement.line, statement.indent) if self.lines is None else self.lines[statement.line]
        return Span(self.name, line, indent + 1, len(statement.text.partition(", !")[0]))

    def _spot(self, statement: Statement) -> Span | None:
        """Where a statement is in the source that the IR was made from."""
        return self.debug.span(statement.text)

    def _refuse_all(self, failed: Mapping[str, Diagnostic]) -> Never:
        empty = Diagnostic("error", "TRV086", f"'{self.name}' defines no function that could be compiled")
        refusal = Refused(*(dict.fromkeys(failed.values()) or (empty,)))
        refusal.sources = self.debug.sources
        raise refusal


def _callees_first(functions: tuple[RawFunction, ...]) -> Iterator[RawFunction]:
    """The functions, each behind those that it calls as far as that is possible."""
    by_name = {raw.name: raw for raw in functions}
    seen: set[str] = set()

    def visit(raw: RawFunction) -> Iterator[RawFunction]:
        seen.add(raw.name)
        for callee in _called(raw, by_name):
            if callee not in seen:
                yield from visit(by_name[callee])
        yield raw

    for raw in functions:
        if raw.name not in seen:
            yield from visit(raw)


def _called(raw: RawFunction, among: Mapping[str, object]) -> list[str]:
    """The functions that a function calls."""
    found: dict[str, None] = {}
    for statement in raw.statements:
        if "call " in statement.text:
            found.update(dict.fromkeys(token.name for token in tokens_of(statement.text) if token.kind == "global"))
    return [name for name in found if name in among]


def _foreign(layout: str) -> str:
    """What is different on the machine of a module, "" for one like ours."""
    words = layout.split("-")
    if "E" in words:
        return "that stores the highest byte first"
    if any(word.startswith(("p:", "p0:")) and ":64" not in word for word in words):
        return "whose addresses do not have 64 bits"
    return ""


def _read(name: str) -> str | bytes:
    try:
        content = Path(name).read_bytes()
    except OSError as error:
        raise Refused(Diagnostic("error", "TRV001", f"cannot read '{name}': {error.strerror or error}")) from error
    return content if content.startswith(BITCODE) else content.decode("utf-8", errors="replace")


def _refuse(name: str, given: str | bytes, problem: NotLlvm) -> Never:
    span = Span(name, problem.line, problem.column) if problem.line else None
    refusal = Refused(Diagnostic("error", "TRV054", f"'{name}' is not LLVM IR: {problem.message}", span, "here"))
    if isinstance(given, str):
        refusal.sources = {name: given}
    raise refusal

