"""Calls of a compiled kernel with NumPy arrays: everything is checked before machine code runs.

Lengths that arrays declare (`double A[rows][cols]`) need not be passed: they follow from the shapes. An array has the
exact element type, C order, and the declared shape; what the kernel writes is writable; arrays that `restrict` declares
apart do not overlap. What is wrong raises TypeError or ValueError that names the argument.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from math import prod
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from rv.evolution.polynomial import Polynomial, Symbol
from rv.ir.types import FloatType, IntType, PointerType, Type
from rv.target.process_forks import loading
from tensorrv.interface.signature import ArrayArgument, ScalarArgument, Signature
from tensorrv.unit.elements import Field, Record

if TYPE_CHECKING:
    from tensorrv.interface.footprint.check import Violation
    from tensorrv.interface.storage.runs import Storages
    from tensorrv.run.kernel_facts import StoredReaches

Array = np.ndarray[Any, Any]
PLAIN: Final = (np.ndarray, np.generic, int, float)
"""What is no array in a layout."""


def bind(
    signature: Signature,
    positional: Sequence[Any],
    named: Mapping[str, Any],
    reaches: StoredReaches,
    *,
    no_alias: bool,
    check: bool = True,
    place: Callable[[int], str] = "(line {})".format,
    storages: Storages = MappingProxyType({}),
) -> list[Any]:
    """The numbers and addresses to pass, in the order of the C parameters.

    Either all arguments are positional in C's order, or positional arrays go to the array parameters in order and
    positional numbers to the scalars that no array determines; anything may be named. `no_alias`: the kernel was compiled
    under the assumption that no two arrays overlap. Without `check`, accesses may lie outside of the arrays; `place` says
    in messages where a line is. Arrays in `storages` are given as what `trv.pack` makes, or as plain arrays of as many
    elements as the layout stores.
    """
    given = _match(signature, positional, named)
    stored_shapes: Mapping[str, tuple[int, ...]] = {}
    if not all(isinstance(value, PLAIN) for value in given.values()):
        # a program without layouts does not load them
        with loading("arguments in layouts"):
            from tensorrv.interface.storage.arguments import stored_arguments

        stored, stored_shapes = stored_arguments(signature, given, storages)
        given |= stored
    arrays, shapes, scalars = fitted(signature, given, storages, stored_shapes)
    for array in signature.arrays:
        if array.name not in arrays:
            raise TypeError(f"{signature.name}() is missing the array '{array.name}'")
    for scalar in signature.scalars:
        if scalar.name not in scalars:
            raise TypeError(f"{signature.name}() is missing '{scalar.name}', which does not follow from the shapes of the arrays")
    if check:
        _check_accesses(signature, shapes, scalars, reaches, place)
    if storages:
        with loading("arguments in layouts"):
            from tensorrv.interface.storage.arguments import check_extents

        check_extents(signature, arrays, storages, shapes, scalars, reaches)
    _check_overlap(signature, arrays, no_alias)
    return [
        arrays[argument.name].ctypes.data if isinstance(argument, ArrayArgument) else scalars[argument.name]
        for argument in signature.arguments
    ]


def fitted(
    signature: Signature, given: Mapping[str, Any], storages: Storages = MappingProxyType({}),
    stored_shapes: Mapping[str, tuple[int, ...]] = MappingProxyType({}),
) -> tuple[dict[str, Array], dict[str, tuple[int, ...]], dict[str, Any]]:  # fmt: skip
    """The arrays, their shapes, and the numbers among arguments by name, with those that follow from the shapes, all checked.

    Arguments may be missing; array shapes are then checked as far as their lengths are known.
    """
    arrays = {a.name: _check_array(signature, a, given[a.name], a.name in storages) for a in signature.arrays if a.name in given}
    scalars = {s.name: _check_scalar(signature, s, given[s.name]) for s in signature.scalars if s.name in given}
    shapes = {**{name: a.shape for name, a in arrays.items() if name not in storages}, **stored_shapes}
    scalars |= _infer(signature, shapes, scalars)
    for scalar in signature.scalars:
        if scalar.name in scalars:
            _check_range(signature, scalar, scalars[scalar.name])
    for array in signature.arrays:
        if array.name in shapes:
            _check_shape(signature, array, shapes[array.name], scalars)
    return arrays, shapes, scalars


def dtype_of(element: Type, signed: bool, c_type: str = "") -> np.dtype[Any]:
    """NumPy's type of an element."""
    match element:
        case IntType(bits):
            return np.dtype(np.bool_) if c_type.endswith("_Bool") else np.dtype(f"{'i' if signed else 'u'}{bits // 8}")
        case FloatType(bits):
            return np.dtype(f"f{bits // 8}")
        case _:
            raise TypeError(f"arrays of '{c_type}' cannot be passed")


