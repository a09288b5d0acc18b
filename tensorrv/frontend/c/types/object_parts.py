"""The scalars that structs and arrays consist of."""

from __future__ import annotations

from collections.abc import Iterator

from tensorrv.frontend.c.types.c_types import ArrayC, CType, Member, StructC, is_const, size_of_type


def scalars(type_: CType, offset: int = 0) -> Iterator[Member]:
    """The scalars that an object consists of, by ascending offset, with names like `v[2].x`."""
    yield from _scalars(type_, offset, "")


def _scalars(type_: CType, offset: int, name: str) -> Iterator[Member]:
    match type_:
        case StructC(record):
            for member in record.members or ():
                inner = f"{name}.{member.name}" if name and member.name else name or member.name
                yield from _scalars(member.type, offset + member.offset, inner)
        case ArrayC(element, int() as extent):
            size = size_of_type(element) or 0
            for k in range(extent):
                yield from _scalars(element, offset + k * size, f"{name}[{k}]")
        case _:
            yield Member(name, type_, offset)


def has_const(type_: CType) -> bool:
    """Whether an object has a const part, so that it cannot be assigned to as a whole."""
    return is_const(type_) or any(is_const(member.type) for member in scalars(type_))


def has_hidden(type_: CType) -> bool:
    """Whether an object has members that cannot be accessed."""
    match type_:
        case StructC(record):
            return bool(record.hidden) or any(has_hidden(member.type) for member in record.members or ())
        case ArrayC(element):
            return has_hidden(element)
        case _:
            return False
