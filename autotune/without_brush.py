"""Whether LLVM's loop vectorizer makes a function faster where no nest takes a brush: from the machine code of both.

What LLVM makes of a loop follows from its own cost model, and no estimate from facts about the nest foresees it. So scalar code
is compiled as well, and the hot loops of both are executed on the described core (`rv.cost.loop`).
"""

from __future__ import annotations

from dataclasses import replace

from autotune.measure.subject import element_bits, work_of
from autotune.model.steps import hot_steps
from rv.cost.loop import cycles
from rv.cost.margins import ALIKE
from rv.target.description import Machine
from rv.target.llvm import CompiledModule
from tensorrv.nest.choice.estimates import Considered, Estimate
from tensorrv.pipeline.kernel import Kernel


def faster_without_brush(kernel: Kernel, machine: Machine) -> Kernel:
    """The kernel, left to LLVM's vectorizer, or scalar if that is expected to be faster; reports name both."""
    generated = kernel.tensorized
    module = CompiledModule(generated.llvm, kernel.target, instructions=generated.instructions)
    scalar = replace(kernel, plan=replace(kernel.plan, vectorizer="none"), module=module)
    if kernel.versions:
        return kernel
    if scalar.module.assembly == kernel.module.assembly:
        return scalar
    own, other = point(kernel, machine), point(scalar, machine)
    slower = other.cycles < own.cycles * (1 - ALIKE)
    verdicts = ("slower", "taken") if slower else ("taken", "slower")
    found = [Considered(name, one.cycles, one.limit, verdict)
             for name, one, verdict in zip(("llvm", "scalar"), (own, other), verdicts, strict=True)]  # fmt: skip
    return with_candidates(scalar if slower else kernel, found)


def point(kernel: Kernel, machine: Machine) -> Estimate:
    """The cycles of an iteration of the source's innermost loop, by the hot loop's machine code."""
    assembly, work, bits = kernel.module.assembly, work_of(kernel.source), element_bits(kernel.source)
    steps, counts = hot_steps(assembly, work, 1, bits, kernel.target.architecture)
    found = cycles(machine, steps)
    each = found.total / counts.points
    return Estimate(each, found.limit, each)


def with_candidates(kernel: Kernel, found: list[Considered]) -> Kernel:
    """A kernel whose first nest names these instead of its scalar candidate."""
    first, *rest = kernel.tensorized.choices
    others = [one for one in first.considered if one.brush != "scalar"]
    first = replace(first, considered=tuple(sorted([*others, *found], key=lambda one: one.cycles)))
    return replace(kernel, tensorized=replace(kernel.tensorized, choices=(first, *rest)))