def array_dtype(argument: ArrayArgument) -> np.dtype[Any]:
    """NumPy's type of an array's elements."""
    if argument.record is not None:
        return record_dtype(argument.record)
    return dtype_of(argument.element, argument.signed, argument.c_type)


def _layout(dtype: np.dtype[Any]) -> tuple[int, tuple[tuple[int, str], ...]]:
    """Size and scalars with their offsets: what matters of a structured type, whatever its fields are called."""
    return dtype.itemsize, tuple(_scalars(dtype, 0))


def _scalars(dtype: np.dtype[Any], offset: int) -> Iterator[tuple[int, str]]:
    if dtype.fields is not None:
        for inner, start, *_ in sorted(dtype.fields.values(), key=lambda field: field[1]):
            yield from _scalars(inner, offset + start)
    elif dtype.subdtype is not None:
        inner, shape = dtype.subdtype
        for k in range(int(np.prod(shape))):
            yield from _scalars(inner, offset + k * inner.itemsize)
    else:
        yield offset, dtype.str


def record_dtype(record: Record) -> np.dtype[Any]:
    """NumPy's type of a struct: one field for each scalar in it, called as C calls it."""
    layout = {"names": [f.name for f in record.fields], "offsets": [f.offset for f in record.fields], "itemsize": record.size}
    formats = [_field_dtype(field) for field in record.fields]
    return np.dtype({**layout, "formats": formats})  # type: ignore[call-overload, no-any-return]


def _field_dtype(field: Field) -> np.dtype[Any]:
    return np.dtype(np.uintp) if isinstance(field.type, PointerType) else dtype_of(field.type, field.signed, field.c_type)


def _match(signature: Signature, positional: Sequence[Any], named: Mapping[str, Any]) -> dict[str, Any]:
    names = {argument.name for argument in signature.arguments}
    for name in named:
        if name not in names:
            raise TypeError(f"{signature.name}() has no argument '{name}'; it has {_listed(signature)}")
    return {**{name: positional[k] for name, k in positions(signature, positional, named).items()}, **named}


def positions(signature: Signature, positional: Sequence[Any], named: Collection[str]) -> dict[str, int]:
    """Which positional argument goes to which parameter, where `named` ones are given by name. Raises TypeError."""
    free = [argument for argument in signature.arguments if argument.name not in named]
    if len(positional) == len(free):
        return {argument.name: k for k, argument in enumerate(free)}
    inferred = signature.declared_names
    for_arrays = [a.name for a in free if isinstance(a, ArrayArgument)]
    for_scalars = [a.name for a in free if isinstance(a, ScalarArgument) and a.name not in inferred]
    needed = [a.name for a in free if a.name in for_arrays + for_scalars]
    found: dict[str, int] = {}
    for k, value in enumerate(positional):
        queue = for_arrays if isinstance(value, np.ndarray) or not np.isscalar(value) else for_scalars
        if not queue:
            raise TypeError(_too_many(signature, len(positional), needed, [a.name for a in free]))
        found[queue.pop(0)] = k
    return found


