"""`--run`: a function is executed by the interpreter, on arguments from the command line and from `--data`.

    tensorrv-gen f.pllvm --run n=3 x=0.5 A=1,2,3 B=0*3

Numbers stand by themselves, arrays are lists with commas; `0*3` is three zeros. What the arrays hold afterwards is printed, and
the result. Accesses outside arrays, divisions by zero and decisions on undefined values are refused with the instruction.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Never

import numpy as np

from rv.ir.function import Parameter as IrParameter
from rv.ir.instructions import Call
from rv.ir.libm import signature
from rv.ir.printer import print_statement
from rv.ir.source import Span
from rv.semantics.arguments import Argument
from rv.semantics.memory import Fault, Memory
from rv.semantics.scalar import run
from rv.semantics.undefined import Undefined, UndefinedValue
from tensorrv.check.given.reading import read_arguments
from tensorrv.cli.options import Options
from tensorrv.frontend.read import read_module
from tensorrv.frontend.shipped import find_kernel
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.run.call import Array, dtype_of, record_dtype
from tensorrv.unit.elements import Number
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.symbols import GlobalSymbol, StackSymbol, Symbol, TextSymbol
from tensorrv.unit.unit import Module, Unit


def interpret(options: Options, words: Sequence[str]) -> dict[str, Any]:
    """What a run leaves: the function's name, its result, and its arrays by name. Raises Refused."""
    path = find_kernel(options.kernel)
    module = read_module(path, defines=options.defines, include_dirs=options.include, cpp=options.cpp)
    try:
        unit = _selected(module, options.functions)
        given: dict[str, Any] = {} if options.data is None else dict(read_arguments(options.data, unit.name))
        for word in words:
            name, _, value = word.partition("=")
            given[name] = value
        return _left_by(unit, given)
    except Refused as refusal:
        refusal.sources = module.sources
        raise


def _selected(module: Module, names: Sequence[str]) -> Unit:
    if names:
        return module.function(names[0])
    units = [unit for unit in module.functions if not unit.internal] or list(module.functions)
    if len(units) != 1:
        message = f"the file has several functions: {', '.join(unit.name for unit in units)}"
        raise Refused(Diagnostic("error", "TRV082", message, hint="choose one with --function"))
    return units[0]


def _left_by(unit: Unit, given: Mapping[str, Any]) -> dict[str, Any]:
    _check_calls(unit)
    memory = Memory()
    arrays: dict[str, Array] = {}
    arguments: list[Argument] = []
    described = [*unit.parameters, *(s.described for s in unit.symbols if isinstance(s, GlobalSymbol))]
    for name in given:
        if name not in {parameter.name for parameter in described}:
            _refuse(unit, f"'{unit.name}' has no parameter '{name}'", _usage(unit))
    for parameter in unit.parameters:
        arguments.append(_argument(unit, parameter, given, memory, arrays))
    behind = unit.function.parameters[len(unit.parameters) :]
    for parameter_behind, symbol in zip(behind, unit.symbols, strict=True):
        arguments.append(_place(unit, parameter_behind, symbol, given, memory, arrays))
    try:
        result = run(unit.function, arguments, memory)
    except (Fault, Undefined) as problem:
        message = f"'{unit.name}' cannot be run on these arguments: {problem}"
        raise Refused(Diagnostic("error", "TRV096", message, _span_of(unit, str(problem)), "here")) from problem
    shown = "undefined" if isinstance(result, UndefinedValue) else _signed(unit, result)
    return {"function": unit.name, "result": shown, "arrays": arrays}


def _span_of(unit: Unit, problem: str) -> Span | None:
    """Where the instruction is that a problem names."""
    for block in unit.function.blocks:
        for statement in (*block.phis, *block.body, block.terminator):
            if f"`{print_statement(statement)}` in block {block.label} " in problem:
                return statement.span
    return None


def _signed(unit: Unit, result: int | float | None) -> int | float | None:
    """The result as its type in the source reads it."""
    if isinstance(result, int) and unit.result is not None and unit.result.signed:
        half = 1 << (8 * unit.result.size - 1)
        return (result + half) % (2 * half) - half
    return result


