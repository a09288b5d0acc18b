"""The vector functions: our own exp, log, sin and so on, which become part of the kernel and are vectorized with it.

Their sources are C, in `mathlib`; they are read by the front end like any other file and inlined before the pipeline begins. They
consist of IEEE operations only, so that their results depend neither on the brush nor on the target; every operation is precise,
so that no floating-point mode changes them.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Final

from rv.ir.function import Block, Function
from rv.ir.instructions import Binary, Call, Instruction, Negate
from rv.ir.libm import EXACT, SIGNATURES
from rv.ir.types import FloatType
from rv.semantics.exact_calls import exact_name
from rv.transform.linearize.merge_calls import merge_calls
from rv.transform.scalar.inline import inline_calls
from rv.transform.simplify import simplify
from tensorrv.frontend.c.module import parse_c

SOURCES: Final = Path(__file__).parent / "mathlib"
_FILES: Final = {
    "area": "asinh acosh atanh",
    "erf": "erf erfc",
    "exp": "exp exp2 expm1",
    "log": "log log2 log10 log1p",
    "sin": "sin cos tan",
    "inverse": "asin acos atan atan2",
    "hyperbolic": "sinh cosh tanh",
    "pow": "pow",
    "cbrt": "cbrt",
    "hypot": "hypot",
}
PROVIDED: Final = {f"{name}{suffix}": file for file, names in _FILES.items() for name in names.split() for suffix in ("", "f")}
"""C name -> the file in `mathlib` that defines it."""


def with_vector_math(function: Function, *, merged: bool) -> Function:
    """The function with the code of every vector function that it calls; `merged`: calls on alternative paths are merged."""
    called = math_use(function, vector=True).vector
    function = merge_calls(function, called) if merged else function
    return inline_calls(function, {name: _body(name) for name in called})


@dataclass(frozen=True, slots=True)
class MathUse:
    """The mathematical functions that a kernel calls and that are not single instructions: what becomes of them."""

    vector: tuple[str, ...]
    lane_by_lane: tuple[str, ...]

    def __str__(self) -> str:
        """For people; empty when nothing is called."""
        provided = [name for name in self.lane_by_lane if name in PROVIDED]
        missing = [name for name in self.lane_by_lane if name not in PROVIDED]
        parts = [f"vector functions {', '.join(self.vector)}"] if self.vector else []
        parts += [f"libm lane by lane for {', '.join(provided)}, which --math vector has"] if provided else []
        parts += [f"libm lane by lane for {', '.join(missing)}, which --math vector has not"] if missing else []
        return "; ".join(parts)


def math_use(function: Function, *, vector: bool) -> MathUse:
    """What becomes of the calls in `function`, in the order of the first calls; `vector`: vector functions are requested."""
    called = dict.fromkeys(i.callee for _, i in function.instructions() if isinstance(i, Call))
    computed = [name for name in called if name in SIGNATURES and name not in EXACT and exact_name(name) is None]
    own = tuple(name for name in computed if vector and name in PROVIDED)
    return MathUse(own, tuple(name for name in computed if name not in own))


@cache
def _body(name: str) -> Function:
    """The function called `name` of the vector library, simplified, all its operations precise."""
    defines = [("FLOAT", "1")] if SIGNATURES[name][0] == "f" else []
    function = simplify(parse_c(SOURCES / f"{PROVIDED[name]}.c", defines=defines).function(name).function)
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
