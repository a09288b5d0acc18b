"""Vectorizing one loop of a function (thesis, section 3.2): the loop over `i` takes W iterations at once, and then what is left.

    rows = rv.vectorize_loop(function, "i", width=8)
    rows.llvm                                          # define void @f(...), in place of the scalar function

The loop may be an outer one: loops inside it then run in lock step. It is the brush pipeline with a brush of one dimension.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from rv.ir.function import Function
from rv.target.llvm import STANDARD, CompiledModule, Pipeline
from rv.target.machine import Target, resolve_target
from rv.transform.prepare import prepare
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.nest.analyze import analyze_nests
from tensorrv.pipeline.drivers.called import LoadedLoop
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import Brush, Plan


@dataclass(frozen=True, eq=False)
class VectorLoop:
    """The function with a vectorized loop: `llvm` is a module with a drop-in replacement of it."""

    scalar: Function
    tensorized: Tensorized
    target: Target

    @property
    def llvm(self) -> str:
        return self.tensorized.llvm

    def compile(self, pipeline: Pipeline = STANDARD) -> CompiledModule:
        return CompiledModule(self.llvm, self.target, pipeline)

    @property
    def name(self) -> str:
        return self.scalar.name

    @cached_property
    def _loaded(self) -> LoadedLoop:
        return LoadedLoop.of(self.scalar, self.compile())

    def __call__(self, *arguments: Any) -> Any:
        """Runs the function: NumPy arrays for pointers, numbers for the rest. Raises TypeError."""
        return self._loaded(arguments)


def vector_loop(
    function: Function, loop: str, lanes: int, target: Target | str, *, independent: bool, **modes: Any
) -> VectorLoop:
    """What `rv.vectorize_loop` gives for a function; `modes` are fields of the plan."""
    nests = analyze_nests(prepare(function))
    known = dict.fromkeys(own.name for own in nests.loops.values())
    if loop not in known:
        raise ValueError(f"{function.name} has no loop over '{loop}'; its loops are over {', '.join(known) or 'nothing'}")
    parallel = (loop,) if independent else ()
    # P-LLVM has no rule that memory is read as what it was written as
    plan = Plan(Brush((lanes,), (loop,)), assume_parallel=parallel, strict_aliasing=False, **modes)
    machine = resolve_target(target) if isinstance(target, str) else target
    tensorized = tensorize(function, plan, machine, lambda _: contextlib.nullcontext())
    if not tensorized.brushed:
        raise Refused(*(o for o in (c.outcome for c in tensorized.choices) if isinstance(o, Diagnostic)))
    return VectorLoop(function, tensorized, machine)
