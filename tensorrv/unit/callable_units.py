"""Units as Python, the tuner and measurements call them: with what C passes in other ways as parameters.

    double u[64][64]; int n;                  from Python, where there is no such variable:
    void smooth(void) { ... }                 smooth(n, u), arrays of the declared lengths; a number is an array of one

Numbers and pointers in structs that are passed by value are parameters of their own (`m_x` is `m.x`).
Variables that the file only declares belong to the process (`stderr`), and stay what they are.
"""

from __future__ import annotations

from dataclasses import replace

from rv.ir.types import FloatType, IntType
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.elements import Record
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.symbols import GlobalSymbol
from tensorrv.unit.unit import Module, Unit


def opened_module(module: Module) -> Module:
    """The module with all its functions opened; those that cannot be are passed over."""
    functions: list[Unit] = []
    passed_over = list(module.passed_over)
    for function in module.functions:
        try:
            functions.append(opened(function))
        except Refused as refusal:
            passed_over.append((function.name, refusal.diagnostics[0]))
    return replace(module, functions=tuple(functions), passed_over=tuple(passed_over))


def opened(source: Unit) -> Unit:
    """The function with what its file defines outside of it as parameters behind its own, and structs taken apart.

    Raises Refused when it takes pointers to pointers: what these lead to could not be checked.
    """
    for parameter in source.parameters:
        if isinstance(parameter.element, Record) and parameter.element.is_row:
            message = f"'{source.name}' takes pointers to pointers, which cannot be given from Python"
            hint = "pass a two-dimensional array as 'double A[n][m]'"
            raise Refused(Diagnostic("error", "TRV036", message, parameter.span, f"'{parameter.declaration}'", hint=hint))
    defined = [symbol for symbol in source.symbols if isinstance(symbol, GlobalSymbol) and symbol.defined]
    added = tuple(_given(source, symbol) for symbol in defined)
    return replace(source, parameters=source.parameters + added, symbols=source.symbols[len(defined) :], records=())


def opened_where_possible(source: Unit) -> Unit:
    """The function opened, or as it is where it needs no opening or cannot be called from Python."""
    try:
        return opened(source) if is_closed(source) else source
    except Refused:
        return source


def is_closed(source: Unit) -> bool:
    """Whether the function uses what its file defines outside of it, or takes structs by value."""
    return bool(source.records) or any(isinstance(symbol, GlobalSymbol) and symbol.defined for symbol in source.symbols)


def _given(source: Unit, symbol: GlobalSymbol) -> Parameter:
    """The parameter that gives a variable. Raises Refused for pointers."""
    element = symbol.described.element
    if element.is_row if isinstance(element, Record) else not isinstance(element.type, IntType | FloatType):
        message = f"'{source.name}' uses the pointer '{symbol.name}' outside of it, which cannot be given as an array"
        raise Refused(Diagnostic("error", "TRV037", message, source.function.span, hint="pass it as a parameter"))
    return symbol.described
