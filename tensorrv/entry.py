"""What callers see of a function that reaches memory without being given a pointer to it: an entry that passes the addresses.

    define void @f(i32 %n, ptr %y) {
      %text = ...;  call void @f.body(i32 %n, ptr %y, ptr @f.text)
    }

String literals are constants of the module; local variables whose address other functions get have their places here, for one
activation.
"""

from __future__ import annotations

from rv.vector.function import Extension
from tensorrv.brush.linkage import Linkage
from tensorrv.frontend.module import CFunction
from tensorrv.frontend.symbols import GlobalSymbol, StackSymbol, Symbol, TextSymbol


def body_linkage(source: CFunction, extension: Extension) -> Linkage:
    """How the code of a function is seen: as itself when it has no entry of its own."""
    return Linkage(inlined=True, name=_body_name(source)) if source.symbols else Linkage(extension)


def entry_text(source: CFunction, extension: Extension) -> str:
    """The entry of a function, to be put behind the module with its code; empty when it needs none."""
    if not source.symbols:
        return ""
    function = source.function
    own = function.parameters[: len(function.parameters) - len(source.symbols)]
    added = function.parameters[len(own) :]
    constants: list[str] = []
    lines: list[str] = []
    passed = [f"{p.var.type} %{p.var.name}" for p in own]
    for parameter, symbol in zip(added, source.symbols, strict=True):
        passed.append(f"ptr {_place(f'{source.name}.{parameter.var.name}', parameter.var.name, symbol, constants, lines)}")
    parameters = ", ".join(f"{p.var.type} %{p.var.name}" for p in own)
    name, void = _body_name(source), str(function.result) == "void"
    lines.append(f"{'' if void else '%result.of.body = '}call {function.result} @{name}({', '.join(passed)})")
    lines.append("ret void" if void else f"ret {function.result} %result.of.body")
    result = f"{extension} {function.result}" if extension else str(function.result)
    body = "".join(f"  {line}\n" for line in lines)
    return "".join(f"{line}\n" for line in constants) + f"define {result} @{source.name}({parameters}) #0 {{\n{body}}}\n"


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
