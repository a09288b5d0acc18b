"""The function in the middle: from a C function, a plan and a target to a kernel.

Everything else prepares its arguments or uses its result.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rv.ir.steps import Keep, forget
from rv.ir.types import IntType, Type, size_of
from rv.target.llvm import STANDARD, CompiledModule, Pipeline, linked
from rv.target.machine import Target
from rv.transform.prepare import prepare
from rv.vector.function import Extension
from tensorrv.brush.ordered_loops import CostsOf
from tensorrv.brush.tensorize import Tensorized, tensorize
from tensorrv.interface.entry import linkage_of
from tensorrv.interface.storage.arrays import storages_of
from tensorrv.interface.storage.runs import Storages
from tensorrv.nest.analyze import analyze_nests
from tensorrv.nest.choice.choose import Request, unknown_loops
from tensorrv.pipeline.drivers.declared import declared_versions, missing_versions
from tensorrv.pipeline.drivers.vector_function import VectorVersion
from tensorrv.pipeline.stages import StageClock, StageTime
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.schedule.plan import SCALAR, Plan
from tensorrv.unit.declared_array import DeclaredArray
from tensorrv.unit.elements import Number, Record, numbers_in
from tensorrv.unit.unit import Unit
from tensorrv.unit.vector_math import MathUse, math_use


@dataclass(frozen=True, slots=True, eq=False)
class Kernel:
    """A compiled function. `tensorized` is its vector code before LLVM's pipeline, `module` what LLVM makes of it.

    `versions` are its vector versions, which `module` holds too. `diagnostics` are warnings about nests that stay scalar.
    """

    source: Unit
    plan: Plan
    target: Target
    tensorized: Tensorized
    module: CompiledModule
    diagnostics: tuple[Diagnostic, ...]
    times: tuple[StageTime, ...]
    versions: tuple[VectorVersion, ...] = ()

    @property
    def name(self) -> str:
        return self.source.name

    @property
    def math(self) -> MathUse:
        """What became of calls of mathematical functions."""
        return math_use(self.source.function, vector=self.plan.vector_math)

    @property
    def storages(self) -> Storages:
        """How the arrays are stored that are not row-major."""
        return storages_of(self.tensorized.arrays)


def compile_function(
    source: Unit,
    plan: Plan,
    target: Target,
    pipeline: Pipeline = STANDARD,
    costs: CostsOf | None = None,
    keep: Keep = forget,
    *,
    brushed_only: bool = False,
) -> Kernel:
    """The kernel for this plan. Raises Refused when no nest can take the brush and it has no vector versions either.

    With `costs` every nest gets the brush that is expected to be fastest, or none: then nothing is refused, but for functions
    of which no nest takes a brush with `brushed_only`. `keep` gets what there is after each step.
    """
    _check_loop_names(source, (*plan.brush.names, *plan.assume_parallel, *plan.order, *plan.tile.names, *_skewed_names(plan)))
    _check_layout_names(source, plan)
    clock = StageClock()
    linkage, arrays = linkage_of(source, result_extension(source), target), declared_arrays(source)
    own = replace(plan, strict_aliasing=plan.strict_aliasing and source.typed_memory)
    tensorized = tensorize(source.function, own, target, clock.stage, linkage, arrays, costs, keep, brushed_only=brushed_only)
    if plan.moves_loops and not tensorized.order.changed:
        raise Refused(*(tensorized.order.refusals or (_nothing_to_move(source, plan),)))
    versions: tuple[VectorVersion, ...] = ()
    if source.simd:
        with clock.stage("vector versions"):
            versions = declared_versions(source, target, plan)
    if plan.brush.rank and not tensorized.brushed and not versions and not (costs and tensorized.choices):
        raise _refusal(source, tensorized)
    if plan.threads == "openmp" and not tensorized.divided:
        raise Refused(*(tensorized.undivided or (_threads_without_brush(source),)))
    with clock.stage("optimize"):
        rest = replace(pipeline, loop_vectorize=True) if plan.vectorizer == "llvm" else pipeline
        module = CompiledModule(tensorized.llvm, target, rest, tensorized.instructions)
        if versions:
            module = linked([module, *(version.compile(pipeline) for version in versions)])
    found_problems = (*tensorized.order.refusals, *tensorized.refusals, *tensorized.undivided, *missing_versions(source, target))
    warnings = tuple(replace(d, severity="warning") if d.severity == "error" else d for d in found_problems)
    notes = (*source.notes, *tensorized.notes)
    return Kernel(source, plan, target, tensorized, module, (*warnings, *notes), tuple(clock.times), versions)


def _skewed_names(plan: Plan) -> Iterator[str]:
    """The loops that slopes name."""
    for skew in plan.skew:
        yield skew.loop
        yield from (name for name, _ in skew.by)


def _refusal(source: Unit, tensorized: Tensorized) -> Refused:
    """Why no nest can take the brush."""
    from tensorrv.pipeline.explain.nests import explain
    from tensorrv.pipeline.explain.text import explanation_text

    refusal = Refused(*(tensorized.refusals or (_without_nests(source),)))
    if tensorized.choices:
        refusal.explanations = (explanation_text(source.name, explain(tensorized)),)
    return refusal


def result_extension(source: Unit) -> Extension:
    """How a result narrower than int is widened: callers that clang compiled rely on it."""
    match source.result:
        case Number(type=IntType(bits), signed=signed) if bits < 32:
            return "signext" if signed else "zeroext"
        case _:
            return ""


def compile_scalar(source: Unit, target: Target) -> Kernel:
    """The C function evaluated in order, without any vectorization, as fast as that goes: the baseline of benchmarks."""
    return compile_function(replace(source, simd=()), Plan(SCALAR), target)


def _without_nests(source: Unit) -> Diagnostic:
    message = f"'{source.name}' has no loop nest to which a brush can be applied"
    hint = "a brush needs loops whose trip count is computable before the loop; --brush none compiles scalar code"
    return Diagnostic("error", "TRV086", message, source.function.span, hint=hint)


def _threads_without_brush(source: Unit) -> Diagnostic:
    message = f"the iterations of a brushed loop are divided among threads, but '{source.name}' has none under this plan"
    return Diagnostic("error", "TRV093", message, source.function.span, hint="give a brush such as --brush 1x8")


def _nothing_to_move(source: Unit, plan: Plan) -> Diagnostic:
    if plan.fuse:
        return Diagnostic("error", "TRV331", f"'{source.name}' has no neighbouring loops to fuse", source.function.span)
    message = f"the requested order and tiles change no nest of '{source.name}'"
    return Diagnostic("error", "TRV330", message, source.function.span, hint="name two loops of one nest, or give sizes above 1")


def _check_loop_names(source: Unit, names: Sequence[str]) -> None:
    """Raises Refused when a name is no loop's."""
    if not names:
        return
    nests = analyze_nests(prepare(source.function))
    for name in unknown_loops(nests, Request((1,) * len(names), tuple(names))):
        known = dict.fromkeys(loop.name for loop in nests.loops.values())
        hint = f"its loops are {', '.join(known)}" if known else "it has no loops"
        message = f"'{source.name}' has no loop '{name}'"
        raise Refused(Diagnostic("error", "TRV090", message, source.function.span, hint=hint))


