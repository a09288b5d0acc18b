"""The interface of a C function as a unit has it: parameters, result and surrounding variables with their C types as data."""

from __future__ import annotations

from rv.evolution.polynomial import Polynomial
from rv.ir.types import I64
from rv.ir.values import Var
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.lower import records as lower_records
from tensorrv.frontend.c.lower.state import plain_name
from tensorrv.frontend.c.tree.nodes import TypedFunction, TypedParameter
from tensorrv.frontend.c.tree.symbols import CSymbol, GlobalVariable
from tensorrv.frontend.c.types.c_text import declarator_text, parameter_text
from tensorrv.frontend.c.types.c_types import (
    ArrayC,
    CType,
    IntegerC,
    PointerC,
    StructC,
    VoidC,
    innermost,
    is_const,
    machine_type,
    size_of_type,
    unqualified,
)
from tensorrv.frontend.c.types.extents import polynomial
from tensorrv.frontend.c.types.object_parts import scalars
from tensorrv.unit.elements import Element, Field, Number, Record
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.symbols import GlobalSymbol, Symbol


def passed_numbers(variable: Variable) -> list[tuple[str, CType]]:
    """What a parameter is passed as in P-LLVM: itself, or the numbers and pointers in a struct."""
    if not isinstance(variable.type, StructC):
        return [(variable.name, variable.type)]
    return [(f"{variable.name}_{m.name}", m.type) for m in lower_records.parts(variable.type, variable.span)]


def parameters_of(typed: TypedFunction) -> tuple[Parameter, ...]:
    """The parameters, with one for each number and pointer in a struct that is passed by value."""
    return tuple(found for parameter in typed.parameters for found in _parameters(parameter))


def _parameters(parameter: TypedParameter) -> list[Parameter]:
    if not isinstance(parameter.variable.type, StructC):
        return [_parameter(parameter)]
    span = parameter.variable.span
    members = [Variable(plain_name(name), type_, span) for name, type_ in passed_numbers(parameter.variable)]
    extents = {member: (None,) if isinstance(member.type, PointerC) else () for member in members}
    return [_parameter(TypedParameter(member, extents[member], False, False)) for member in members]


def _parameter(parameter: TypedParameter) -> Parameter:
    type_ = parameter.variable.type
    element: CType = innermost(type_.target) if isinstance(type_, PointerC) else type_
    return Parameter(
        parameter.variable.name,
        parameter_text(parameter),
        element_of(element),
        len(parameter.extents),
        tuple(polynomial(extent) if extent is not None else None for extent in parameter.extents),
        isinstance(type_, PointerC) and is_const(element),
        isinstance(type_, PointerC) and type_.restrict,
        parameter.variable.span,
    )


def element_of(type_: CType) -> Element:
    """A number, a struct, or the row of a table of pointers."""
    match unqualified(type_):
        case StructC(record) as struct:
            fields = tuple(_field(m.name, m.offset, m.type) for m in scalars(struct))
            return Record(record.size, fields, machine_type(struct), struct.name, record.tag if record.tagged else "")
        case PointerC() as pointer:
            return Record(8, (_field("", 0, pointer),), I64, "struct")
        case plain:
            return number_of(plain)


def _field(name: str, offset: int, type_: CType) -> Field:
    number = number_of(type_)
    return Field(name, offset, number.type, number.signed, number.c_type)


def number_of(type_: CType) -> Number:
    """A number or pointer."""
    match type_:
        case IntegerC(name=name, signed=signed):
            return Number(machine_type(type_), signed, name)
        case PointerC():
            return Number(machine_type(type_), False, declarator_text(unqualified(type_), ""))
        case _:
            return Number(machine_type(type_), False, getattr(type_, "name", ""))


def result_of(type_: CType) -> Number | None:
    return None if isinstance(type_, VoidC) else number_of(unqualified(type_))


def records_of(typed: TypedFunction) -> tuple[Record | None, ...]:
    """For each parameter of C the struct that it is; empty when none is."""
    elements = (element_of(p.variable.type) if isinstance(p.variable.type, StructC) else None for p in typed.parameters)
    found = tuple(element if isinstance(element, Record) else None for element in elements)
    return found if any(found) else ()


def symbol_of(var: Var, symbol: CSymbol) -> Symbol:
    """What the parameter `var` behind those of C stands for."""
    if not isinstance(symbol, GlobalVariable):
        return symbol
    return GlobalSymbol(symbol.name, symbol.defined, _described(var.name, symbol.type), size_of_type(symbol.type))


def _described(name: str, type_: CType) -> Parameter:
    """A variable as a parameter: an array of its lengths, a number as an array of one."""
    lengths: list[int] = []
    element = type_
    while isinstance(element, ArrayC):
        lengths.append(element.extent if isinstance(element.extent, int) else 0)
        element = element.element
    extents = tuple(Polynomial.constant(length) if length else None for length in lengths or (1,))
    const = is_const(element)
    return Parameter(name, declarator_text(type_, name), element_of(element), len(extents), extents, const, False, None)