def _check_calls(unit: Unit) -> None:
    for _, call in unit.function.instructions():
        if isinstance(call, Call) and signature(call.callee) is None:
            message = f"'{unit.name}' calls '{call.callee}', which the interpreter does not have"
            raise Refused(Diagnostic("error", "TRV096", message, call.span, "called here"))


def _argument(
    unit: Unit, parameter: Parameter, given: Mapping[str, Any], memory: Memory, arrays: dict[str, Array]
) -> Argument:
    if parameter.name not in given:
        _refuse(unit, f"nothing is given for '{parameter.name}'", _usage(unit))
    value = given[parameter.name]
    if not parameter.rank:
        assert isinstance(parameter.element, Number)
        dtype = dtype_of(parameter.element.type, parameter.element.signed, parameter.element.c_type)
        (number,) = _array(unit, parameter, value, dtype, 1).reshape(-1)
        found: int | float = number.item()
        return found
    arrays[parameter.name] = _array(unit, parameter, value, _element_dtype(parameter), None)
    return memory.map(parameter.name, arrays[parameter.name])


def _element_dtype(parameter: Parameter) -> np.dtype[Any]:
    element = parameter.element
    if isinstance(element, Number):
        return dtype_of(element.type, element.signed, element.c_type)
    return record_dtype(element)


def _array(unit: Unit, parameter: Parameter, value: Any, dtype: np.dtype[Any], length: int | None) -> Array:
    """The numbers of a word, or a copy of an array; `length`: how many there have to be."""
    try:
        found = np.array(_numbers(value, dtype.kind == "f"), dtype) if isinstance(value, str) else np.array(value)
    except (ValueError, OverflowError) as error:
        _refuse(unit, f"'{parameter.name}={value}' gives no numbers of type {dtype}: {error}", _usage(unit))
    if found.dtype != dtype and not (length == 1 and np.can_cast(found.dtype, dtype, "same_kind")):
        _refuse(unit, f"'{parameter.name}' holds numbers of type {found.dtype}, not {dtype}", _usage(unit))
    if length is not None and found.size != length:
        _refuse(unit, f"'{parameter.name}' is a number, not {found.size} of them", _usage(unit))
    return np.ascontiguousarray(found.astype(dtype))


def _numbers(text: str, floats: bool) -> list[int | float]:
    """The numbers of a list. Raises ValueError."""
    found: list[int | float] = []
    for item in filter(None, text.split(",")):
        value, star, count = item.partition("*")
        found += [float(value) if floats else int(value, 0)] * (int(count) if star else 1)
    return found


def _place(
    unit: Unit, parameter: IrParameter, symbol: Symbol, given: Mapping[str, Any], memory: Memory, arrays: dict[str, Array]
) -> Argument:
    match symbol:
        case TextSymbol(data):
            return memory.map(parameter.var.name, data)
        case StackSymbol(size):
            return memory.map(parameter.var.name, bytearray(size))
        case GlobalSymbol(described=described):
            return _argument(unit, described, given, memory, arrays)


def _usage(unit: Unit) -> str:
    texts = (f"{p.name}={'1,2,...' if p.rank else '1'}" for p in unit.parameters)
    return f"--run takes {' '.join(texts)}" if unit.parameters else "it takes no arguments"


def _refuse(unit: Unit, message: str, hint: str) -> Never:
    raise Refused(Diagnostic("error", "TRV104", message, unit.function.span, hint=hint))


def show(left: Mapping[str, Any]) -> None:
    """Prints what a run left."""
    if left["result"] is not None:
        print(f"{left['function']}: {left['result']}")
    for name, array in left["arrays"].items():
        print(f"{name} = {np.array2string(array, separator=', ')}")


def document(left: Mapping[str, Any]) -> dict[str, Any]:
    """The same for programs."""
    return {**left, "arrays": {name: array.tolist() for name, array in left["arrays"].items()}}
