"""The signature of a C function, from its declaration and from what its code does with its arrays."""

from __future__ import annotations

from rv.evolution.polynomial import over_names
from rv.ir.types import IntType
from tensorrv.frontend.c.module import CFunction, CParameter
from tensorrv.frontend.c.types.c_types import IntegerC, Member, StructC, machine_type
from tensorrv.frontend.c.types.object_parts import scalars
from tensorrv.interface.array_uses import limit_arrays, subscript_arrays, written_arrays
from tensorrv.interface.signature import Argument, ArrayArgument, Field, Limits, Record, ScalarArgument, Signature


def signature_of(c_function: CFunction, sizes: frozenset[str]) -> Signature:
    """The signature of a C function; `sizes` are the parameters on which it depends which elements it touches."""
    written, subscript = written_arrays(c_function.function), subscript_arrays(c_function.function)
    declared = {symbol for p in c_function.parameters for e in p.extents if e is not None for symbol in over_names(e).symbols}
    limits = limit_arrays(c_function.function)
    arguments = tuple(_argument(p, written, subscript, limits.get(p.name, "none")) for p in c_function.parameters)
    integers = frozenset(a.name for a in arguments if isinstance(a, ScalarArgument) and isinstance(a.type, IntType))
    result = c_function.result
    return Signature(
        name=c_function.name,
        arguments=arguments,
        result=c_function.function.result,
        result_signed=isinstance(result, IntegerC) and result.signed,
        sizes=integers & (sizes | declared),
    )


def _argument(parameter: CParameter, written: frozenset[str], subscript: frozenset[str], limits: Limits) -> Argument:
    element = parameter.element
    signed = isinstance(element, IntegerC) and element.signed
    if parameter.rank == 0:
        return ScalarArgument(parameter.name, machine_type(element), signed, element.name)
    return ArrayArgument(
        name=parameter.name,
        element=machine_type(element),
        signed=signed,
        c_type=element.name,
        restrict=parameter.restrict,
        written=parameter.name in written,
        subscript=parameter.name in subscript,
        extents=tuple(None if extent is None else over_names(extent) for extent in parameter.extents),
        record=record_of(element) if isinstance(element, StructC) else None,
        limits=limits,
    )


def record_of(struct: StructC) -> Record:
    """What a struct consists of."""
    return Record(struct.record.size, tuple(map(_field, scalars(struct))))


def _field(member: Member) -> Field:
    type_ = member.type
    signed = isinstance(type_, IntegerC) and type_.signed
    return Field(member.name, member.offset, machine_type(type_), signed, getattr(type_, "name", ""))
