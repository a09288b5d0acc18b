"""Lowering of pointers: what is written as one access becomes one ElementPointer.

    A[j][i]            (double A[n][m])      elemptr double, %A [%j, %i] extents [%m]
    p[i*n + j]                               elemptr double, %p [...]
    *(p + i + 1)                             elemptr double, %p [%i + 1]
    row = p + i*n; row[j]                    elemptr double, %p [%i*n + %j]

Several indices promise that the inner ones stay inside their extents, so only brackets make them. A row that is used as a
pointer (`double *row = A[j]`, `*A + i`) is computed first and then indexed by a single index, because C programs do walk
from one row into the next.
"""

from __future__ import annotations

from rv.ir.instructions import ElementPointer
from rv.ir.source import Span
from rv.ir.types import I64
from rv.ir.values import Const, Value, Var, const_i64
from tensorrv.frontend import lower_values
from tensorrv.frontend.c_types import ArrayC, CType, IntegerC, PointerC, innermost, machine_type
from tensorrv.frontend.lowering import Address, Lowering
from tensorrv.frontend.scope import Variable
from tensorrv.frontend.tree import AddressOf, Convert, Decay, Difference, Expression, Offset, Read

_ZERO = const_i64(0)


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
        case Decay(array=array):
            where = address(s, array.pointer)
            assert isinstance(array.type, ArrayC)
            return Address(where.base, (*where.indices, _ZERO), (*where.extents, extent(s, array.type.extent)))
        case Offset():
            return _offset(s, e)
        case AddressOf(place=place):
            return _flat(s, address(s, place.pointer), place.type, e.span)
        case Convert(value=inner):
            return _converted(s, e, inner)
        case Read():
            return _remembered(s, lower_values.value(s, e), _target(e))
        case _:
            return Address(lower_values.value(s, e), (_ZERO,), ())


def _target(e: Expression) -> CType:
    assert isinstance(e.type, PointerC)
    return e.type.target


def _remembered(s: Lowering, base: Value, target: CType) -> Address:
    """A pointer variable that was computed as another pointer plus an index stands for that."""
    if isinstance(base, Var) and not isinstance(target, ArrayC) and base.name in s.addresses:
        return s.addresses[base.name]
    return Address(base, (_ZERO,), ())


def _offset(s: Lowering, e: Offset) -> Address:
    where = address(s, e.pointer)
    if not e.subscript:
        where = _flat(s, where, _target(e), e.span)
    assert isinstance(e.index.type, IntegerC)
    exact = e.index.type.signed or e.index.type.bits < 64
    index = s.index(lower_values.value(s, e.index), e.index.type.signed, e.index.span)
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
    """The same address without inner indices, which promise to stay inside their extents."""
    return where if not where.extents else Address(_value(s, where, target, span), (_ZERO,), ())


def _converted(s: Lowering, e: Convert, inner: Expression) -> Address:
    """A pointer cast keeps the address; other dimensions than before start from the computed address."""
    where = address(s, inner)
    if isinstance(_target(e), ArrayC) or isinstance(_target(inner), ArrayC):
        return Address(_value(s, where, _target(inner), e.span), (_ZERO,), ())
    return where


def _value(s: Lowering, where: Address, target: CType, span: Span | None) -> Value:
    if all(index == _ZERO for index in where.indices):
        return where.base
    return _element(s, where, target, span)


def _element(s: Lowering, where: Address, target: CType, span: Span | None) -> Value:
    """Emit the ElementPointer; the address of an array is that of its first element."""
    indices, extents = where.indices, where.extents
    inner = target
    while isinstance(inner, ArrayC):
        indices, extents = (*indices, _ZERO), (*extents, extent(s, inner.extent))
        inner = inner.element
    result = s.builder.temp(machine_type(PointerC(inner)))
    s.builder.emit(ElementPointer(result, machine_type(innermost(target)), where.base, indices, extents, span))
    if not extents:
        s.addresses[result.name] = where
    return result


def difference(s: Lowering, e: Difference) -> Value:
    """The distance of two pointers in elements: that of their subscripts where they come from one pointer."""
    left, right = address(s, e.left), address(s, e.right)
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
