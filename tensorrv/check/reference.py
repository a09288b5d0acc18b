"""What optimized code is compared with: the C function as it was lowered, in order, through no optimization of ours or LLVM's.

Code that shares an optimizer with what it is compared with shares its errors: a comparison of two results that lost the same
sign of zero finds nothing. So the reference leaves out `prepare` and everything after it but what the code generator cannot do
without (loops with one entry and values that leave them through phis), LLVM's passes, and all but the plainest instruction
selection.
"""

from __future__ import annotations

from rv.emit.llvm import module_text
from rv.target.llvm import PLAIN, CompiledModule
from rv.target.machine import Target
from rv.transform.loops.lcssa import close_loops
from rv.transform.loops.loop_simplify import simplify_loops
from tensorrv.brush.widening import widen
from tensorrv.interface.entry import linkage_of
from tensorrv.nest.analyze import analyze_nests
from tensorrv.pipeline.kernel import result_extension
from tensorrv.schedule.plan import SCALAR, MathMode, Plan
from tensorrv.unit.unit import Unit
from tensorrv.unit.vector_math import with_vector_math


def reference(source: Unit, target: Target, math: MathMode = "libm") -> CompiledModule:
    """The function for `target`, with libm's functions or with those of `--math vector`."""
    function = with_vector_math(source.function, merged=False) if math == "vector" else source.function
    nests = analyze_nests(close_loops(simplify_loops(function)))
    widened = widen(nests, (), Plan(SCALAR, math=math), target, linkage_of(source, result_extension(source), target))
    return CompiledModule(module_text(widened.module, target), target, PLAIN)
