"""The entry of a function whose code takes other parameters than its callers pass: it converts and forwards them.

    define void @f(i32 %n, ptr %y) {
      call effect void @f.body(%n, %y, @f.text)
      return
    }

String literals are data of the module, variables of the program are there by their names, local variables whose address other
functions get have their places here, for one activation. Structs that C passes by value are taken apart.
"""

from __future__ import annotations

from rv.ir.types import I8, VOID
from rv.target.machine import Target
from rv.vector.function import Data, Extension, External, Function
from rv.vector.instructions import Call
from rv.vector.values import Operand, Symbol
from rv.vector.writer import FunctionWriter
from rv.widen.linkage import Linkage
from tensorrv.interface.passing import Passing
from tensorrv.unit import symbols as outside
from tensorrv.unit.unit import Unit


def linkage_of(source: Unit, extension: Extension, target: Target) -> Linkage:
    """The linkage of a function's code: external when it needs no separate entry."""
    if not source.symbols and not source.records:
        return Linkage(extension)
    data: list[Data | External] = []
    entry = _entry(source, extension, target, data)
    return Linkage(inlined=True, name=_body_name(source), entry=entry, data=tuple(data))


def _entry(source: Unit, extension: Extension, target: Target, data: list[Data | External]) -> tuple[Function, ...]:
    function = source.function
    own = len(function.parameters) - len(source.symbols)
    writer = FunctionWriter(source.name, (), function.result, extension=extension)
    block = writer.block("entry", fixed=True)
    passing = Passing(target.architecture, block)
    passed = _own_arguments(source, passing)
    for parameter, symbol in zip(function.parameters[own:], source.symbols, strict=True):
        passed.append(_place(f"{source.name}.{parameter.var.name}", symbol, data, writer))
    writer.parameters = tuple(passing.parameters)
    call = Call(_body_name(source), tuple(passed), function.result, pure=False)
    if function.result == VOID:
        block.effect(call)
        block.give_back()
    else:
        block.give_back(block.run(call))
    return writer.finish()


def _own_arguments(source: Unit, passing: Passing) -> list[Operand]:
    """What the code gets for the parameters of C."""
    function = source.function
    own = list(function.parameters[: len(function.parameters) - len(source.symbols)])
    passed: list[Operand] = []
    for struct in source.records or (None,) * len(own):
        if struct is None:
            parameter = own.pop(0)
            passed.append(passing.number(parameter.var.type, parameter.var.name))
        else:
            operands = passing.struct(struct)
            passed += operands
            del own[: len(operands)]
    return passed


def _body_name(source: Unit) -> str:
    return f"{source.name}.body"


def _place(name: str, symbol: outside.Symbol, data: list[Data | External], writer: FunctionWriter) -> Operand:
    """The address of a symbol."""
    match symbol:
        case outside.TextSymbol(data=content):
            data.append(Data(name, content))
            return Symbol(name)
        case outside.GlobalSymbol(name=global_name):
            data.append(External(global_name))
            return Symbol(global_name)
        case outside.StackSymbol(size=size, alignment=alignment):
            return writer.stack_object(I8, size, alignment)
