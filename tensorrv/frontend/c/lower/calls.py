"""Lowering of calls: functions of the file are inlined, functions of libm stay calls, everything else is refused."""

from __future__ import annotations

from typing import Final, Never

from rv.ir.instructions import Call, CompareInt
from rv.ir.libm import signature
from rv.ir.types import I1, I32, IntType
from rv.ir.values import Value, const_int
from tensorrv.frontend.c.analyse.libm import ABSOLUTE
from tensorrv.frontend.c.failures import Unsupported, give_up
from tensorrv.frontend.c.lower import objects as lower_objects
from tensorrv.frontend.c.lower import records as lower_records
from tensorrv.frontend.c.lower import statements as lower_statements
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.ssa import Slot
from tensorrv.frontend.c.lower.state import Frame, Lowering, plain_name
from tensorrv.frontend.c.preprocess.prelude import built_in
from tensorrv.frontend.c.tree.nodes import CallFunction, Expression, TypedFunction
from tensorrv.frontend.c.types.c_types import FunctionC, IntegerC, StructC, VoidC, machine_type
from tensorrv.report.diagnostics import Diagnostic, Related

MOST_INLINED = 2000
"""Calls inlined into one function; more would take minutes to compile."""


def call(s: Lowering, e: CallFunction) -> Value | None:
    """The value of a call, None for a void function."""
    name = e.function.name
    callee = s.program.functions.get(name) or built_in(name)
    if callee is not None:
        return _inline(s, e, callee)
    if name in s.program.unsupported:
        _refuse_callee(e, s.program.unsupported[name])
    if name in ABSOLUTE:
        return _absolute(s, e)
    if not _is_library(e.function.type, name):
        return _external(s, e)
    arguments = tuple(lower_values.value(s, argument) for argument in e.arguments)
    result = s.builder.temp(machine_type(e.type))
    s.builder.emit(Call(result, name, arguments, e.span))
    return result


def _is_library(type_: FunctionC, name: str) -> bool:
    known = signature(name)
    return (
        known is not None
        and type_.parameters is not None
        and known == (machine_type(type_.result), tuple(machine_type(p) for p in type_.parameters))
    )


_STRANGE: Final = frozenset({"setjmp", "_setjmp", "sigsetjmp", "__sigsetjmp", "vfork", "alloca", "__builtin_alloca"})
"""Functions that do something to the function that calls them."""


def _external(s: Lowering, e: CallFunction) -> Value | None:
    """A call of a function that stands elsewhere, as the C ABI makes it; numbers narrower than int are passed as int."""
    name = e.function.name
    called = e.function.symbol or name.removeprefix("__builtin_")
    if name in _STRANGE or name.startswith("__builtin_va_"):
        give_up("TRV038", f"calls of '{name}' are not supported", e.span, "called here")
    if signature(called) is not None:
        message = f"'{called}' is declared with another type than the C library's function of this name"
        give_up("TRV038", message, e.span, "called here", hint="include its header, or use another name")
    if isinstance(e.type, StructC) or any(isinstance(argument.type, StructC) for argument in e.arguments):
        message = f"'{name}' has no body in this file, and passes or returns a struct"
        give_up("TRV030", message, e.span, "called here", hint="pass a pointer to the struct")
    arguments = tuple(_passed(s, argument) for argument in e.arguments)
    result = None if isinstance(e.type, VoidC) else s.builder.temp(machine_type(e.type))
    parameters = e.function.type.parameters
    fixed = None if parameters is not None and not e.function.type.variadic else len(parameters or ())
    s.builder.emit(Call(result, called, arguments, e.span, fixed=fixed))
    return result


def _passed(s: Lowering, argument: Expression) -> Value:
    value = lower_values.value(s, argument)
    if isinstance(argument.type, IntegerC) and argument.type.bits < 32:
        return s.resize(value, I32, argument.type.signed, argument.span)
    return value


