"""The vector functions: our own exp, log, sin and so on, which become part of the kernel and are vectorized with it.

Their sources are C, in `tensorrv/frontend/mathlib`; what the front end makes of them stands here as P-LLVM, in `mathlib`
(`python tools/vector_math.py` writes it), and is inlined before the pipeline begins. They consist of IEEE operations only, so
that their results depend neither on the brush nor on the target; every operation is precise, so that no floating-point mode
changes them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Final

from rv.ir.function import Function
from rv.ir.instructions import Call
from rv.ir.libm import EXACT, SIGNATURES
from rv.ir.parser import parse_functions
from rv.semantics.exact_calls import exact_name
from rv.transform.linearize.merge_calls import merge_calls
from rv.transform.scalar.inline import inline_calls

LIBRARY: Final = Path(__file__).parent / "mathlib"
_NAMES: Final = (
    "asinh acosh atanh erf erfc exp exp2 expm1 log log2 log10 log1p sin cos tan asin acos atan atan2 sinh cosh tanh pow cbrt"
    " hypot"
).split()
PROVIDED: Final = {f"{name}{suffix}": name for name in _NAMES for suffix in ("", "f")}
"""Name of a function, in double and single precision -> the file in `mathlib` that has it."""


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


def _body(name: str) -> Function:
    """The function called `name` of the vector library."""
    return _functions(PROVIDED[name])[name]


@cache
def _functions(file: str) -> Mapping[str, Function]:
    return {function.name: function for function in parse_functions((LIBRARY / f"{file}.pllvm").read_text())}
