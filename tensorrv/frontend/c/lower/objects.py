"""Lowering of variables that live in memory: where they are declared, every activation gets an object with undefined contents.

    int a[4] = {n};      %a = alloca i32 x 4;   store n, %a[0];   store 0, %a[1] ... %a[3]

An object whose scalars are all of one type is an array of that; other structs are counted in integers as wide as their
alignment.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Final

from rv.ir.instructions import Alloca, CompareInt, ElementPointer, Load, Store
from rv.ir.source import Span
from rv.ir.types import I1, I64, PTR, Type, size_of
from rv.ir.values import Const, Value, Var, const_i64
from tensorrv.frontend.c.analyse.scope import Variable
from tensorrv.frontend.c.failures import give_up
from tensorrv.frontend.c.lower import records as lower_records
from tensorrv.frontend.c.lower import values as lower_values
from tensorrv.frontend.c.lower.ssa import Slot
from tensorrv.frontend.c.lower.state import Lowering, plain_name
from tensorrv.frontend.c.tree.nodes import AggregateLiteral, Expression, TypedFunction
from tensorrv.frontend.c.types.c_types import ArrayC, CType, Member, StructC, alignment_of, innermost, machine_type, size_of_type
from tensorrv.frontend.c.types.object_parts import has_hidden, scalars
from tensorrv.unit.symbols import StackSymbol

LONGEST: Final = 64
"""Scalars that an initialiser sets one by one; a longer object is filled with zeros by a loop first."""


def given_away(s: Lowering, function: TypedFunction) -> frozenset[Variable]:
    """The variables whose address is given to functions that stand elsewhere."""
    return frozenset(variable for variable, name in function.given_away if not s.is_inlined(name))


def declare(s: Lowering, variable: Variable, value: Expression | None, span: Span | None) -> None:
    """A variable that lives in memory comes to life, perhaps with a value."""
    if variable in s.frame.given_away:
        made = s.symbol(variable.name, StackSymbol(size_of_type(variable.type) or 1, alignment_of(variable.type)))
    else:
        made = _object(s, variable, span)
    s.frame.objects[variable] = made
    match value:
        case None:
            pass
        case AggregateLiteral():
            _initialise(s, made, value)
        case _ if isinstance(variable.type, StructC):
            bind(s, variable, lower_records.values(s, value))
        case _:
            bind(s, variable, [lower_values.value(s, value)])


def _object(s: Lowering, variable: Variable, span: Span | None) -> Var:
    """An object of the function's own, to which no pointer leads but those that it makes."""
    element, count = _elements(variable.type)
    made = s.builder.named(plain_name(variable.name), PTR)
    alloca = Alloca(made, element, count, span)
    s.builder.emit(alloca)
    s.allocas.append(alloca)
    return made


def bind(s: Lowering, variable: Variable, given: Iterable[Value]) -> None:
    """Stores the scalars of a struct, or a scalar, in a variable that lives in memory."""
    for member, value in zip(scalars(variable.type), given, strict=True):
        _store(s, s.frame.objects[variable], member, value, variable.span)


def _elements(type_: CType) -> tuple[Type, int]:
    """The type and number of the elements of which an object consists."""
    size = size_of_type(type_) or 1
    kinds = _kinds(type_)
    element = next(iter(kinds)) if len(kinds) == 1 else machine_type(innermost(type_))
    assert size_of(element) <= alignment_of(type_)
    return element, size // size_of(element)


def _kinds(type_: CType) -> set[Type]:
    """The types of an object's scalars."""
    match type_:
        case ArrayC(element):
            return _kinds(element)
        case StructC(record):
            return set[Type]().union(*(_kinds(member.type) for member in record.members or ()))
        case _:
            return {machine_type(type_)}


def _initialise(s: Lowering, base: Var, literal: AggregateLiteral) -> None:
    """Stores a list of initialisers, and zeros everywhere else."""
    type_ = literal.type
    zeros = _elements(type_)[1] > LONGEST
    if zeros:
        _clear(s, base, *_elements(type_), literal.span)
    set_ = {offset + m.offset for offset, value in literal.parts for m in scalars(value.type)}
    for offset, value in literal.parts:
        values = lower_records.values(s, value) if isinstance(value.type, StructC) else [lower_values.value(s, value)]
        for member, new in zip(scalars(value.type, offset), values, strict=True):
            _store(s, base, member, new, value.span)
    for member in scalars(type_) if not zeros else ():
        if member.offset not in set_:
            _store(s, base, member, _zero(machine_type(member.type)), literal.span)


def _store(s: Lowering, base: Var, member: Member, value: Value, span: Span | None) -> None:
    """Stores one scalar of an object."""
    element = machine_type(member.type)
    size = size_of(element)
    pointer: Value = base
    if member.offset:
        pointer = s.builder.temp(PTR)
        s.builder.emit(ElementPointer(pointer, element, base, (const_i64(member.offset // size),), (), span))
    s.builder.emit(Store(value, pointer, span))


def _zero(type_: Type) -> Value:
    return Const(type_, 0)


def copy(s: Lowering, target: Variable, source: Variable, span: Span | None) -> None:
    """One array takes over the elements of another: scalar by scalar, or in a loop where there are many of one type."""
    to, from_ = s.object_of(target), s.object_of(source)
    if has_hidden(target.type):
        give_up("TRV030", "structs with members outside the subset are copied", span, "copied here", hint="copy single members")
    element, count = _elements(target.type)
    if count > LONGEST and len(_kinds(target.type)) == 1:
        _in_turn(s, count, span, "copy", lambda index: _copy_element(s, to, from_, index, element, span))
        return
    for member in scalars(target.type):
        type_ = machine_type(member.type)
        _copy_element(s, to, from_, const_i64(member.offset // size_of(type_)), type_, span)


def _copy_element(s: Lowering, to: Var, from_: Var, index: Value, element: Type, span: Span | None) -> None:
    source, target, value = s.builder.temp(PTR), s.builder.temp(PTR), s.builder.temp(element)
    s.builder.emit(ElementPointer(source, element, from_, (index,), (), span))
    s.builder.emit(Load(value, source, span))
    s.builder.emit(ElementPointer(target, element, to, (index,), (), span))
    s.builder.emit(Store(value, target, span))


def _clear(s: Lowering, base: Var, element: Type, count: int, span: Span | None) -> None:
    """A loop that stores zeros."""

    def clear(index: Value) -> None:
        pointer = s.builder.temp(PTR)
        s.builder.emit(ElementPointer(pointer, element, base, (index,), (), span))
        s.builder.emit(Store(_zero(element), pointer, span))

    _in_turn(s, count, span, "clear", clear)


def _in_turn(s: Lowering, count: int, span: Span | None, name: str, act: Callable[[Value], None]) -> None:
    """A loop that does something to each of so many elements."""
    builder = s.builder
    header, inside, after = builder.new_block(name), builder.new_block(f"{name}.body"), builder.new_block(f"{name}.exit")
    header.span = span
    slot = Slot("", I64, span)
    builder.write(slot, const_i64(0))
    builder.jump(header)
    builder.place(header, seal=False)
    index, more = builder.read(slot), builder.temp(I1)
    builder.emit(CompareInt(more, "slt", index, const_i64(count), span))
    builder.branch(more, inside, after, span)
    builder.place(inside)
    act(index)
    builder.write(slot, s.binary("add", index, const_i64(1), span, nsw=True))
    builder.jump(header)
    builder.seal(header)
    builder.place(after)
