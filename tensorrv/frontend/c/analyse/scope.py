"""Names and what they stand for: C's scopes (C11 6.2.1)."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Final

from rv.ir.source import Span
from tensorrv.frontend.c.failures import Unsupported, refuse
from tensorrv.frontend.c.types.c_types import ArrayC, CType, FunctionC
from tensorrv.report.diagnostics import Diagnostic, Related

GIVEN: Final = "given"
"""The storage class of an object whose address the code of a function is given (`tensorrv.frontend.outline`); C has none such."""


def given_symbol(name: str) -> str:
    """What stands for the linker's name of such an object: no name of C."""
    return f".{name}"


@dataclass(eq=False, slots=True)
class Variable:
    """A variable or parameter. Hidden ones hold array extents (`text` is the expression).

    Variables that stand outside functions have a `symbol`, their name for the linker; `defined`: they do so in this file.
    """

    name: str
    type: CType
    span: Span | None
    text: str = ""
    symbol: str = ""
    defined: bool = False


@dataclass(frozen=True, slots=True)
class Constant:
    """An enumeration constant or a const scalar with static storage: its value is known."""

    name: str
    type: CType
    value: int | float
    span: Span | None


LONGEST_TABLE: Final = 64
"""Elements that a subscript which is not constant may choose from; longer arrays are read from memory."""


@dataclass(frozen=True, slots=True)
class Table:
    """A const array whose elements are known; `values` are those of all dimensions, in memory order."""

    name: str
    type: ArrayC
    values: tuple[int | float, ...]
    span: Span | None


@dataclass(frozen=True, slots=True)
class TypeName:
    """A typedef name."""

    name: str
    type: CType
    span: Span | None


@dataclass(eq=False, slots=True)
class FunctionName:
    """A function that was declared, perhaps defined. `symbol` is what the linker calls it, if that is not its name."""

    name: str
    type: FunctionC
    span: Span | None
    symbol: str = ""


@dataclass(frozen=True, slots=True)
class Unusable:
    """A name whose declaration is valid C outside the subset; `reason` is reported where the name is used."""

    name: str
    reason: Diagnostic
    span: Span | None


Symbol = Variable | Constant | Table | TypeName | FunctionName | Unusable


def usable(tag: CType | Unusable) -> CType:
    """The type of a tag; raises the reason why there is none."""
    if isinstance(tag, Unusable):
        raise Unsupported(tag.reason)
    return tag


@dataclass(slots=True)
class Scope:
    """One block's names, inside its parent's. `tags` are the names after `enum` and `struct`."""

    parent: Scope | None = None
    names: dict[str, Symbol] = field(default_factory=dict)
    tags: dict[str, CType | Unusable] = field(default_factory=dict)

    def find(self, name: str) -> Symbol | None:
        """What `name` stands for here."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.names:
                return scope.names[name]
            scope = scope.parent
        return None

    def find_tag(self, name: str) -> CType | None:
        """The type of `enum name` or `struct name`; Unsupported when its declaration could not be read."""
        scope: Scope | None = self
        while scope is not None:
            if name in scope.tags:
                return usable(scope.tags[name])
            scope = scope.parent
        return None

    def declare(self, symbol: Symbol) -> None:
        """Add a name; refuses a second declaration in the same scope."""
        earlier = self.names.get(symbol.name)
        if earlier is not None:
            related = (Related(earlier.span, "first declared here"),) if earlier.span is not None else ()
            refuse("TRV011", f"'{symbol.name}' is declared twice", symbol.span, "declared again here", related=related)
        self.names[symbol.name] = symbol

    def visible(self) -> set[str]:
        """All names that can be used here."""
        outer = self.parent.visible() if self.parent is not None else set()
        return outer | set(self.names)
