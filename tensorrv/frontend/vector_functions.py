"""The C sources of the vector functions, and what they are in P-LLVM (`tensorrv.unit.vector_math` has the result)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Final

from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Call, Instruction, Negate
from rv.ir.libm import SIGNATURES
from rv.ir.types import FloatType
from rv.transform.simplify import simplify
from tensorrv.frontend.c.module import parse_c
from tensorrv.unit.vector_math import PROVIDED

SOURCES: Final = Path(__file__).parent / "mathlib"
_TOGETHER: Final = {
    "area": "asinh acosh atanh",
    "erf": "erf erfc",
    "exp": "exp exp2 expm1",
    "log": "log log2 log10 log1p",
    "sin": "sin cos tan",
    "inverse": "asin acos atan atan2",
    "hyperbolic": "sinh cosh tanh",
}
_FILES: Final = {name: file for file, names in _TOGETHER.items() for name in names.split()}


def source_file(name: str) -> Path:
    """The C file that defines a vector function; single precision is the same text with the macro FLOAT."""
    return SOURCES / f"{_FILES.get(PROVIDED[name], PROVIDED[name])}.c"


def vector_function(name: str) -> Function:
    """A vector function, simplified, all its operations precise."""
    defines = [("FLOAT", "1")] if SIGNATURES[name][0] == "f" else []
    function = simplify(parse_c(source_file(name), defines=defines).function(name).function)
    return replace(function, blocks=tuple(map(_precise_block, function.blocks)))


def _precise_block(block: Block) -> Block:
    return replace(block, body=tuple(map(_precise, block.body)))


def _precise(instruction: Instruction) -> Instruction:
    match instruction:
        case Binary(result=result) if isinstance(result.type, FloatType):
            return replace(instruction, precise=True)
        case Negate() | Call():
            return replace(instruction, precise=True)
        case _:
            return instruction
