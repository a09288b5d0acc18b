"""The text of the LLVM module of one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from rv.ir.function import Function
from rv.ir.types import PointerType
from rv.target.machine import Target
from rv.widen.lines import LlvmBlock, LlvmFunction
from rv.widen.schedule import schedule


@dataclass(frozen=True, slots=True)
class Linkage:
    """How a function is seen from outside: `extension` is how a narrow result is widened ("signext", "zeroext", ""); an
    `inlined` function is only there for others of its module.
    """

    extension: str = ""
    inlined: bool = False


EXTERNAL: Final = Linkage()


def function_header(function: Function, linkage: Linkage) -> str:
    """`define void @f(ptr noalias %A, i32 %n)`."""
    result = f"{linkage.extension} {function.result}" if linkage.extension else str(function.result)
    internal, inlined = ("internal ", " alwaysinline") if linkage.inlined else ("", "")
    return f"define {internal}{result} @{function.name}({', '.join(parameter_texts(function))}){inlined} #0"


def parameter_texts(function: Function) -> tuple[str, ...]:
    """The parameters as they are declared: `ptr noalias %A`."""
    return tuple(
        f"{p.var.type}{' noalias' if p.restrict and isinstance(p.var.type, PointerType) else ''} %{p.var.name}"
        for p in function.parameters
    )


def module_text(llvm: LlvmFunction, target: Target, metadata: tuple[str, ...]) -> str:
    """The whole module, with the lines of every block in their final order."""
    functions = _with_parts(llvm)
    declared = {name: text for function in functions for name, text in function.declarations.items()}
    declarations = "\n".join(declared[name] for name in sorted(declared))
    texts = "".join(_function_text(function, target.registers) for function in functions)
    return (
        f'target triple = "{target.triple}"\n\n'
        f"{texts}{declarations}\n\n"
        f"attributes #0 = {{ nounwind {_processor(target)} }}\n"
        "attributes #1 = { nounwind willreturn memory(none) }\n" + "\n".join(metadata) + "\n"
    )


def _processor(target: Target) -> str:
    """What the function is compiled for: a module may hold functions for several processors."""
    features = f' "target-features"="{target.features}"' if target.features else ""
    return f'"target-cpu"="{target.cpu}"{features}'


def _with_parts(llvm: LlvmFunction) -> list[LlvmFunction]:
    functions = [llvm, *(function for part in llvm.parts for function in _with_parts(part))]
    return list({function.header: function for function in functions}.values())


def _function_text(llvm: LlvmFunction, registers: int) -> str:
    stacks = [llvm.stack, *([] for _ in llvm.blocks[1:])]
    blocks = "\n".join(_block_text(block, registers, stack) for block, stack in zip(llvm.blocks, stacks, strict=True))
    return f"{llvm.header} {{\n{blocks}\n}}\n\n"


def _block_text(block: LlvmBlock, registers: int, stack: Sequence[str]) -> str:
    lines = block.lines if block.ordered else schedule(block.lines, registers)
    texts = [*stack] + [phi.full_text for phi in block.phis] + [line.full_text for line in lines] + [block.terminator]
    return f"{block.label}:\n" + "\n".join(f"  {text}" for text in texts)
