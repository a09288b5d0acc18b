"""Lowering of pointers: what is written as one access becomes one ElementPointer.

    A[j][i]            (double A[n][m])      elemptr double, %A [%j, %i] extents [%m]
    p[i*n + j]                               elemptr double, %p [...]
    *(p + i + 1)                             elemptr double, %p [%i + 1]
    row = p + i*n; row[j]                    elemptr double, %p [%i*n + %j]

With several indices the inner ones are assumed to stay inside their extents, so only brackets make them. A row that is used as a
pointer (`double *row = A[j]`, `*A + i`) is computed first and then indexed by a single index, because C programs do walk
from one row into the next.
"""

from __future__ import annotations

from dataclasses import replace

from rv.ir.instructions import ElementPointer
from rv.ir.source import Span
from rv.ir.types import I64, PTR, size_of
from rv.ir.values import Const, Value, Var, const_i64
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.state import Address, Lowering
from tensorrv.frontend.c.tree.nodes import (
    AddressOf,
    Convert,
    Decay,
    Difference,
    Element,
    Expression,
    Offset,
    PartOf,
    Read,
    VariablePlace,
)
from tensorrv.frontend.c.types.c_types import ArrayC, CType, IntegerC, PointerC, machine_type, size_of_type

_ZERO = const_i64(0)
InMemory = VariablePlace | Element | PartOf


def pointer(s: Lowering, e: Expression) -> Value:
    """The address that a pointer expression computes, as one value."""
    return _value(s, address(s, e), _target(e), e.span)


def element_pointer(s: Lowering, e: Expression, span: Span | None) -> Value:
    """The address of the scalar that `e` points to, always as an element of something."""
    where = address(s, e)
    return _element(s, where, _target(e), span)


def address(s: Lowering, e: Expression) -> Address:
    """The address that a pointer expression stands for, not computed yet."""
    match e:
        case Decay(array=VariablePlace(variable=variable)):
            return Address(s.object_of(variable), (_ZERO,), ())
        case Decay(array=array):
            where = place_address(s, array)
            assert isinstance(array.type, ArrayC)
            if where.unit:
                return replace(where, terms=(*where.terms, (_ZERO, size_of_type(array.type.element) or 0)))
            return Address(where.base, (*where.indices, _ZERO), (*where.extents, extent(s, array.type.extent)))
        case Offset():
            return _offset(s, e)
        case AddressOf(place=place):
            return _flat(s, place_address(s, place), place.type, e.span)
        case Convert(value=inner):
            return _converted(s, e, inner)
        case Read():
            return _remembered(s, lower_values.value(s, e), _target(e))
        case _:
            return Address(lower_values.value(s, e), (_ZERO,), ())


def place_address(s: Lowering, place: InMemory) -> Address:
    """The address of an object in memory, not computed yet."""
    match place:
        case VariablePlace(variable=variable):
            return Address(s.object_of(variable), (_ZERO,), ())
        case Element(pointer=pointer):
            return address(s, pointer)
        case PartOf(whole=whole, offset=offset):
            return inside(place_address(s, whole), whole.type, offset)


def inside(where: Address, struct: CType, offset: int) -> Address:
    """What is `offset` bytes inside the struct at an address."""
    if where.unit:
        return replace(where, constant=where.constant + offset)
    return replace(where, unit=size_of_type(struct) or 0, constant=offset)


def place_pointer(s: Lowering, where: Address, type_: CType, span: Span | None) -> Value:
    """The address of a scalar, as an element of something."""
    return _element(s, where, type_, span)


def _target(e: Expression) -> CType:
    assert isinstance(e.type, PointerC)
    return e.type.target


def _remembered(s: Lowering, base: Value, target: CType) -> Address:
    """A pointer variable that was computed as another pointer plus an index stands for that."""
    if isinstance(base, Var) and not isinstance(target, ArrayC) and base.name in s.addresses:
        where, unit = s.addresses[base.name]
        if unit == size_of_type(target):
            return where
    return Address(base, (_ZERO,), ())


def _offset(s: Lowering, e: Offset) -> Address:
    where = address(s, e.pointer)
    if not e.subscript:
        where = _flat(s, where, _target(e), e.span)
    assert isinstance(e.index.type, IntegerC)
    exact = e.index.type.signed or e.index.type.bits < 64
    index = s.index(lower_values.value(s, e.index), e.index.type.signed, e.index.span)
    if where.unit:
        (last, size), others = where.terms[-1], where.terms[:-1]
        return replace(where, terms=(*others, (_moved(s, last, index, e.negative, exact, e.span), size)))
    last = where.indices[-1]
    moved = _moved(s, last, index, e.negative, exact, e.span)
    return Address(where.base, (*where.indices[:-1], moved), where.extents)


def _moved(s: Lowering, last: Value, index: Value, negative: bool, exact: bool, span: Span | None) -> Value:
    """`last + index` or `last - index`."""
    if isinstance(last, Const) and isinstance(index, Const):
        return const_i64(last.signed - index.signed if negative else last.signed + index.signed)
    if index == _ZERO or (last == _ZERO and not negative):
        return last if index == _ZERO else index
    return s.binary("sub" if negative else "add", last, index, span, nsw=exact)


