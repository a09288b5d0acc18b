"""What callers see of a function that does not get everything as its code takes it: an entry that passes that on.

    define void @f(i32 %n, ptr %y) {
      call void @f.body(i32 %n, ptr %y, ptr @f.text)
    }

String literals are constants of the module, variables of the program are there by their names, local variables whose address
other functions get have their places here, for one activation. Structs that C passes by value are taken apart.
"""

from __future__ import annotations

from rv.target.machine import Target
from rv.vector.function import Extension
from rv.widen.linkage import Linkage
from tensorrv.frontend.c.module import CFunction
from tensorrv.frontend.c.tree.symbols import GlobalSymbol, StackSymbol, Symbol, TextSymbol
from tensorrv.interface.passing import Passing


def body_linkage(source: CFunction, extension: Extension) -> Linkage:
    """How the code of a function is seen: as itself when it has no entry of its own."""
    return Linkage(inlined=True, name=_body_name(source)) if source.symbols or source.records else Linkage(extension)


def entry_text(source: CFunction, extension: Extension, target: Target) -> str:
    """The entry of a function, to be put behind the module with its code; empty when it needs none."""
    if not source.symbols and not source.records:
        return ""
    function = source.function
    own = function.parameters[: len(function.parameters) - len(source.symbols)]
    passing = Passing(target.architecture)
    passed = _own_arguments(source, passing)
    constants: list[str] = []
    for parameter, symbol in zip(function.parameters[len(own) :], source.symbols, strict=True):
        name = parameter.var.name
        passed.append(f"ptr {_place(f'{source.name}.{name}', name, symbol, constants, passing.lines)}")
    name, void = _body_name(source), str(function.result) == "void"
    lines = [
        *passing.lines,
        f"{'' if void else '%result.of.body = '}call {function.result} @{name}({', '.join(passed)})",
        "ret void" if void else f"ret {function.result} %result.of.body",
    ]
    result = f"{extension} {function.result}" if extension else str(function.result)
    body = "".join(f"  {line}\n" for line in lines)
    head = f"define {result} @{source.name}({', '.join(passing.declared)}) #0"
    return "".join(f"{line}\n" for line in constants) + f"{head} {{\n{body}}}\n"


def _own_arguments(source: CFunction, passing: Passing) -> list[str]:
    """What the code gets for the parameters of C."""
    function = source.function
    own = list(function.parameters[: len(function.parameters) - len(source.symbols)])
    passed: list[str] = []
    for struct in source.records or (None,) * len(own):
        if struct is None:
            parameter = own.pop(0)
            passed.append(passing.number(parameter.var.type, parameter.var.name))
        else:
            operands = passing.struct(struct)
            passed += operands
            del own[: len(operands)]
    return passed


def _body_name(source: CFunction) -> str:
    return f"{source.name}.body"


def _place(name: str, local: str, symbol: Symbol, constants: list[str], lines: list[str]) -> str:
    """The address of a symbol."""
    match symbol:
        case TextSymbol(data=data):
            constants.append(f"@{name} = private unnamed_addr constant [{len(data)} x i8] c\"{_escaped(data)}\"")
            return f"@{name}"
        case GlobalSymbol(name=symbol_name):
            constants.append(f"@{symbol_name} = external global i8")
            return f"@{symbol_name}"
        case StackSymbol(size=size, alignment=alignment):
            lines.append(f"%{local} = alloca [{size} x i8], align {alignment}")
            return f"%{local}"


def _escaped(data: bytes) -> str:
    return "".join(chr(byte) if 32 <= byte < 127 and chr(byte) not in '"\\' else f"\\{byte:02x}" for byte in data)
