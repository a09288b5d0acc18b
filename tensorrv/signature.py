"""A kernel's C signature in the terms of its callers: what each argument is and how large the arrays are."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rv.ir.types import IntType, Type, size_of
from tensorrv.array_uses import subscript_arrays, written_arrays
from tensorrv.frontend.c_types import IntegerC, StructC, machine_type
from tensorrv.nest.polynomial import Polynomial

if TYPE_CHECKING:
    from tensorrv.frontend.module import CFunction, CParameter


@dataclass(frozen=True, slots=True)
class ScalarArgument:
    """A number passed by value. `c_type` is the name of its type in C; `signed` matters for integers only."""

    name: str
    type: Type
    signed: bool
    c_type: str


@dataclass(frozen=True, slots=True)
class ArrayArgument:
    """A pointer to the first of an array of `element`s.

    `extents` are the declared lengths of all dimensions, outermost first, in the names of scalar arguments; None stands for a
    dimension without a declared length (only the outermost one can be so). `written` is false when the kernel only reads the
    array; `subscript` is true when elements of the array become subscripts of another. `record` is the type of elements that
    are structs; `element` then only tells how they are aligned.
    """

    name: str
    element: Type
    signed: bool
    c_type: str
    restrict: bool
    written: bool
    subscript: bool
    extents: tuple[Polynomial | None, ...]
    record: StructC | None = None

    @property
    def inner_extents(self) -> tuple[Polynomial, ...]:
        """The lengths of all dimensions but the outermost."""
        return tuple(extent for extent in self.extents[1:] if extent is not None)

    @property
    def element_size(self) -> int:
        return size_of(self.element) if self.record is None else max(1, self.record.record.size)


Argument = ScalarArgument | ArrayArgument


@dataclass(frozen=True, slots=True)
class Signature:
    """`sizes` are the integer arguments on which it depends which elements are touched."""

    name: str
    arguments: tuple[Argument, ...]
    result: Type
    result_signed: bool = True
    sizes: frozenset[str] = frozenset()

    @property
    def scalars(self) -> tuple[ScalarArgument, ...]:
        return tuple(a for a in self.arguments if isinstance(a, ScalarArgument))

    @property
    def arrays(self) -> tuple[ArrayArgument, ...]:
        return tuple(a for a in self.arguments if isinstance(a, ArrayArgument))

    @property
    def declared_names(self) -> frozenset[str]:
        """The integer arguments that occur in declared lengths."""
        lengths = (extent for array in self.arrays for extent in array.extents if extent is not None)
        return frozenset(symbol for length in lengths for symbol in length.symbols)


def declared_count(array: ArrayArgument, sizes: Mapping[str, int]) -> int | None:
    """The product of the declared lengths; None when the outermost is not declared."""
    count = 1
    for extent in array.extents:
        if extent is None:
            return None
        count *= max(0, extent.evaluate(sizes.__getitem__))
    return count


def signature_of(c_function: CFunction, sizes: frozenset[str]) -> Signature:
    """The signature of a C function; `sizes` are the parameters on which it depends which elements it touches."""
    written, subscript = written_arrays(c_function.function), subscript_arrays(c_function.function)
    declared = {symbol for p in c_function.parameters for e in p.extents if e is not None for symbol in over_names(e).symbols}
    arguments = tuple(_argument(p, written, subscript) for p in c_function.parameters)
    integers = frozenset(a.name for a in arguments if isinstance(a, ScalarArgument) and isinstance(a.type, IntType))
    result = c_function.result
    return Signature(
        name=c_function.name,
        arguments=arguments,
        result=c_function.function.result,
        result_signed=isinstance(result, IntegerC) and result.signed,
        sizes=integers & (sizes | declared),
    )


def _argument(parameter: CParameter, written: frozenset[str], subscript: frozenset[str]) -> Argument:
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
        record=element if isinstance(element, StructC) else None,
    )


def over_names(extent: Polynomial) -> Polynomial:
    """The polynomial over the names of parameters instead of P-LLVM's symbols for them."""
    names = {symbol: Polynomial.symbol(symbol.removeprefix("u").removeprefix("%")) for symbol in extent.symbols}
    return extent.substitute(names)
