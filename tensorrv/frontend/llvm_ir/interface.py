"""The interface of a function of LLVM IR, which has no lengths of arrays: from attributes, and from the code."""

from __future__ import annotations

from rv.analysis.values.uses import definitions, pointer_roots
from rv.ir.function import Function
from rv.ir.instructions import Load, Store
from rv.ir.source import Span
from rv.ir.types import I1, I8, PTR, IntType, Type
from rv.ir.values import Var
from tensorrv.frontend.llvm_ir.failures import Unsupported
from tensorrv.frontend.llvm_ir.functions import Lowered
from tensorrv.frontend.llvm_ir.heads import Head
from tensorrv.frontend.pllvm.interface_text import RESULT, Declared, InterfaceText, Kind
from tensorrv.frontend.pllvm.typed import unit_of
from tensorrv.report.diagnostics import Refused
from tensorrv.unit.unit import Unit

from dataclasses import replace  # isort: skip


def unit_of_function(lowered: Lowered, head: Head, span: Span | None) -> Unit:
    """The unit of a function. Raises Unsupported."""
    function = lowered.function
    own = replace(function, parameters=function.parameters[: len(head.parameters)])
    lines: dict[str, Declared] = {}
    for parameter, said in zip(own.parameters, head.parameters, strict=True):
        place = span or Span("", 0, 0)
        if parameter.var.type == PTR:
            element = _element(function, parameter.var)
            lines[parameter.var.name] = Declared("signed", element, said.const, ("",), "", place)
        elif isinstance(parameter.var.type, IntType):
            lines[parameter.var.name] = Declared(_kind(said.signed), None, False, None, "", place)
    if isinstance(function.result, IntType):
        lines[RESULT] = Declared(_kind(head.result_signed), None, False, None, "", span or Span("", 0, 0))
    try:
        unit = unit_of(own, InterfaceText(function.name, span or Span("", 0, 0), lines))
    except Refused as refusal:
        raise Unsupported(refusal.diagnostics[0]) from refusal
    symbols = tuple(lowered.symbols.values())
    return replace(unit, function=function, internal=head.internal, symbols=symbols, typed_memory=False)


def _kind(signed: bool | None) -> Kind:
    return "unsigned" if signed is False else "signed"


def _element(function: Function, pointer: Var) -> Type:
    """What an array consists of: the one type that is loaded and stored through the pointer, bytes where there are several."""
    known = definitions(function)
    accessed: set[Type] = set()
    for _, instruction in function.instructions():
        match instruction:
            case Load(result=value, pointer=Var() as place) | Store(value=value, pointer=Var() as place):
                if pointer in pointer_roots(known, place):
                    accessed.add(value.type)
            case _:
                pass
    (element,) = accessed if len(accessed) == 1 else (I8,)
    return I8 if element in (I1, PTR) else element
