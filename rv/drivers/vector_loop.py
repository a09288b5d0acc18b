"""Vectorizing one loop of a function (thesis, section 3.2): the loop over `i` takes W iterations at once, and then what is left.

    rows = rv.vectorize_loop(function, "i", width=8)
    rows.llvm                                          # define void @f(...), in place of the scalar function

The loop may be an outer one: loops inside it then run in lock step.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rv.drivers.called import LoadedLoop
from rv.emit.llvm import module_text
from rv.ir.function import Function
from rv.target.llvm import STANDARD, CompiledModule, Pipeline
from rv.target.machine import Target
from rv.vector.counts import instructions_in
from rv.vector.function import Module
from rv.widen.line.pipeline import Line, loop_over, prepared, vectorized


@dataclass(frozen=True, eq=False, repr=False)
class VectorLoop:
    """The function with a vectorized loop: `module` has a drop-in replacement of it."""

    scalar: Function
    module: Module
    target: Target

    def __repr__(self) -> str:
        return f"<{self.name}() with a vectorized loop, target {self.target.label}>"

    @cached_property
    def llvm(self) -> str:
        """The module in LLVM's text form."""
        return module_text(self.module, self.target)

    def compile(self, pipeline: Pipeline = STANDARD) -> CompiledModule:
        return CompiledModule(self.llvm, self.target, pipeline, instructions_in(self.module))

    @property
    def name(self) -> str:
        return self.scalar.name

    @cached_property
    def _loaded(self) -> LoadedLoop:
        return LoadedLoop.of(self.scalar, self.compile())

    def __call__(self, *arguments: Any) -> Any:
        """Runs the function: NumPy arrays for pointers, numbers for the rest. Raises TypeError."""
        return self._loaded(arguments)


def vector_loop(function: Function, loop: str, line: Line) -> VectorLoop:
    """What `rv.vectorize_loop` gives for a function. Raises ValueError when there is no such loop, or CannotVectorize."""
    ready = prepared(function, line)
    module = vectorized(ready, loop_over(ready, loop).header, line)
    return VectorLoop(function, module, line.target)