def _too_many(signature: Signature, count: int, needed: Sequence[str], free: Sequence[str]) -> str:
    besides = [argument.name for argument in signature.arguments if argument.name not in free]
    takes = ", ".join(needed) or "none"
    if len(needed) < len(free):
        takes += f", or all of {', '.join(free)}"
    given = f" besides {', '.join(besides)}" if besides else ""
    return f"{signature.name}() got {count} positional arguments{given}, but takes {takes}"


def _listed(signature: Signature) -> str:
    return ", ".join(argument.name for argument in signature.arguments)


def _check_array(signature: Signature, argument: ArrayArgument, value: Any, stored: bool) -> Array:
    where = f"argument '{argument.name}' of {signature.name}()"
    if not isinstance(value, np.ndarray):
        raise TypeError(f"{where} must be a NumPy array, not {type(value).__name__}")
    if isinstance(value, np.ma.MaskedArray):
        raise TypeError(f"{where} is a masked array, whose mask the kernel would ignore; pass its .data or .filled()")
    expected = array_dtype(argument)
    if value.dtype != expected and _layout(value.dtype) != _layout(expected):
        unknown = ", which no kernel takes" if value.dtype.kind == "c" or value.dtype == np.float16 else ""
        raise TypeError(f"{where} must have dtype {expected}, not {value.dtype}{unknown}")
    if stored and value.ndim != 1:
        raise ValueError(f"{where} must be in its layout: what trv.pack makes of it, or one-dimensional")
    if not stored and len(argument.extents) > 1 and value.ndim != len(argument.extents):
        raise ValueError(f"{where} must have {len(argument.extents)} dimensions, not {value.ndim}")
    if not value.flags.c_contiguous:
        order = "; it is in Fortran order: exchange the kernel's subscripts and pass .T, or" if value.flags.f_contiguous else ";"
        described = f"(strides {value.strides} for shape {value.shape})"
        raise ValueError(f"{where} must be contiguous in C order {described}{order} np.ascontiguousarray makes a copy that is")
    if not value.flags.aligned:
        raise ValueError(f"{where} must be aligned to its elements")
    if argument.written and not value.flags.writeable:
        raise ValueError(f"{where} is read-only, but the kernel writes it")
    return value


def _check_scalar(signature: Signature, argument: ScalarArgument, value: Any) -> Any:
    where = f"argument '{argument.name}' of {signature.name}()"
    if isinstance(argument.type, IntType):
        if not isinstance(value, (int, np.integer, np.bool_)):
            raise TypeError(f"{where} must be an integer, not {type(value).__name__}")
        return int(value)
    if not isinstance(value, (int, float, np.integer, np.floating)):
        raise TypeError(f"{where} must be a number, not {type(value).__name__}")
    try:
        return float(value)
    except OverflowError:
        raise ValueError(f"{where} is an integer that is too large for '{argument.c_type}'") from None


def _check_range(signature: Signature, argument: ScalarArgument, value: Any) -> None:
    if not isinstance(argument.type, IntType):
        return
    bits = 1 if argument.c_type.endswith("_Bool") else argument.type.bits
    low, high = (-(1 << bits - 1), (1 << bits - 1) - 1) if argument.signed else (0, (1 << bits) - 1)
    if not low <= value <= high:
        raise ValueError(f"argument '{argument.name}' of {signature.name}() is {value}, which is not in {low}..{high}")


def _infer(signature: Signature, shapes: Mapping[str, tuple[int, ...]], known: Mapping[str, Any]) -> dict[str, int]:
    """Integer arguments that follow from the shapes: each declared length with one unknown is an equation."""
    found: dict[str, int] = {}
    pending = [
        (extent, length)
        for array in signature.arrays
        if len(array.extents) == len(shapes.get(array.name, ()))
        for extent, length in zip(array.extents, shapes[array.name], strict=True)
        if extent is not None
    ]
    progress = True
    while pending and progress:
        progress = False
        for extent, length in pending[:]:
            unknown = {symbol for symbol in extent.symbols if symbol.name not in known and symbol.name not in found}
            if len(unknown) > 1:
                continue
            pending.remove((extent, length))
            for symbol in unknown:
                solution = _solve(extent, symbol, length, {**known, **found})
                if solution is not None:
                    found[symbol.name] = solution
                    progress = True
    return found


