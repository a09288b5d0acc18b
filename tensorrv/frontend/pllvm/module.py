"""P-LLVM text to units: functions as rv prints and reads them, with interfaces (`interface_text`) and hints about loops."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Final, Never

from rv.analysis.cfg.loops import find_loops
from rv.analysis.verify import IllFormed, verify
from rv.ir.function import Function
from rv.ir.parser import ParseError, parse_functions
from rv.ir.source import Span
from tensorrv.frontend.pllvm.interface_text import InterfaceText, take_interfaces
from tensorrv.frontend.pllvm.typed import unit_of
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.unit import Module

SUFFIXES: Final = (".pllvm", ".pll")
_START: Final = re.compile(r"(?:\s|;[^\n]*\n)*(?:define\s+\w+\s+@|interface\s+@)")


def is_pllvm(text: str) -> bool:
    """Whether a text begins as P-LLVM does, and no C can."""
    return _START.match(text) is not None


def parse_pllvm(source: Path | str, *, text: str | None = None) -> Module:
    """The units of a file, or of `text` as if it were in a file called `source`. Raises Refused."""
    name = str(source)
    if text is None:
        try:
            text = Path(source).read_bytes().decode("utf-8", errors="replace")
        except OSError as error:
            raise Refused(Diagnostic("error", "TRV001", f"cannot read '{name}': {error.strerror or error}")) from error
    sources = {name: text}
    try:
        interfaces, rest = take_interfaces(name, text)
        functions = _functions(name, rest)
        _check_names(interfaces, functions)
        units = tuple(replace(unit_of(f, interfaces.get(f.name)), sources=sources) for f in functions)
    except Refused as refusal:
        refusal.sources = sources
        raise
    return Module(units, (), (), (), sources)


def _functions(name: str, text: str) -> tuple[Function, ...]:
    try:
        functions = parse_functions(text, file=name)
    except ParseError as error:
        _refuse("TRV050", error.message, Span(name, error.line, error.column), "here")
    for function in functions:
        try:
            verify(function)
        except IllFormed as found:
            span = None if found.statement is None else found.statement.span
            _refuse("TRV050", f"@{found.function} is not well formed: {found.problem}", span or function.span, "here")
        for cycle in find_loops(function).irreducible:
            entries = f"{cycle.first} and {cycle.second}"
            _refuse("TRV051", f"@{function.name} has a cycle that can be entered at {entries}", function.span, "not reducible")
    if not functions:
        raise Refused(Diagnostic("error", "TRV086", f"'{name}' defines no function that could be compiled"))
    return functions


def _check_names(interfaces: Mapping[str, InterfaceText], functions: tuple[Function, ...]) -> None:
    names = [function.name for function in functions]
    for number, function in enumerate(functions):
        if function.name in names[:number]:
            _refuse("TRV050", f"@{function.name} is defined twice", function.span, "defined again here")
    for name, interface in interfaces.items():
        if name not in names:
            _refuse("TRV052", f"there is no function @{name}", interface.span, "the interface of a function that is not here")


def _refuse(code: str, message: str, span: Span | None, label: str) -> Never:
    raise Refused(Diagnostic("error", code, message, span, label))
