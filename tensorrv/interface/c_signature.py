"""The signature of a unit, from its interface and from what its code does with its arrays."""

from __future__ import annotations

from rv.evolution.polynomial import over_names
from rv.ir.types import IntType
from tensorrv.interface.array_uses import limit_arrays, read_arrays, subscript_arrays, written_arrays
from tensorrv.interface.signature import Argument, ArrayArgument, Limits, ScalarArgument, Signature
from tensorrv.unit.elements import Record
from tensorrv.unit.parameter import Parameter
from tensorrv.unit.unit import Unit


def signature_of(unit: Unit, sizes: frozenset[str]) -> Signature:
    """The signature of a unit; `sizes` are the parameters on which it depends which elements it touches."""
    written, subscript = written_arrays(unit.function), subscript_arrays(unit.function)
    declared = {symbol.name for p in unit.parameters for e in p.extents if e is not None for symbol in e.symbols}
    limits, read = limit_arrays(unit.function), read_arrays(unit.function)
    arguments = tuple(
        _argument(p, written, subscript, limits.get(p.name, "none"), read=p.name in read) for p in unit.parameters
    )
    integers = frozenset(a.name for a in arguments if isinstance(a, ScalarArgument) and isinstance(a.type, IntType))
    return Signature(
        name=unit.name,
        arguments=arguments,
        result=unit.function.result,
        result_signed=unit.result is not None and unit.result.signed,
        sizes=integers & (sizes | declared),
    )


def _argument(
    parameter: Parameter, written: frozenset[str], subscript: frozenset[str], limits: Limits, *, read: bool
) -> Argument:
    element = parameter.element
    signed = not isinstance(element, Record) and element.signed
    if parameter.rank == 0:
        return ScalarArgument(parameter.name, element.type, signed, element.c_type)
    return ArrayArgument(
        name=parameter.name,
        element=element.type,
        signed=signed,
        c_type=element.c_type,
        restrict=parameter.restrict,
        written=parameter.name in written,
        subscript=parameter.name in subscript,
        extents=tuple(None if extent is None else over_names(extent) for extent in parameter.extents),
        record=element if isinstance(element, Record) else None,
        limits=limits,
        read=read,
    )