def _refuse_callee(e: CallFunction, reason: Diagnostic) -> Never:
    related = (Related(reason.span, reason.label or reason.message),) if reason.span is not None else ()
    message = f"'{e.function.name}' cannot be inlined: {reason.message}"
    raise Unsupported(Diagnostic("note", reason.code, message, e.span, "called here", related, reason.hint))


def _inline(s: Lowering, e: CallFunction, callee: TypedFunction) -> Value | None:
    """The callee's body, with its variables as new variables of the caller."""
    _check_inlining(s, e, callee)
    result = Slot("", machine_type(callee.result), e.span)
    _run(s, e, callee, () if isinstance(callee.result, VoidC) else (result,))
    return None if isinstance(callee.result, VoidC) else s.builder.read(result)


def call_for_record(s: Lowering, e: CallFunction) -> tuple[Value, ...]:
    """The scalars of the struct that a call returns."""
    callee = s.program.functions.get(e.function.name)
    if callee is None:
        reason = s.program.unsupported.get(e.function.name)
        if reason is not None:
            _refuse_callee(e, reason)
        message = f"'{e.function.name}' has no body in this file, and passes or returns a struct"
        give_up("TRV030", message, e.span, "called here", hint="define it in the same file")
    _check_inlining(s, e, callee)
    slots = tuple(Slot(plain_name(m.name), machine_type(m.type), e.span) for m in lower_records.parts(e.type, e.span))
    _run(s, e, callee, slots)
    return tuple(s.builder.read(slot) for slot in slots)


def _run(s: Lowering, e: CallFunction, callee: TypedFunction, results: tuple[Slot, ...]) -> None:
    """The callee's blocks; what it returns is in `results` afterwards."""
    structs = isinstance(callee.result, StructC)
    arguments = [
        lower_records.values(s, argument) if isinstance(argument.type, StructC) else [lower_values.value(s, argument)]
        for argument in e.arguments
    ]
    caller = s.frame
    single = None if structs or not results else results[0]
    s.frame = Frame(callee.name, s.builder.new_block(f"{callee.name}.return"), single, caller)
    s.frame.results = results if structs else ()
    s.frame.in_memory = callee.in_memory
    s.frame.given_away = lower_objects.given_away(s, callee)
    for parameter, argument in zip(callee.parameters, arguments, strict=True):
        if parameter.variable in callee.in_memory:
            lower_objects.declare(s, parameter.variable, None, parameter.variable.span)
            lower_objects.bind(s, parameter.variable, argument)
        elif isinstance(parameter.variable.type, StructC):
            lower_records.bind(s, parameter.variable, argument)
        else:
            lower_values.store(s, s.frame.slot(parameter.variable), argument[0], None)
    lower_statements.body(s, callee)
    s.builder.place(s.frame.exit)
    s.frame = caller


def _check_inlining(s: Lowering, e: CallFunction, callee: TypedFunction) -> None:
    """Refuses recursion and too many calls."""
    cycle = s.frame.calls_from(callee.name)
    if cycle:
        through = f" through {', '.join(map(repr, cycle[1:]))}" if len(cycle) > 1 else ""
        give_up(
            "TRV039",
            f"'{callee.name}' calls itself{through}, so it cannot be inlined",
            e.span,
            "recursive call",
            hint="write it as a loop",
        )
    s.inlined[callee.name] = s.inlined.get(callee.name, 0) + 1
    if sum(s.inlined.values()) > MOST_INLINED:
        give_up(
            "TRV039",
            f"more than {MOST_INLINED} calls would have to be inlined",
            e.span,
            "one call too many",
            hint="the number of inlined calls grows with every level of calls; call the functions in a loop, or split the work",
        )


def _absolute(s: Lowering, e: CallFunction) -> Value:
    """abs of an integer: x < 0 ? -x : x."""
    operand = lower_values.value(s, e.arguments[0])
    assert isinstance(operand.type, IntType)
    zero = const_int(operand.type, 0)
    negative = s.builder.temp(I1)
    s.builder.emit(CompareInt(negative, "slt", operand, zero, e.span))
    opposite = s.binary("sub", zero, operand, e.span, nsw=True)
    return lower_values.select(s, negative, opposite, operand, e.span)
