"""Vectorizing one loop of a function (thesis, section 3.2): the loop over `i` takes W iterations at once, and then what is left.

    rows = vectorize_loop(function, "i", lanes=8)
    rows.llvm                                          # define void @f(...), in place of the scalar function

The loop may be an outer one: loops inside it then run in lock step. It is the brush pipeline with a brush of one dimension.
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass

from rv.ir.function import Function
from rv.target.llvm import STANDARD, CompiledModule, Pipeline
from rv.target.machine import Target, resolve_target
from rv.transform.prepare import prepare
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.diagnostics import Diagnostic, Refused
from tensorrv.nest.analyze import analyze_nests
from tensorrv.plan import Brush, FloatMode, MathMode, Plan, TailPolicy


@dataclass(frozen=True, slots=True)
class VectorLoop:
    """The function with a vectorized loop: `llvm` is a module with a drop-in replacement of it."""

    tensorized: Tensorized
    target: Target

    @property
    def llvm(self) -> str:
        return self.tensorized.llvm

    def compile(self, pipeline: Pipeline = STANDARD) -> CompiledModule:
        return CompiledModule(self.llvm, self.target, pipeline)


def vectorize_loop(
    function: Function,
    loop: str,
    *,
    lanes: int,
    target: Target | str = "native",
    fp: FloatMode = "strict",
    math: MathMode = "libm",
    tail: TailPolicy = "auto",
    assume_no_alias: bool = False,
    independent: bool = False,
) -> VectorLoop:
    """The function with `lanes` iterations of the loop over variable `loop` at once; `tail` is how the remainder runs.

    `independent`: the caller answers for it that iterations do not depend on each other. Raises ValueError when there is no such
    loop, and Refused when it cannot be vectorized.
    """
    nests = analyze_nests(prepare(function))
    known = dict.fromkeys(own.name for own in nests.loops.values())
    if loop not in known:
        raise ValueError(f"{function.name} has no loop over '{loop}'; its loops are over {', '.join(known) or 'nothing'}")
    plan = Plan(
        Brush((lanes,), (loop,)),
        fp=fp,
        math=math,
        tail=tail,
        assume_no_alias=assume_no_alias,
        assume_parallel=(loop,) if independent else (),
    )
    machine = resolve_target(target) if isinstance(target, str) else target
    tensorized = tensorize(function, plan, machine, lambda _: contextlib.nullcontext())
    if not tensorized.brushed:
        raise Refused(*(o for o in (c.outcome for c in tensorized.choices) if isinstance(o, Diagnostic)))
    return VectorLoop(tensorized, machine)
