"""Vectorizing one loop of a function by the brush pipeline: as `rv.vectorize_loop`, with proofs by the integer set library.

    rows = tensorrv.vectorize_loop(function, "i", width=8)
    rows.llvm                                          # define void @f(...), in place of the scalar function
"""

from __future__ import annotations

import contextlib
from dataclasses import dataclass
from operator import index

from rv.drivers.vector_loop import VectorLoop
from rv.ir.types import FloatMode
from rv.target.machine import Target, as_target
from rv.transform.prepare import prepare
from rv.vectorize import Source, read_function
from rv.widen.policies import TailPolicy
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.nest.analyze import analyze_nests
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import Brush, MathMode, Plan


@dataclass(frozen=True, eq=False, repr=False)
class BrushedLoop(VectorLoop):
    """The function with a vectorized loop, and what became of it."""

    tensorized: Tensorized


def vectorize_loop(
    function: Source,
    loop: str,
    *,
    width: int,
    target: Target | str = "native",
    fp: FloatMode = "strict",
    math: MathMode = "libm",
    tail: TailPolicy = "auto",
    assume_no_alias: bool = False,
    independent: bool = False,
) -> BrushedLoop:
    """The function with `width` iterations of the loop over variable `loop` at once: see `rv.vectorize_loop`.

    Modes are those of the command line. Raises ValueError when there is no such loop, and Refused when it cannot be vectorized.
    """
    scalar = read_function(function)
    nests = analyze_nests(prepare(scalar))
    known = dict.fromkeys(own.name for own in nests.loops.values())
    if loop not in known:
        raise ValueError(f"{scalar.name} has no loop over '{loop}'; its loops are over {', '.join(known) or 'nothing'}")
    brush, parallel = Brush((index(width),), (loop,)), (loop,) if independent else ()
    # P-LLVM has no rule that memory is read as what it was written as
    plan = Plan(
        brush, fp=fp, math=math, tail=tail, assume_no_alias=assume_no_alias, assume_parallel=parallel, strict_aliasing=False
    )
    machine = as_target(target)
    tensorized = tensorize(scalar, plan, machine, lambda _: contextlib.nullcontext())
    if not tensorized.brushed:
        raise Refused(*(o for o in (c.outcome for c in tensorized.choices) if isinstance(o, Diagnostic)))
    return BrushedLoop(scalar, tensorized.widened.module, machine, tensorized)