def register_lanes(source: Unit, target: Target) -> int:
    """How many of the function's widest array elements a register holds (elements narrower than 4 bytes count as 4)."""
    return target.register_bits // (8 * max([4, *map(size_of, element_types(source))]))


def declared_arrays(source: Unit) -> dict[str, DeclaredArray]:
    """The array parameters that hold numbers."""
    found = {p.name: p for p in source.parameters if p.rank and not isinstance(p.element, Record)}
    return {name: DeclaredArray(p.element.type, p.extents) for name, p in found.items()}


def _check_layout_names(source: Unit, plan: Plan) -> None:
    """Raises Refused when a layout is given for what is no array of numbers."""
    arrays = {p.name: p for p in source.parameters if p.rank}
    if plan.layouts and source.simd:
        message = f"the vector versions of '{source.name}' take pointers to row-major arrays"
        raise Refused(Diagnostic("error", "TRV150", message, source.function.span, hint="leave out the layouts"))
    for name, layout in plan.layouts:
        if name not in arrays:
            hint = f"its arrays are {', '.join(arrays)}" if arrays else "it has no array parameters"
            message = f"'{source.name}' has no array parameter '{name}' for layout '{layout}'"
            raise Refused(Diagnostic("error", "TRV150", message, source.function.span, hint=hint))
        if isinstance(arrays[name].element, Record):
            message = f"'{name}' holds structs, for which there are no layouts"
            raise Refused(Diagnostic("error", "TRV150", message, arrays[name].span, hint="leave out its layout"))


def element_types(source: Unit) -> tuple[Type, ...]:
    """The types of the numbers in the arrays, widest first."""
    found = {number.type for p in source.parameters if p.rank for number in numbers_in(p.element)}
    return tuple(sorted(found, key=lambda type_: (-size_of(type_), str(type_))))
