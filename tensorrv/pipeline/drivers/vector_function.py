"""Vectorizing a whole function (thesis, section 3.2): one call of the vector version does the work of W calls.

    plus = rv.vectorize_function(function, width=8, shapes={"a": Uniform(), "i": Linear()})
    plus.llvm                                          # define <8 x double> @plus_8(<8 x double>, ptr, i32)

The function becomes the body of a loop over lanes (`lane_loop`), the one brush pipeline vectorizes that loop, and a thin
function around it takes and gives vectors (`by_value`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from rv.argument_shapes import Linear, ParameterShape, Uniform, Varying
from rv.emit.llvm import module_text
from rv.ir.function import Function
from rv.ir.types import FloatType, PointerType
from rv.target.llvm import STANDARD, CompiledModule, Pipeline
from rv.target.machine import Target, resolve_target
from rv.widen.linkage import Linkage
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.pipeline.drivers.by_value import Convention, plain_convention, vector_version
from tensorrv.pipeline.drivers.called import LoadedFunction
from tensorrv.pipeline.drivers.lane_loop import LaneLoop, lane_loop
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import Brush, FloatMode, MathMode, Plan


@dataclass(frozen=True, eq=False)
class VectorFunction:
    """A vector version: its name, the loop over lanes and what became of it, and the LLVM module with both."""

    name: str
    loop: LaneLoop
    tensorized: Tensorized
    target: Target
    llvm: str
    convention: Convention
    scalar: Function

    def compile(self, pipeline: Pipeline = STANDARD) -> CompiledModule:
        """The module after LLVM's pipeline: the loop is inlined and its arrays of lanes are gone."""
        return CompiledModule(self.llvm, self.target, pipeline)

    @cached_property
    def _loaded(self) -> LoadedFunction:
        return LoadedFunction.of(self.name, self.llvm, self.convention, self.loop, self.scalar, self.target)

    def __call__(self, *arguments: Any, mask: Any = None) -> Any:
        """The results of all lanes: arrays of one value for each lane where parameters vary; `mask` an array of truth values.

        Raises TypeError, also for versions that follow another convention than one vector for each varying parameter.
        """
        types = [parameter.var.type for parameter in self.scalar.parameters]
        if self.convention != plain_convention(self.loop, self.scalar.result, types):
            raise TypeError(f"{self.name} follows the vector ABI: it is for compilers to call")
        return self._loaded(arguments, mask)


def vector_function(
    function: Function,
    lanes: int,
    shapes: Mapping[str, ParameterShape],
    mask: bool,
    name: str,
    target: Target | str,
    *,
    fp: FloatMode,
    math: MathMode,
) -> VectorFunction:
    """What `rv.vectorize_function` gives for a function."""
    found = _shapes(function, shapes)
    loop = lane_loop(function, found, lanes, mask=mask)
    types = [parameter.var.type for parameter in function.parameters]
    machine = resolve_target(target) if isinstance(target, str) else target
    convention = plain_convention(loop, function.result, types)
    return vectorize_lanes(function, loop, name or f"{function.name}_{lanes}", convention, machine, Plan(fp=fp, math=math))


def vectorize_lanes(
    scalar: Function, loop: LaneLoop, name: str, convention: Convention, target: Target, plan: Plan
) -> VectorFunction:
    """The vector version of a function, with this name and convention, from its loop over lanes, under `plan` but for the brush.

    Raises Refused.
    """
    brush = Brush((loop.lanes,), (loop.counter,))
    own = replace(plan, brush=brush, projection=None, tail="auto", register_bits=0, assume_parallel=())
    tensorized = tensorize(loop.function, own, target, lambda _: contextlib.nullcontext(), Linkage(inlined=True))
    if not tensorized.brushed:
        raise Refused(*(_of_lanes(diagnostic, loop, name) for diagnostic in tensorized.refusals))
    inner = tensorized.widened.module
    llvm = module_text(replace(inner, functions=(*inner.functions, vector_version(loop, name, convention))), target)
    return VectorFunction(name, loop, tensorized, target, llvm, convention, scalar)


def _of_lanes(diagnostic: Diagnostic, loop: LaneLoop, name: str) -> Diagnostic:
    """What is said about the loop over lanes, which the user has not written."""
    message = f"there cannot be the vector version '{name}': {diagnostic.message}"
    hint = f"`{loop.counter}` counts the lanes of one call, which must not depend on each other"
    return replace(diagnostic, message=message, hint=hint)


def _shapes(function: Function, given: Mapping[str, ParameterShape]) -> tuple[ParameterShape, ...]:
    """A shape for every parameter. Raises ValueError."""
    types = {parameter.var.name: parameter.var.type for parameter in function.parameters}
    for name, shape in given.items():
        if name not in types:
            raise ValueError(f"{function.name} has no parameter '{name}'; its parameters are {', '.join(types)}")
        if not isinstance(shape, ParameterShape):
            raise TypeError(f"the shape of '{name}' is Varying(), Uniform() or Linear(step), not {shape!r}")
        if isinstance(shape, Linear) and isinstance(types[name], FloatType):
            raise ValueError(f"parameter '{name}' is no integer and no pointer: it cannot be linear")
        if isinstance(shape, Linear) and isinstance(shape.step, str):
            step = types.get(shape.step)
            if step is None or isinstance(step, FloatType | PointerType) or given.get(shape.step) != Uniform():
                raise ValueError(f"the step of '{name}' must be a uniform integer parameter; '{shape.step}' is none")
    return tuple(given.get(name, Varying()) for name in types)
