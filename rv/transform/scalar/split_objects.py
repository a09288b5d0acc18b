"""Stack objects that are rows of equal shape, accessed at constant places of a row, become one object for each such place.

    %s = alloca i64 x 8                             %s.0 = alloca double x 4
    %p = elemptr double, %s [%i, 0] extents [2]     %s.8 = alloca i32 x 4
    %q = elemptr i32, %s [%i, 2] extents [4]   ->   %p = elemptr double, %s.0 [%i]
                                                    %q = elemptr i32, %s.8 [%i]

These are local arrays of structs, and arrays whose last subscripts are constants. Every object then has elements of one type, and
each may become a variable on its own.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import pairwise

from rv.analysis.memory.object_accesses import AccessedObject, ObjectAccess, accessed_objects
from rv.ir.function import Function
from rv.ir.instructions import Alloca, ElementPointer, Instruction, Load, Store
from rv.ir.rewrite import FreshNames
from rv.ir.types import PTR, Type, size_of
from rv.ir.values import Const, Value, Var, const_i64
from rv.transform.scalar.dead import eliminate_dead_code


@dataclass(frozen=True, slots=True)
class _Column:
    """A place in the rows: its offset in bytes and the type of what is there."""

    offset: int
    type: Type


@dataclass(frozen=True, slots=True)
class _Split:
    """An object with its rows of `size` bytes, and the columns of them with their new objects."""

    alloca: Alloca
    size: int
    columns: Mapping[_Column, Alloca]


def split_objects(function: Function) -> Function | None:
    """The function with all objects split that can be; None when there is none."""
    names = FreshNames.of(function)
    splits: dict[str, _Split] = {}
    accesses: dict[tuple[str, int], ObjectAccess] = {}
    for accessed in accessed_objects(function):
        split = _split(accessed, names)
        if split is not None:
            splits[accessed.alloca.result.name] = split
            accesses.update({(access.label, id(access.access)): access for access in accessed.accesses})
    if not splits:
        return None
    blocks = []
    for block in function.blocks:
        body: list[Instruction] = []
        for instruction in block.body:
            access = accesses.get((block.label, id(instruction)))
            if isinstance(instruction, Alloca) and instruction.result.name in splits:
                body += splits[instruction.result.name].columns.values()
            elif access is not None:
                body += _moved(access, splits, names)
            else:
                body.append(instruction)
        blocks.append(replace(block, body=tuple(body)))
    return eliminate_dead_code(replace(function, blocks=tuple(blocks)))


def _split(accessed: AccessedObject, names: FreshNames) -> _Split | None:
    sizes = {_row_size(access.pointer) for access in accessed.accesses if access.pointer and access.pointer.extents}
    whole = size_of(accessed.alloca.element) * accessed.alloca.count
    size = sizes.pop() if len(sizes) == 1 else None
    if not size or whole % size:
        return None
    places = [_place(access, size) for access in accessed.accesses]
    columns = sorted({column for _, column in (p for p in places if p is not None)}, key=lambda c: c.offset)
    if None in places or any(a.offset + size_of(a.type) > b.offset for a, b in pairwise(columns)):
        return None
    if any(not 0 <= c.offset <= size - size_of(c.type) for c in columns):
        return None
    name, span, rows = accessed.alloca.result.name, accessed.alloca.span, whole // size
    made = {c: Alloca(names.variable(f"{name}.{c.offset}", PTR), c.type, rows, span) for c in columns}
    return _Split(accessed.alloca, size, made)


def _row_size(pointer: ElementPointer) -> int | None:
    """The bytes of a row along the last dimension, if that is constant."""
    match pointer.extents[-1]:
        case Const() as extent:
            return extent.signed * size_of(pointer.element)
        case _:
            return None


def _place(access: ObjectAccess, size: int) -> tuple[tuple[tuple[Value, ...], tuple[Value, ...]], _Column] | None:
    """The subscripts and extents of the row, and the column, of an access; None when the column is not constant."""
    pointer = access.pointer
    if pointer is not None and pointer.extents:
        last = pointer.indices[-1]
        if not isinstance(last, Const):
            return None
        column = _Column(last.signed * size_of(pointer.element), access.type)
        return (pointer.indices[:-1], pointer.extents[:-1]), column
    offset = access.offset
    return None if offset is None else (((const_i64(offset // size),), ()), _Column(offset % size, access.type))


def _moved(access: ObjectAccess, splits: Mapping[str, _Split], names: FreshNames) -> tuple[Instruction, Instruction]:
    """The address in the new object, and the access to it."""
    pointer = access.pointer
    base = pointer.base if pointer is not None else access.access.pointer
    assert isinstance(base, Var)
    split = splits[base.name]
    place = _place(access, split.size)
    assert place is not None
    (indices, extents), column = place
    made = names.variable(base.name, PTR)
    span = access.access.span if pointer is None else pointer.span
    address = ElementPointer(made, column.type, split.columns[column].result, indices, extents, span)
    match access.access:
        case Load() as load:
            return address, replace(load, pointer=made)
        case Store() as store:
            return address, replace(store, pointer=made)
