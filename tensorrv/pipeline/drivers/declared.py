"""The vector versions of `#pragma omp declare simd`, for every instruction set of the target's architecture."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rv.argument_shapes import Linear, ParameterShape, Uniform, Varying
from rv.drivers.lane_loop import lane_loop
from rv.ir.types import IntType, Type, bits_of
from rv.target.machine import Target
from tensorrv.pipeline.drivers.vector_abi import (
    ADVSIMD,
    ADVSIMD_HALF,
    InstructionSet,
    Signature,
    characteristic_type,
    default_lanes,
    instruction_sets,
    target_of,
)
from tensorrv.pipeline.drivers.vector_function import VectorVersion, vectorize_lanes
from tensorrv.report.diagnostics import Diagnostic
from tensorrv.schedule.plan import Plan
from tensorrv.unit.elements import Element, Number
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.simd_declaration import SimdDeclaration
from tensorrv.unit.unit import Unit

MOST_REGISTERS = 16
"""A value may take so many registers: compilers call no version with more lanes."""


def declared_versions(source: Unit, target: Target, plan: Plan) -> tuple[VectorVersion, ...]:
    """All versions of a function, under a plan for it whose brush does not matter. Raises Refused when one cannot be made."""
    signatures = {s.name: s for declaration in source.simd for s in signatures_of(source, declaration, target)}
    return tuple(_version(signature, target, plan) for signature in signatures.values())


def missing_versions(source: Unit, target: Target) -> tuple[Diagnostic, ...]:
    """Diagnostics about pragmas without a version: callers do not use one either, and call the scalar function."""
    empty = [declaration for declaration in source.simd if not any(signatures_of(source, declaration, target))]
    return tuple(_without_version(source, declaration, target) for declaration in empty)


def _version(signature: Signature, target: Target, plan: Plan) -> VectorVersion:
    loop = lane_loop(signature.function, signature.shapes, signature.lanes, mask=signature.mask)
    machine = target_of(signature.isa, target)
    return vectorize_lanes(signature.function, loop, signature.name, signature.convention, machine, plan)


def signatures_of(source: Unit, declaration: SimdDeclaration, target: Target) -> Iterator[Signature]:
    """The versions of one pragma, as far as the target's ABI has them."""
    shapes = tuple(_shape(parameter, declaration) for parameter in source.parameters)
    alignments = tuple(dict(declaration.aligned).get(parameter.name, 0) for parameter in source.parameters)
    type_ = characteristic_type(source.function, shapes)
    for isa in instruction_sets(target):
        lanes = declaration.simdlen or default_lanes(isa, type_)
        if _has_version(source, shapes, isa, lanes, type_):
            for mask in (False, True) if declaration.inbranch is None else (declaration.inbranch,):
                yield Signature(source.function, shapes, alignments, isa, lanes, mask)


def _shape(parameter: Parameter, declaration: SimdDeclaration) -> ParameterShape:
    if parameter.name in declaration.uniform:
        return Uniform()
    step = dict(declaration.linear).get(parameter.name)
    if step is None:
        return Varying()
    if parameter.rank:
        return Linear(step, parameter.element.size or 1)
    return Linear(step, wraps=_wraps(parameter.element))


def _wraps(element: Element) -> bool:
    return isinstance(element, Number) and isinstance(element.type, IntType) and not element.signed


def _has_version(
    source: Unit, shapes: Sequence[ParameterShape], isa: InstructionSet, lanes: int, characteristic: Type
) -> bool:
    if isa in (ADVSIMD, ADVSIMD_HALF):
        # as gcc: what differs between lanes has one size, and the lanes fill a register of 64 or 128 bits
        sizes = {bits_of(p.var.type) for p, s in zip(source.function.parameters, shapes, strict=True) if s != Uniform()}
        own = {bits_of(source.function.result)} - {0}
        return sizes | own == {bits_of(characteristic)} and lanes * bits_of(characteristic) == isa.float_bits
    return lanes >= 2 and lanes * bits_of(characteristic) <= MOST_REGISTERS * isa.bits(characteristic)


def _without_version(source: Unit, declaration: SimdDeclaration, target: Target) -> Diagnostic:
    with_what = f" with simdlen({declaration.simdlen})" if declaration.simdlen else ""
    message = f"'{source.name}' is declared simd, but gcc would call no version{with_what} of it on {target.architecture}"
    if target.architecture == "aarch64":
        hint = "gcc needs all varying parameters to have the result's size, and the lanes to fill 64 or 128 bits"
    else:
        hint = "leave out simdlen"
    return Diagnostic("warning", "TRV142", message, source.function.span, "callers call the scalar function", hint=hint)
