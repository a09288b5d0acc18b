"""What kind of type a declaration has, on pycparser's trees: as much of it as decides how a variable is passed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Literal

from pycparser import c_ast

from tensorrv.frontend.outline.names import Names, nodes_in

Shape = Literal["number", "pointer", "array", "record", "unknown"]


@dataclass(frozen=True, slots=True)
class Shapes:
    """`types` are the types that the file's typedef names stand for, outside functions."""

    types: Mapping[str, Any]

    def of(self, names: Names, type_: Any) -> Shape:
        """The shape of a declarator; unknown for types that are only known inside the function, and those of expressions."""
        for resolved, outside in self._resolved(names, type_):
            match resolved:
                case c_ast.PtrDecl():
                    return "pointer"
                case c_ast.ArrayDecl():
                    return "array"
                case c_ast.Struct(name=name):
                    return "record" if outside or (name is not None and name not in names.tags) else "unknown"
                case c_ast.Enum(name=name):
                    return "number" if outside or (name is not None and name not in names.tags) else "unknown"
                case c_ast.IdentifierType(names=["void"]):
                    return "unknown"
                case c_ast.IdentifierType():
                    return "number"
                case _:
                    pass
        return "unknown"

    def is_local(self, names: Names, type_: Any) -> bool:
        """Whether a declarator mentions types that are declared inside the function."""
        for node in nodes_in(type_):
            match node:
                case c_ast.IdentifierType() if id(node) in names.meaning:
                    return True
                case c_ast.Struct(name=name) | c_ast.Union(name=name) | c_ast.Enum(name=name):
                    if name is None or name in names.tags:
                        return True
                case c_ast.TypeOf() | c_ast.InferredType():
                    return True
                case _:
                    pass
        return False

    def has(self, names: Names, type_: Any, qualifier: str) -> bool:
        """Whether a declarator, or a typedef name in it, has a qualifier anywhere."""
        return any(qualifier in (getattr(node, "quals", None) or []) for node in self._inside(names, type_))

    def _inside(self, names: Names, type_: Any) -> Iterator[Any]:
        for node in nodes_in(type_):
            yield node
            if isinstance(node, c_ast.IdentifierType) and id(node) not in names.meaning and len(node.names) == 1:
                target = self.types.get(node.names[0])
                if target is not None:
                    yield from self._inside(names, target)

    def _resolved(self, names: Names, type_: Any) -> Iterator[tuple[Any, bool]]:
        """The declarator without names of types, and whether it stands outside functions."""
        outside = False
        while type_ is not None:
            match type_:
                case c_ast.TypeDecl(type=inner):
                    type_ = inner
                case c_ast.IdentifierType() if id(type_) in names.meaning:
                    return
                case c_ast.IdentifierType(names=[name]) if name in self.types:
                    type_, outside = self.types[name], True
                case _:
                    yield type_, outside
                    return
