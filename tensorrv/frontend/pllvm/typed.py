"""The typed interface of a function in P-LLVM: from what the text declares, and from the code where it declares nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Never

from rv.analysis.values.uses import definitions, pointer_roots
from rv.evolution.polynomial import Symbol, signed, unsigned
from rv.ir.function import Function
from rv.ir.function import Parameter as IrParameter
from rv.ir.instructions import Load, Store
from rv.ir.source import Span
from rv.ir.types import I8, PTR, FloatType, IntType, Type, VoidType
from rv.ir.values import Var
from tensorrv.frontend.pllvm.interface_text import MEMORY, RESULT, Declared, InterfaceText, Kind, length_of
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.elements import Number, has_numbers, number_of
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.unit import Unit


def unit_of(function: Function, said: InterfaceText | None) -> Unit:
    """The unit of a function. Raises Refused when its interface does not fit, or does not say enough."""
    lines = {} if said is None else said.lines
    known = {parameter.var.name for parameter in function.parameters} | {RESULT, MEMORY}
    for name, line in lines.items():
        if name not in known:
            _refuse("TRV052", f"@{function.name} has no parameter %{name}", line.span, "not a parameter")
    symbols = _symbols(function, lines)
    parameters = tuple(_parameter(function, p, lines.get(p.var.name), symbols) for p in function.parameters)
    result = _result(function, lines.get(RESULT))
    return Unit(function, _prototype(function.name, result, parameters), parameters, result, typed_memory=MEMORY in lines)


def _symbols(function: Function, lines: Mapping[str, Declared]) -> dict[str, Symbol]:
    """The integer parameters as symbols of polynomials."""
    found: dict[str, Symbol] = {}
    for parameter in function.parameters:
        name, line = parameter.var.name, lines.get(parameter.var.name)
        if isinstance(parameter.var.type, IntType):
            found[name] = signed(name) if line is None or line.kind == "signed" else unsigned(name)
    return found


def _result(function: Function, line: Declared | None) -> Number | None:
    if isinstance(function.result, VoidType):
        if line is not None:
            _refuse("TRV052", f"@{function.name} has no result", line.span, "nothing to declare")
        return None
    return _number(function.result, line, function.span, f"the result of @{function.name}")


def _parameter(function: Function, parameter: IrParameter, line: Declared | None, symbols: Mapping[str, Symbol]) -> Parameter:
    var, span = parameter.var, line.span if line is not None else parameter.span
    if var.type != PTR:
        if line is not None and line.lengths is not None:
            _refuse("TRV052", f"%{var.name} is a {var.type}, not an array", line.span, "only pointers lead to arrays")
        number = _number(var.type, line, span, f"%{var.name}")
        return Parameter(var.name, f"{number.c_type} {var.name}", number, 0, (), False, False, span)
    element = _number(_element_type(function, var, line), line, span, f"%{var.name}")
    texts = line.lengths if line is not None and line.lengths is not None else ("",)
    if line is not None and "" in texts[1:]:
        _refuse("TRV052", f"an inner length of %{var.name} is left out", line.span, "only the outermost one may be")
    extents = tuple(None if line is None else length_of(line, text, symbols) for text in texts)
    const = line is not None and line.const
    dimensions = "".join(f"[{text.replace('%', '')}]" for text in texts)
    declaration = f"{'const ' if const else ''}{element.c_type} {var.name}{dimensions}"
    return Parameter(var.name, declaration, element, len(extents), extents, const, parameter.restrict, span)


def _element_type(function: Function, pointer: Var, line: Declared | None) -> Type:
    """What an array holds: as declared, or the one type that the code loads and stores through the pointer."""
    if line is not None and line.type is not None:
        return line.type
    known = definitions(function)
    accessed: dict[Type, None] = {}
    for _, instruction in function.instructions():
        match instruction:
            case Load(result=value, pointer=Var() as place) | Store(value=value, pointer=Var() as place):
                if pointer in pointer_roots(known, place):
                    accessed[value.type] = None
            case _:
                pass
    if len(accessed) > 1:
        types = " and ".join(map(str, accessed))
        hint = f"declare it: interface @{function.name} {{ %{pointer.name}: TYPE[] }}"
        message = f"the elements of %{pointer.name} are accessed as {types}"
        raise Refused(Diagnostic("error", "TRV053", message, function.span, f"in @{function.name}", hint=hint))
    return next(iter(accessed), I8)


def _number(type_: Type, line: Declared | None, span: Span | None, what: str) -> Number:
    kind: Kind = "signed" if line is None else line.kind
    if not has_numbers(type_):
        _refuse("TRV052", f"{what} is of type {type_}, which C has no numbers of", span, "not passed by C's conventions")
    if kind == "bool":
        if type_ != I8:
            _refuse("TRV052", f"{what} is of type {type_}: a bool is an i8", span, "not a bool")
        return Number(type_, False, "_Bool")
    if isinstance(type_, FloatType) and kind == "unsigned":
        _refuse("TRV052", f"{what} is of type {type_}, which has signs", span, "not unsigned")
    return number_of(type_, signed=kind == "signed")


def _prototype(name: str, result: Number | None, parameters: tuple[Parameter, ...]) -> str:
    """The function in C. Lengths that name later parameters are left to the interface."""
    seen: set[str] = set()
    declared: list[str] = []
    for parameter in parameters:
        element = f"{'const ' if parameter.const else ''}{parameter.element.c_type}"
        used = {symbol.name for extent in parameter.extents if extent is not None for symbol in extent.symbols}
        promise = "restrict " * parameter.restrict
        if parameter.rank == 0:
            declared.append(f"{element} {parameter.name}")
            seen.add(parameter.name)
        elif used <= seen and parameter.rank > 1 and None not in parameter.extents[1:]:
            lengths = ["" if extent is None else extent.readable() for extent in parameter.extents]
            first = f"{promise}{lengths[0]}".strip()
            declared.append(f"{element} {parameter.name}[{first}]" + "".join(f"[{length}]" for length in lengths[1:]))
        else:
            declared.append(f"{element} *{promise}{parameter.name}")
    return f"{'void' if result is None else result.c_type} {name}({', '.join(declared) or 'void'});"


def _refuse(code: str, message: str, span: Span | None, label: str) -> Never:
    raise Refused(Diagnostic("error", code, message, span, label))
