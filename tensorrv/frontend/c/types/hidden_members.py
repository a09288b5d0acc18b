"""Members of structs that cannot be accessed, but whose room is known: bit-fields, unions, volatile members, `long double`.

The other members of such a struct have the ABI's offsets; the struct cannot be copied as a whole.
"""

from __future__ import annotations

from typing import Any, Final

from pycparser import c_ast

from tensorrv.frontend.c.analyse.scope import TypeName
from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.failures import Unsupported
from tensorrv.frontend.c.types import declarations
from tensorrv.frontend.c.types.c_types import SPECIFIERS, IntegerC, alignment_of, size_of_type

Room = tuple[int, int]
"""Size and alignment in bytes."""
_SIXTEEN: Final = frozenset({("double", "long"), ("__int128",), ("__int128", "unsigned"), ("__int128", "signed")})


def bits_end(a: Analysis, decl: Any, end: int) -> tuple[int, int] | None:
    """Where a named bit-field behind bit `end` ends, and the alignment of its type; None when that differs among machines."""
    width = declarations.constant_integer(a, decl.bitsize)
    type_ = declarations.type_of(a, decl.type)
    if decl.name is None or width == 0 or not isinstance(type_, IntegerC):
        return None
    unit = type_.bits
    start = end if end % unit + width <= unit else -(-end // unit) * unit
    return start + width, unit // 8


def room_of(a: Analysis, node: Any) -> Room | None:
    """The room that a member takes whose type is outside the subset; None when it is not known."""
    match node:
        case c_ast.Decl(bitsize=None, type=inner) | c_ast.TypeDecl(type=inner):
            return room_of(a, inner)
        case c_ast.PtrDecl():
            return 8, 8
        case c_ast.ArrayDecl(type=inner, dim=dim) if dim is not None:
            room = room_of(a, inner)
            return None if room is None else (room[0] * declarations.constant_integer(a, dim), room[1])
        case c_ast.Union(decls=decls) if decls:
            rooms = [room_of(a, decl) for decl in decls if isinstance(decl, c_ast.Decl)]
            found = [room for room in rooms if room is not None]
            if len(found) < len(rooms):
                return None
            alignment = max(room[1] for room in found)
            return -(-max(room[0] for room in found) // alignment) * alignment, alignment
        case c_ast.IdentifierType(names=names):
            return _named(a, names)
        case c_ast.Struct() | c_ast.Enum():
            return _known(a, node)
        case _:
            return None


def _named(a: Analysis, names: list[str]) -> Room | None:
    words = tuple(sorted(names))
    if words in _SIXTEEN:
        return 16, 16
    symbol = a.scope.find(names[0]) if len(names) == 1 else None
    type_ = SPECIFIERS.get(words) or (symbol.type if isinstance(symbol, TypeName) else None)
    size = None if type_ is None else size_of_type(type_)
    return None if type_ is None or size is None else (size, alignment_of(type_))


def _known(a: Analysis, node: Any) -> Room | None:
    try:
        type_ = declarations.type_of(a, node)
    except Unsupported:
        return None
    size = size_of_type(type_)
    return None if size is None else (size, alignment_of(type_))


def names_in(decl: Any) -> list[str]:
    """The names that become unusable: that of the member, or those in a union without one."""
    if decl.name is not None:
        return [decl.name]
    inner = decl.type.type if isinstance(decl.type, c_ast.TypeDecl) else decl.type
    return [name for member in getattr(inner, "decls", None) or () if isinstance(member, c_ast.Decl) for name in names_in(member)]
