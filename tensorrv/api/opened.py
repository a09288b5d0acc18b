"""Functions as Python, the tuner and measurements call them: with what C passes in other ways as parameters.

    double u[64][64]; int n;                  from Python, where there is no such variable:
    void smooth(void) { ... }                 smooth(n, u), arrays of the declared lengths; a number is an array of one

Numbers and pointers in structs that are passed by value are parameters of their own (`m_x` is `m.x`).
Variables that the file only declares belong to the process (`stderr`), and stay what they are.
"""

from __future__ import annotations

from dataclasses import replace

from rv.evolution.polynomial import Polynomial
from tensorrv.frontend.c.module import CFunction, CModule, CParameter
from tensorrv.frontend.c.tree.symbols import GlobalSymbol
from tensorrv.frontend.c.types.c_text import declarator_text
from tensorrv.frontend.c.types.c_types import ArrayC, FloatingC, IntegerC, PointerC, StructC, innermost, is_const, unqualified
from tensorrv.report.diagnostics import Diagnostic, Refused


def opened_module(module: CModule) -> CModule:
    """The module with all its functions opened; those that cannot be are passed over."""
    functions: list[CFunction] = []
    passed_over = list(module.passed_over)
    for function in module.functions:
        try:
            functions.append(opened(function))
        except Refused as refusal:
            passed_over.append((function.name, refusal.diagnostics[0]))
    return replace(module, functions=tuple(functions), passed_over=tuple(passed_over))


def opened(source: CFunction) -> CFunction:
    """The function with what its file defines outside of it as parameters behind its own, and structs taken apart.

    Raises Refused when it takes pointers to pointers: what these lead to could not be checked.
    """
    for parameter in source.parameters:
        if isinstance(parameter.element, StructC) and not parameter.element.record.tag and _is_pointer(parameter.element):
            message = f"'{source.name}' takes pointers to pointers, which cannot be given from Python"
            hint = "pass a two-dimensional array as 'double A[n][m]'"
            raise Refused(Diagnostic("error", "TRV036", message, parameter.span, f"'{parameter.declaration}'", hint=hint))
    count = sum(isinstance(symbol, GlobalSymbol) and symbol.defined for symbol in source.symbols)
    first = len(source.function.parameters) - len(source.symbols)
    names = [parameter.var.name for parameter in source.function.parameters[first : first + count]]
    added = tuple(_parameter(source, name, symbol) for name, symbol in zip(names, source.symbols[:count], strict=True))
    return replace(source, parameters=source.parameters + added, symbols=source.symbols[count:], records=())


def _is_pointer(struct: StructC) -> bool:
    return any(not member.name and isinstance(member.type, PointerC) for member in struct.record.members or ())


def _parameter(source: CFunction, name: str, symbol: object) -> CParameter:
    assert isinstance(symbol, GlobalSymbol)
    element = unqualified(innermost(symbol.type))
    if not isinstance(element, IntegerC | FloatingC | StructC):
        message = f"'{source.name}' uses the pointer '{symbol.name}' outside of it, which cannot be given as an array"
        raise Refused(Diagnostic("error", "TRV037", message, source.function.span, hint="pass it as a parameter"))
    lengths: list[int] = []
    type_ = symbol.type
    while isinstance(type_, ArrayC):
        lengths.append(type_.extent if isinstance(type_.extent, int) else 0)
        type_ = type_.element
    extents = tuple(Polynomial.constant(length) if length else None for length in lengths or (1,))
    const = is_const(innermost(symbol.type))
    return CParameter(name, declarator_text(symbol.type, name), element, len(extents), extents, const, False, None)
