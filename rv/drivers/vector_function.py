"""Vectorizing a whole function (thesis, section 3.2): one call of the vector version does the work of W calls.

    plus = rv.vectorize_function(function, width=8, shapes={"a": Uniform(), "i": Linear()})
    plus.llvm                                          # define <8 x double> @plus_8(<8 x double>, ptr, i32)

The function becomes the body of a loop over lanes (`lane_loop`), that loop is vectorized like any other, and a thin function
around it takes and gives vectors (`by_value`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rv.argument_shapes import Linear, ParameterShape, Uniform, Varying
from rv.drivers.by_value import Convention, plain_convention, vector_version
from rv.drivers.called import LoadedFunction
from rv.drivers.lane_loop import LaneLoop, lane_loop
from rv.emit.llvm import module_text
from rv.ir.function import Function
from rv.ir.types import FloatType, PointerType
from rv.target.llvm import STANDARD, CompiledModule, Pipeline
from rv.target.machine import Target
from rv.vector.counts import instructions_in
from rv.vector.function import Module
from rv.widen.line.obstacles import CannotVectorize
from rv.widen.line.pipeline import Line, loop_over, prepared, vectorized
from rv.widen.linkage import Linkage


@dataclass(frozen=True, eq=False, repr=False)
class VectorFunction:
    """A vector version: its name, the loop over lanes, and the module with both."""

    name: str
    loop: LaneLoop
    target: Target
    module: Module
    convention: Convention
    scalar: Function

    def __repr__(self) -> str:
        return f"<vector version {self.name} of {self.scalar.name}(), target {self.target.label}>"

    @cached_property
    def llvm(self) -> str:
        """The module in LLVM's text form."""
        return module_text(self.module, self.target)

    def compile(self, pipeline: Pipeline = STANDARD) -> CompiledModule:
        """The module after LLVM's pipeline: the loop is inlined and its arrays of lanes are gone."""
        return CompiledModule(self.llvm, self.target, pipeline, instructions_in(self.module))

    @cached_property
    def _loaded(self) -> LoadedFunction:
        return LoadedFunction.of(self.name, self.llvm, self.convention, self.loop, self.scalar, self.target)

    def __call__(self, *arguments: Any, mask: Any = None) -> Any:
        """The results of all lanes: arrays of one value for each lane where parameters vary; `mask` an array of truth values.

        Raises TypeError, also for versions that follow another convention than one vector for each varying parameter.
        """
        types = [parameter.var.type for parameter in self.scalar.parameters]
        if self.convention != plain_convention(self.loop, self.scalar.result, types):
            raise TypeError(f"{self.name} follows the vector ABI: only compiled code can call it")
        return self._loaded(arguments, mask)


def vector_function(
    function: Function, shapes: Mapping[str, ParameterShape], line: Line, *, mask: bool, name: str
) -> VectorFunction:
    """What `rv.vectorize_function` gives for a function. Raises ValueError for shapes that do not fit, or CannotVectorize."""
    loop = lane_loop(function, shapes_of(function, shapes), line.lanes, mask=mask)
    types = [parameter.var.type for parameter in function.parameters]
    convention, called = plain_convention(loop, function.result, types), name or f"{function.name}_{line.lanes}"
    module = _lanes(function, loop, replace(line, independent=True, tail="auto"))
    whole = with_version(module, loop, called, convention)
    return VectorFunction(called, loop, line.target, whole, convention, function)


def _lanes(function: Function, loop: LaneLoop, line: Line) -> Module:
    """The loop over lanes, vectorized."""
    ready = prepared(loop.function, line)
    try:
        return vectorized(ready, loop_over(ready, loop.counter).header, line, Linkage(inlined=True))
    except CannotVectorize as obstacle:
        raise CannotVectorize(f"lanes of @{function.name} cannot run in lock step: {obstacle}") from obstacle


def with_version(module: Module, loop: LaneLoop, name: str, convention: Convention) -> Module:
    """The module of a loop over lanes, with the vector version that calls it."""
    version = vector_version(loop, name, convention)
    return replace(module, functions=(*module.functions, version))


def shapes_of(function: Function, given: Mapping[str, ParameterShape]) -> tuple[ParameterShape, ...]:
    """A shape for every parameter. Raises ValueError."""
    types = {parameter.var.name: parameter.var.type for parameter in function.parameters}
    for name, shape in given.items():
        if name not in types:
            raise ValueError(f"{function.name} has no parameter '{name}'; its parameters are {', '.join(types)}")
        if not isinstance(shape, ParameterShape):
            raise TypeError(f"the shape of '{name}' is Varying(), Uniform() or Linear(step), not {shape!r}")
        if isinstance(shape, Linear) and isinstance(types[name], FloatType):
            raise ValueError(f"parameter '{name}' is neither an integer nor a pointer, so it cannot be linear")
        if isinstance(shape, Linear) and isinstance(shape.step, str):
            step = types.get(shape.step)
            if step is None or isinstance(step, FloatType | PointerType) or given.get(shape.step) != Uniform():
                raise ValueError(f"the step of '{name}' must be a uniform integer parameter; '{shape.step}' is not")
    return tuple(given.get(name, Varying()) for name in types)
