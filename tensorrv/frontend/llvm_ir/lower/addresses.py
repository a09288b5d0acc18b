"""Pointers: what a chain of address computations adds up to becomes one element pointer at each access.

    %r = getelementptr inbounds double, ptr %A, i64 %row
    %p = getelementptr inbounds double, ptr %r, i64 %i            %p = elemptr double, %A [%row + %i]
    %q = getelementptr i8, ptr %p, i64 -8                         %q = elemptr i8, %A [8*%row + 8*%i - 8]

Only `inbounds` and `nusw` promise that nothing wraps, hence elements are counted in bytes elsewhere. Subscripts are found again
from the sum (`tensorrv.nest.affine.delinearize`): the lengths in LLVM's types are no bounds for subscripts.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd
from typing import Final

from rv.ir.instructions import ElementPointer
from rv.ir.types import I8, I64, PTR, IntType, Type, size_of
from rv.ir.values import Const, Undef, Value, Var, const_i64
from tensorrv.frontend.llvm_ir.lower import operands as lower_operands
from tensorrv.frontend.llvm_ir.lower.state import Address, Lowering
from tensorrv.frontend.llvm_ir.tokens import Cursor
from tensorrv.frontend.llvm_ir.types import ArrayType, LlvmType, StructType, Unsized, byte_size, field_offset

_FLAGS: Final = frozenset(("inbounds", "nusw", "nuw", "inrange"))


def computed(s: Lowering, cursor: Cursor, result: str) -> None:
    """`%result = getelementptr ...`"""
    where = _address(s, cursor)
    var = s.variable(result, PTR)
    s.addresses[var.name] = where
    _emit(s, where, _unit(where), var)


def constant(s: Lowering, cursor: Cursor) -> Value:
    """A constant expression, computed at the start of the function."""
    flags = cursor.words(_FLAGS)
    cursor.skip_nested() if "inrange" in flags else None
    cursor.expect("(")
    code, s.code = s.code, s.start
    where = _indexed(s, cursor, exact=bool(flags & {"inbounds", "nusw"}))
    cursor.expect(")")
    var = s.temporary(PTR)
    s.addresses[var.name] = where
    _emit(s, where, I8, var)
    s.code = code
    return var


def element(s: Lowering, pointer: Value, type_: Type) -> Value:
    """The pointer for an access of a type: one element pointer from where the chain of computations begins."""
    where = address_of(s, pointer)
    if not where.terms and not where.constant:
        return where.base
    result = s.temporary(PTR)
    _emit(s, where, type_, result)
    return result


def address_of(s: Lowering, pointer: Value) -> Address:
    """What a pointer was computed as."""
    return s.addresses.get(pointer.name, Address(pointer)) if isinstance(pointer, Var) else Address(pointer)


def moved(s: Lowering, pointer: Value, index: Value, type_: Type) -> Value:
    """The pointer to the element `index`, an i64, behind an element."""
    where = address_of(s, pointer)
    result = s.temporary(PTR)
    _emit(s, replace(where, terms=_with_term(where.terms, index, size_of(type_))), type_, result)
    return result


def chosen(s: Lowering, result: str, condition: Value, then: Value, otherwise: Value) -> bool:
    """`select` of two pointers that come from one: a chosen distance from it. False when they do not."""
    one, other = address_of(s, then), address_of(s, otherwise)
    if one.base != other.base or isinstance(one.base, Undef):
        return False
    common = tuple(term for term in one.terms if term in other.terms)
    rests = [replace(a, terms=tuple(term for term in a.terms if term not in common)) for a in (one, other)]
    unit = gcd(*(amount for rest in rests for amount in (rest.constant, *(scale for _, scale in rest.terms)))) or 1
    exact = one.exact and other.exact
    counts = [_total(s, replace(rest, exact=exact), unit) for rest in rests]
    place = Address(one.base, (*common, (s.select(condition, counts[0], counts[1]), unit)), 0, exact)
    var = s.variable(result, PTR)
    s.addresses[var.name] = place
    _emit(s, place, I8, var)
    return True


def _address(s: Lowering, cursor: Cursor) -> Address:
    flags = cursor.words(_FLAGS)
    return _indexed(s, cursor, exact=bool(flags & {"inbounds", "nusw"}))


def _indexed(s: Lowering, cursor: Cursor, *, exact: bool) -> Address:
    """`type, ptr base, i64 index, ...`"""
    type_ = cursor.type()
    cursor.expect(",")
    where = address_of(s, lower_operands.typed(s, cursor))
    where = replace(where, exact=where.exact and exact)
    first = True
    while cursor.accept(","):
        index = lower_operands.typed(s, cursor)
        try:
            type_, where = _stepped(s, type_, where, index, first)
        except Unsized as unsized:
            s.refuse(f"the size of {unsized} is not known", "an address of such elements", code="TRV056")
        first = False
    return where


def _stepped(s: Lowering, type_: LlvmType, where: Address, index: Value, first: bool) -> tuple[LlvmType, Address]:
    if first:
        return type_, _plus(s, where, index, byte_size(type_))
    match type_:
        case ArrayType(element=inner):
            return inner, _plus(s, where, index, byte_size(inner))
        case StructType(fields=fields) if isinstance(index, Const):
            return fields[index.bits], replace(where, constant=where.constant + field_offset(type_, index.bits))
        case _:
            s.refuse("an address inside a number is computed")


def _plus(s: Lowering, where: Address, index: Value, size: int) -> Address:
    if isinstance(index, Undef):
        return replace(where, base=Undef(PTR))
    if isinstance(index, Const):
        return replace(where, constant=where.constant + index.signed * size)
    assert isinstance(index.type, IntType)
    wide: Value = index if index.type == I64 else s.convert("sext" if index.type.bits < 64 else "trunc", index, I64)
    return replace(where, terms=_with_term(where.terms, wide, size))


def _with_term(terms: tuple[tuple[Value, int], ...], index: Value, size: int) -> tuple[tuple[Value, int], ...]:
    if index in dict(terms):
        return tuple((v, k + size if v == index else k) for v, k in terms)
    return (*terms, (index, size))


def _unit(where: Address) -> Type:
    """The widest unit that divides all of an address."""
    amounts = [*(scale for _, scale in where.terms), where.constant]
    return next(t for t in (I64, IntType(32), IntType(16), I8) if all(amount % size_of(t) == 0 for amount in amounts))


def _emit(s: Lowering, where: Address, type_: Type, result: Var) -> None:
    size = size_of(type_)
    fits = where.exact and where.constant % size == 0 and all(scale % size == 0 for _, scale in where.terms)
    type_, size = (type_, size) if fits else (I8, 1)
    s.emit(ElementPointer(result, type_, where.base, (_total(s, where, size),), (), s.span))


def _total(s: Lowering, where: Address, size: int) -> Value:
    """The distance from the base in units of so many bytes, which divide all of it."""
    total: Value | None = None
    for index, scale in where.terms:
        factor = scale // size
        scaled = index if factor == 1 else s.binary("mul", index, const_i64(factor), nsw=where.exact)
        total = scaled if total is None else s.binary("add", total, scaled, nsw=where.exact)
    behind = const_i64(where.constant // size)
    if total is None:
        return behind
    return s.binary("add", total, behind, nsw=where.exact) if behind.bits else total
