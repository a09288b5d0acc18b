"""The text of the LLVM module of one function."""

from __future__ import annotations

from collections.abc import Sequence

from rv.ir.function import Function
from rv.ir.types import PointerType
from rv.target.machine import Target
from rv.widen.lines import LlvmBlock, LlvmFunction
from rv.widen.schedule import schedule


def function_header(function: Function, extension: str) -> str:
    """`define void @f(ptr noalias %A, i32 %n)`; `extension` is how a narrow result is widened ("signext", "zeroext", "")."""
    parameters = []
    for parameter in function.parameters:
        restrict = " noalias" if parameter.restrict and isinstance(parameter.var.type, PointerType) else ""
        parameters.append(f"{parameter.var.type}{restrict} %{parameter.var.name}")
    result = f"{extension} {function.result}" if extension else str(function.result)
    return f"define {result} @{function.name}({', '.join(parameters)}) #0"


def module_text(llvm: LlvmFunction, target: Target, metadata: tuple[str, ...]) -> str:
    """The whole module, with the lines of every block in their final order."""
    first, *others = llvm.blocks
    blocks = "\n".join([_block_text(first, llvm.stack), *map(_block_text, others)])
    declarations = "\n".join(llvm.declarations[name] for name in sorted(llvm.declarations))
    return (
        f'target triple = "{target.triple}"\n\n'
        f"{llvm.header} {{\n{blocks}\n}}\n\n"
        f"{declarations}\n\n"
        "attributes #0 = { nounwind }\n"
        "attributes #1 = { nounwind willreturn memory(none) }\n" + "\n".join(metadata) + "\n"
    )


def _block_text(block: LlvmBlock, stack: Sequence[str] = ()) -> str:
    lines = block.lines if block.ordered else schedule(block.lines)
    texts = [*stack] + [phi.full_text for phi in block.phis] + [line.full_text for line in lines] + [block.terminator]
    return f"{block.label}:\n" + "\n".join(f"  {text}" for text in texts)
