"""A unit as text: its interface, as `tensorrv.frontend.pllvm` reads it, and its function in P-LLVM.

    interface @f {
      %n: signed
      %A: const double[%n][%m]
      memory: typed
    }
    define void @f(i32 %n, ...) {

Structs and what surrounds the function have no text.
"""

from __future__ import annotations

from collections.abc import Iterator

from rv.evolution.polynomial import Polynomial
from rv.ir.printer import print_function
from rv.ir.types import FloatType, PointerType
from tensorrv.unit.elements import Number
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.unit import Unit


def unit_text(unit: Unit) -> str:
    """The text of a unit."""
    lines = "".join(f"  {line}\n" for line in _lines(unit))
    return f"interface @{unit.name} {{\n{lines}}}\n{print_function(unit.function)}"


def _lines(unit: Unit) -> Iterator[str]:
    for parameter in unit.parameters:
        if isinstance(parameter.element, Number) and not isinstance(parameter.element.type, PointerType):
            yield f"%{parameter.name}: {_declaration(parameter, parameter.element)}"
    if unit.result is not None and not isinstance(unit.result.type, PointerType | FloatType):
        yield f"result: {_kind(unit.result)}"
    if unit.typed_memory:
        yield "memory: typed"


def _declaration(parameter: Parameter, number: Number) -> str:
    """`const unsigned i8[%n][2*%m + 1]`, `signed`, `double`."""
    kind = "" if isinstance(number.type, FloatType) else f"{_kind(number)} "
    if not parameter.rank:
        return kind.strip() or str(number.type)
    lengths = "".join("[]" if extent is None else f"[{_length(extent)}]" for extent in parameter.extents)
    return f"{'const ' if parameter.const else ''}{kind}{number.type}{lengths}"


def _kind(number: Number) -> str:
    if number.c_type == "_Bool":
        return "bool"
    return "signed" if number.signed else "unsigned"


def _length(polynomial: Polynomial) -> str:
    text = ""
    for monomial, coefficient in polynomial.terms:
        factors = [str(abs(coefficient))] if abs(coefficient) != 1 or not monomial else []
        factors += [f"%{symbol.name}" for symbol in monomial]
        sign = "-" if coefficient < 0 else "+"
        product = "*".join(factors)
        text += f" {sign} {product}" if text else f"{'-' if coefficient < 0 else ''}{product}"
    return text or "0"
