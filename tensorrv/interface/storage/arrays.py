"""The arrays that a plan gives a layout: their shapes in terms of the function's parameters, and their address maps.

An array has the dimensions it declares. One that declares a single dimension and is accessed through flattened subscripts has
the dimensions that these agree on (`A[j*n + i]`: rows of length n).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from layouts.address import AddressMap, address_map
from layouts.layout import Layout, LayoutError
from rv.evolution.polynomial import Polynomial, over_names
from rv.ir.function import Function
from rv.ir.source import Span
from rv.ir.types import Type, size_of
from rv.ir.values import Var
from tensorrv.interface.storage.runs import Storage, Storages
from tensorrv.nest.model import Access, Nests
from tensorrv.report.diagnostics import Diagnostic, Refused
from tensorrv.unit.declared_array import DeclaredArray, Shape


@dataclass(frozen=True, slots=True)
class LaidOutArray:
    """An array parameter, the type of its elements, its shape, and where its elements are.

    A `flattened` shape is that of subscripts. Its rows may have any length, in C even none: then they are taken to have one
    element.
    """

    var: Var
    element: Type
    shape: Shape
    address: AddressMap
    layout: Layout
    flattened: bool


def laid_out_arrays(
    nests: Nests, layouts: Sequence[tuple[str, Layout]], declared: Mapping[str, DeclaredArray]
) -> tuple[LaidOutArray, ...]:
    """The arrays of `layouts` that the function accesses. Raises Refused where a layout does not fit its array."""
    accessed = {access.array.name for access in nests.accesses}
    found = (_array(nests, name, layout, declared[name]) for name, layout in layouts if name in accessed)
    return tuple(array for array in found if not array.address.is_row_major)


def storages_of(arrays: Mapping[str, LaidOutArray]) -> Storages:
    """The storages of a kernel's arrays that are not row-major, by name."""
    return {name: Storage(a.layout, a.address, _lengths(a.shape), a.flattened) for name, a in arrays.items()}


def _lengths(shape: Shape) -> Shape:
    return tuple(None if length is None else over_names(length) for length in shape)


def _array(nests: Nests, name: str, layout: Layout, declared: DeclaredArray) -> LaidOutArray:
    function = nests.function
    shape = declared.lengths if len(declared.lengths) > 1 else _flattened(nests, name, declared.lengths)
    try:
        address = address_map(layout, len(shape))
    except LayoutError as error:
        message = f"layout '{layout}' does not fit '{name}', which has {len(shape)} dimension{'s' * (len(shape) > 1)}: {error}"
        raise Refused(Diagnostic("error", "TRV151", message, span_of(function, name), hint=error.hint)) from error
    shape = tuple(length if length is not None and _known_at_entry(length, function) else None for length in shape)
    for dimension in sorted(address.needed_extents):
        if shape[dimension] is None:
            raise Refused(_unknown_length(function, name, layout, dimension))
    for access in nests.accesses:
        if access.array.name == name and size_of(access.element) != size_of(declared.element):
            raise Refused(_other_type(access, layout))
    var = next(p.var for p in function.parameters if p.var.name == name)
    return LaidOutArray(var, declared.element, shape, address, layout, len(declared.lengths) != len(shape))


def _other_type(access: Access, layout: Layout) -> Diagnostic:
    name = access.array.name
    message = f"'{name}' cannot have layout '{layout}': it is accessed through a pointer to another type"
    label, hint = f"elements of {size_of(access.element)} bytes", f"leave out the layout of '{name}'"
    return Diagnostic("error", "TRV153", message, access.span, label, hint=hint)


def _flattened(nests: Nests, name: str, declared: Shape) -> Shape:
    """The dimensions that all flattened accesses agree on."""
    extents = {access.extents for access in nests.accesses if access.array.name == name and access.subscripts is not None}
    if len(extents) != 1 or extents == {()}:
        return declared
    inner = extents.pop()
    # A[n*m], accessed in rows of length m, has n rows
    quotient, rest = (Polynomial(), declared[0]) if declared[0] is None else declared[0].divided_by(_product(inner))
    return (None if rest is None or rest.terms else quotient, *inner)


def _product(factors: Sequence[Polynomial]) -> Polynomial:
    total = Polynomial.constant(1)
    for factor in factors:
        total = total * factor
    return total


def _known_at_entry(length: Polynomial, function: Function) -> bool:
    parameters = {parameter.var.name for parameter in function.parameters}
    return all(symbol.is_variable and symbol.name in parameters for symbol in length.symbols)


def _unknown_length(function: Function, name: str, layout: Layout, dimension: int) -> Diagnostic:
    place = "outermost dimension" if dimension == 0 else f"dimension {dimension}"
    return Diagnostic(
        "error",
        "TRV152",
        f"layout '{layout}' depends on the length of the {place} of '{name}', which is not known when the function starts",
        span_of(function, name),
        hint=f"declare the parameter as an array with all its lengths, such as {name}[n][m]",
    )


def span_of(function: Function, name: str) -> Span | None:
    """Where the parameter called `name` is declared."""
    return next((p.span for p in function.parameters if p.var.name == name), None)