def _flat(s: Lowering, where: Address, target: CType, span: Span | None) -> Address:
    """The same address without inner indices, which would be assumed to stay inside their extents, in units of `target`."""
    if not where.unit and not where.extents:
        return where
    size = size_of_type(target)
    if where.unit and not where.extents and size:
        if all(part % size == 0 for part in (where.unit, where.constant, *(scale for _, scale in where.terms))):
            whole = _scaled(s, where.indices[0], where.unit // size, span)
            return Address(where.base, (_plus(s, whole, _within(s, where, size, span), span),), ())
    return Address(_value(s, where, target, span), (_ZERO,), ())


def _converted(s: Lowering, e: Convert, inner: Expression) -> Address:
    """A pointer cast keeps the address; other elements or dimensions than before start from the computed address."""
    where = address(s, inner)
    before, after = _target(inner), _target(e)
    if isinstance(before, ArrayC) or isinstance(after, ArrayC) or size_of_type(before) != size_of_type(after):
        return Address(_value(s, where, _target(inner), e.span), (_ZERO,), ())
    return where


def _value(s: Lowering, where: Address, target: CType, span: Span | None) -> Value:
    if all(index == _ZERO for index in (*where.indices, *(index for index, _ in where.terms))) and not where.constant:
        return where.base
    return _element(s, where, target, span)


def _element(s: Lowering, where: Address, target: CType, span: Span | None) -> Value:
    """Emit the ElementPointer; the address of an array is that of its first element.

    A struct is a row of scalars like the one that is addressed: all offsets and sizes are multiples of its size.
    """
    indices, extents = where.indices, where.extents
    inner = target
    while isinstance(inner, ArrayC):
        if not where.unit:
            indices, extents = (*indices, _ZERO), (*extents, extent(s, inner.extent))
        inner = inner.element
    element = machine_type(inner)
    row, scalar = where.unit or size_of_type(inner) or 0, size_of(element)
    if row != scalar:
        indices, extents = (*indices, _within(s, where, scalar, span)), (*extents, const_i64(row // scalar))
    result = s.builder.temp(PTR)
    s.builder.emit(ElementPointer(result, element, where.base, indices, extents, span))
    if not where.extents and not where.unit and not isinstance(target, ArrayC):
        s.addresses[result.name] = where, row
    return result


def _within(s: Lowering, where: Address, size: int, span: Span | None) -> Value:
    """The place inside the struct, in units of `size` bytes."""
    total: Value = const_i64(where.constant // size)
    for index, scale in where.terms:
        total = _plus(s, _scaled(s, index, scale // size, span), total, span)
    return total


def _scaled(s: Lowering, index: Value, factor: int, span: Span | None) -> Value:
    if isinstance(index, Const):
        return const_i64(index.signed * factor)
    return index if factor == 1 else s.binary("mul", index, const_i64(factor), span, nsw=True)


def _plus(s: Lowering, left: Value, right: Value, span: Span | None) -> Value:
    if isinstance(left, Const) and isinstance(right, Const):
        return const_i64(left.signed + right.signed)
    if left == _ZERO or right == _ZERO:
        return right if left == _ZERO else left
    return s.binary("add", left, right, span, nsw=True)


def difference(s: Lowering, e: Difference) -> Value:
    """The distance of two pointers in elements: that of their subscripts where they come from one pointer."""
    left, right = (_flat(s, address(s, side), _target(side), side.span) for side in (e.left, e.right))
    if left.base == right.base and not left.extents and not right.extents:
        return _moved(s, left.indices[0], right.indices[0], True, True, e.span)
    ends = [_value(s, where, _target(side), side.span) for where, side in ((left, e.left), (right, e.right))]
    high, low = (s.convert("ptrtoint", end, I64, e.span) for end in ends)
    bytes_ = s.binary("sub", high, low, e.span, nsw=True)
    if e.size & (e.size - 1):
        return s.binary("sdiv", bytes_, const_i64(e.size), e.span)
    return s.binary("ashr", bytes_, const_i64(e.size.bit_length() - 1), e.span) if e.size > 1 else bytes_


def moved_pointer(s: Lowering, base: Value, target: CType, index: Value, span: Span | None) -> Value:
    """The pointer `index` elements of type `target` behind `base`."""
    return _element(s, Address(base, (index,), ()), target, span)


def extent(s: Lowering, size: int | Variable | None) -> Value:
    """The extent of an array type at run time."""
    match size:
        case None:
            return _ZERO
        case int():
            return const_i64(size)
        case Variable():
            value = s.builder.read(s.frame.slot(size))
            assert value.type == I64
            return value


def remember(s: Lowering, before: Value, after: Value) -> None:
    """A computed address took the name of the variable it was assigned to."""
    if isinstance(before, Var) and isinstance(after, Var) and before != after and before.name in s.addresses:
        s.addresses[after.name] = s.addresses.pop(before.name)
