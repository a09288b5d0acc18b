"""What the middle takes: a function in P-LLVM and its interface, whatever language it was written in.

Front ends make units: C (`tensorrv.frontend.c`), formulas, which are C first (`tensorrv.frontend.symbolic`), and P-LLVM's own
text (`tensorrv.frontend.pllvm`). Nothing behind them reads source text; what the source says about loops is on their headers
(`rv.ir.hints`), what it says about arrays in the parameters.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from rv.ir.function import Function
from rv.ir.source import Span
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.elements import Number, Record
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.simd_declaration import SimdDeclaration
from tensorrv.unit.symbols import Symbol


@dataclass(frozen=True, slots=True)
class Unit:
    """One function. `internal` ones are only seen in their file; `result` is None for none; `simd`: its declared vector versions.

    `typed_memory`: memory is only read as the type that it was written as, as C says; P-LLVM has no such rule.
    `prototype` declares it in C, for headers and messages. `records` are the structs among the source's parameters, whose numbers
    are parameters here; `symbols` are the parameters of `function` behind those of the source, variables that the file defines
    first. `inlined` are the functions whose bodies it holds, `notes` about pragmas that are not followed, `sources` the texts of
    the files of its spans.
    """

    function: Function
    prototype: str
    parameters: tuple[Parameter, ...]
    result: Number | None
    internal: bool = False
    simd: tuple[SimdDeclaration, ...] = ()
    inlined: frozenset[str] = frozenset()
    symbols: tuple[Symbol, ...] = ()
    records: tuple[Record | None, ...] = ()
    notes: tuple[Diagnostic, ...] = ()
    typed_memory: bool = True
    sources: Mapping[str, str] = field(default_factory=dict, compare=False, repr=False)

    @property
    def name(self) -> str:
        return self.function.name


@dataclass(frozen=True, slots=True)
class Module:
    """The units of a file, in order; `passed_over` says why other functions of it, by name, are none.

    `problems` are errors in declarations outside functions, which cost those that use what is declared. `internal` are the
    functions that are only seen in the file, with their places; those of included files only if there are loops in them.
    """

    functions: tuple[Unit, ...]
    passed_over: tuple[tuple[str, Diagnostic], ...]
    problems: tuple[Diagnostic, ...]
    internal: tuple[tuple[str, Span | None], ...]
    sources: Mapping[str, str]

    def function(self, name: str) -> Unit:
        """The function called `name`; Refused, with the reason, when it is not there or outside the subset."""
        for function in self.functions:
            if function.name == name:
                return function
        reason = dict(self.passed_over).get(name)
        if reason is not None:
            raise Refused(
                Diagnostic("error", reason.code, reason.message, reason.span, reason.label, reason.related, reason.hint)
            )
        known = ", ".join(f.name for f in self.functions)
        hint = f"it defines {known}" if known else ""
        raise Refused(Diagnostic("error", "TRV082", f"there is no function '{name}' in this file", hint=hint))
