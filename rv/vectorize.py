"""The library's two entry points: functions that do the work of several calls, and loops that take several iterations at once.

    plus = vectorize_function(function, width=8, shapes={"a": Uniform(), "i": Linear()})
    rows = vectorize_loop(function, "j", width=8)

Both are `rv.widen.line`: lanes in a line, by the stride-alignment lattice.
"""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, Protocol

from rv.analysis.cfg.loops import find_loops
from rv.analysis.verify import IllFormed, verify
from rv.argument_shapes import ParameterShape
from rv.drivers.vector_function import vector_function
from rv.drivers.vector_loop import vector_loop
from rv.ir.function import Function
from rv.ir.parser import parse_function
from rv.ir.types import FloatMode
from rv.target.llvm import STANDARD, CompiledModule, Pipeline
from rv.target.machine import Target, as_target
from rv.widen.line.pipeline import Line
from rv.widen.policies import TailPolicy


class Compiled(Protocol):
    """What a front end gives: a function in P-LLVM with facts about its source."""

    @property
    def function(self) -> Function: ...


Source = Function | Compiled | str
"""A function, in memory or in P-LLVM's text form."""


class Vectorized(Protocol):
    """Vector code: `llvm` is a module in LLVM's text form that defines the function `name`."""

    @property
    def name(self) -> str: ...

    @property
    def llvm(self) -> str: ...

    @property
    def target(self) -> Target: ...

    def compile(self, pipeline: Pipeline = STANDARD) -> CompiledModule:
        """The module after LLVM's pipeline."""
        ...

    def __call__(self, *arguments: Any, **mask: Any) -> Any:
        """Runs it: NumPy arrays for memory and for vectors of values, numbers for the rest. Types are checked, sizes are not.

        Raises TypeError for arguments of other types.
        """
        ...


def vectorize_function(
    function: Source,
    *,
    width: int,
    shapes: Mapping[str, ParameterShape] | None = None,
    mask: bool = False,
    name: str = "",
    target: Target | str = "native",
    fp: FloatMode = "strict",
) -> Vectorized:
    """The version of a function that works on `width` lanes at once.

    `shapes` are the parameters' shapes over the lanes (default: `Varying`). A varying parameter is passed as a vector, as is the
    result; with `mask` a last parameter, a vector of truth values, is the mask of active lanes: what the result holds in
    others is undefined. `name` is that of the version (default: `<function>_<width>`). `fp`: "strict" keeps every bit of the
    scalar function, "contract" fuses multiplications and additions, "fast" reorders.

    Raises ValueError for shapes that do not fit and functions that are ill-formed, its subclass CannotVectorize, with the reason,
    for functions that cannot be vectorized, and ParseError for other text.
    """
    line = Line(index(width), as_target(target), fp)
    return vector_function(read_function(function), shapes or {}, line, mask=mask, name=name)


def vectorize_loop(
    function: Source,
    loop: str,
    *,
    width: int,
    target: Target | str = "native",
    fp: FloatMode = "strict",
    tail: TailPolicy = "auto",
    assume_no_alias: bool = False,
    independent: bool = False,
) -> Vectorized:
    """The function with `width` iterations of the loop over variable `loop` at once; `tail` is how the remainder runs.

    The loop may be an outer one: loops inside it then run in lock step. `independent`: by the caller's guarantee iterations
    do not depend on each other. Raises ValueError when there is no such loop, and otherwise as `vectorize_function`.
    """
    line = Line(index(width), as_target(target), fp, tail, independent, assume_no_alias)
    return vector_loop(read_function(function), loop, line)


def read_function(source: Source) -> Function:
    """The function that is given. Raises ValueError where it is ill-formed or its control flow irreducible, and ParseError."""
    match source:
        case str():
            function = _parsed(source)
        case Function():
            function = source
        case _:
            function = source.function
    for cycle in find_loops(function).irreducible:
        entries = f"{cycle.first} and {cycle.second}"
        raise ValueError(f"@{function.name} has a cycle that can be entered at {entries}: control flow must be reducible")
    return function


def _parsed(text: str) -> Function:
    try:
        return verify(parse_function(text))
    except IllFormed as found:
        raise ValueError(f"@{found.function} is not well formed: {found.problem}") from found
