"""Vectorizing a whole function by the brush pipeline: as `rv.vectorize_function`, with access groups and chunks.

The function becomes the body of a loop over lanes (`rv.drivers.lane_loop`), the brush pipeline vectorizes that loop, and a thin
function around it takes and gives vectors (`rv.drivers.by_value`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from operator import index

from rv.argument_shapes import ParameterShape
from rv.drivers.by_value import Convention, plain_convention
from rv.drivers.lane_loop import LaneLoop, lane_loop
from rv.drivers.vector_function import VectorFunction, shapes_of, with_version
from rv.ir.function import Function
from rv.ir.types import FloatMode
from rv.target.machine import Target, as_target
from rv.vectorize import Source, read_function
from rv.widen.linkage import Linkage
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import Brush, MathMode, Plan


@dataclass(frozen=True, eq=False, repr=False)
class VectorVersion(VectorFunction):
    """A vector version, and what became of the loop over lanes."""

    tensorized: Tensorized


def vectorize_function(
    function: Source,
    *,
    width: int,
    shapes: Mapping[str, ParameterShape] | None = None,
    mask: bool = False,
    name: str = "",
    target: Target | str = "native",
    fp: FloatMode = "strict",
    math: MathMode = "libm",
) -> VectorVersion:
    """The version of a function that works on `width` lanes at once: see `rv.vectorize_function`.

    `fp` and `math` are those of the command line. Raises Refused when the function cannot be vectorized.
    """
    scalar = read_function(function)
    loop = lane_loop(scalar, shapes_of(scalar, shapes or {}), index(width), mask=mask)
    types = [parameter.var.type for parameter in scalar.parameters]
    machine = as_target(target)
    convention = plain_convention(loop, scalar.result, types)
    return vectorize_lanes(scalar, loop, name or f"{scalar.name}_{width}", convention, machine, Plan(fp=fp, math=math))


def vectorize_lanes(
    scalar: Function, loop: LaneLoop, name: str, convention: Convention, target: Target, plan: Plan
) -> VectorVersion:
    """The vector version of a function, with this name and convention, from its loop over lanes, under `plan` but for the brush.

    Raises Refused.
    """
    brush = Brush((loop.lanes,), (loop.counter,))
    own = replace(plan, brush=brush, projection=None, tail="auto", register_bits=0, assume_parallel=())
    tensorized = tensorize(loop.function, own, target, lambda _: contextlib.nullcontext(), Linkage(inlined=True))
    if not tensorized.brushed:
        raise Refused(*(_of_lanes(diagnostic, loop, name) for diagnostic in tensorized.refusals))
    module = with_version(tensorized.widened.module, loop, name, convention)
    return VectorVersion(name, loop, target, module, convention, scalar, tensorized)


def _of_lanes(diagnostic: Diagnostic, loop: LaneLoop, name: str) -> Diagnostic:
    """A diagnostic about the generated loop over lanes."""
    message = f"the vector version '{name}' cannot be generated: {diagnostic.message}"
    hint = f"`{loop.counter}` is the lane number within one call; lanes must not depend on each other"
    return replace(diagnostic, message=message, hint=hint)