def _solve(extent: Polynomial, symbol: Symbol, length: int, values: Mapping[str, int]) -> int | None:
    """The value of `symbol` for which the linear `extent` is `length`, given the values of the other arguments."""
    if len(extent.symbols) > 1:
        extent = extent.substitute({s: Polynomial.constant(values[s.name]) for s in extent.symbols if s.name in values})
    slope = extent.coefficient(symbol).as_constant
    if not slope or not extent.is_affine:
        return None
    value, remainder = divmod(length - extent.without([symbol]).constant_term, slope)
    return value if remainder == 0 else None


def _check_shape(
    signature: Signature, argument: ArrayArgument, shape: tuple[int, ...], scalars: Mapping[str, Any]
) -> None:
    where = f"argument '{argument.name}' of {signature.name}()"
    if len(argument.extents) == len(shape):
        known = [e if e is not None and {s.name for s in e.symbols} <= scalars.keys() else None for e in argument.extents]
        expected = [None if e is None else e.valued(scalars) for e in known]
        outermost_fits = expected[0] is None or shape[0] >= expected[0]
        if not outermost_fits or any(e not in (None, length) for e, length in zip(expected[1:], shape[1:], strict=True)):
            lengths = " x ".join("?" if e is None else str(e) for e in expected)
            raise ValueError(f"{where} must have shape {lengths}, not {' x '.join(map(str, shape))}")


def _check_accesses(
    signature: Signature,
    shapes: Mapping[str, tuple[int, ...]],
    scalars: Mapping[str, Any],
    reaches: StoredReaches,
    place: Callable[[int], str],
) -> None:
    """Raises ValueError when an access, whose subscripts do not depend on loaded data, is outside of its array."""
    values = {name: value for name, value in scalars.items() if isinstance(value, int)}
    sizes = {a.name: prod(shapes[a.name]) * a.element_size for a in signature.arrays if a.name in shapes}
    found = reaches.violation(values, sizes)
    if found is not None:
        where = f"argument '{found.array}' of {signature.name}()"
        raise ValueError(f"{where} {_described(found, shapes.get(found.array, ()))} {place(found.line)}")


def _described(found: Violation, shape: tuple[int, ...]) -> str:
    if found.value is None:
        return "may be accessed outside of it, which takes too long to rule out; trv.compile(..., check=False) does not check"
    if found.dimension not in (None, 0) or (found.dimension == 0 and len(shape) > 1):
        return f"is accessed at subscript {found.value} of dimension {found.dimension}, whose length is {found.bound}"
    if found.value < 0:
        return f"begins with element 0, but the kernel accesses element {found.value}"
    return f"has {found.bound} elements, but the kernel needs {found.value + 1}"


def _check_overlap(signature: Signature, arrays: Mapping[str, Array], no_alias: bool) -> None:
    for a, b in apart(signature, no_alias=no_alias):
        # contiguous arrays overlap exactly when their address ranges do
        if np.may_share_memory(arrays[a], arrays[b]):
            reason = "the kernel was compiled without alias checks" if no_alias else "they are declared 'restrict'"
            raise ValueError(f"arguments '{a}' and '{b}' of {signature.name}() overlap, but {reason}")


def apart(signature: Signature, *, no_alias: bool) -> tuple[tuple[str, str], ...]:
    """The pairs of arrays that must not overlap."""
    return tuple(
        (a.name, b.name)
        for a, b in itertools.combinations(signature.arrays, 2)
        if (no_alias or a.restrict or b.restrict) and (a.written or b.written)
    )
