"""The first line of a function: its parameters and result with what is promised about them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from rv.ir.source import Span
from rv.ir.types import PTR, Type
from tensorrv.frontend.llvm_ir.failures import give_up
from tensorrv.frontend.llvm_ir.module_text import RawFunction, RawModule, Statement
from tensorrv.frontend.llvm_ir.tokens import Cursor, tokens_of
from tensorrv.frontend.llvm_ir.types import Plain

_HIDDEN: Final = frozenset(("internal", "private"))
_ELSEWHERE: Final = frozenset(("available_externally",))
_REPLACEABLE: Final = frozenset(("weak", "linkonce"))
_IN_MEMORY: Final = frozenset(("byval", "sret", "inalloca", "preallocated", "byref", "swifterror", "swiftself"))


@dataclass(frozen=True, slots=True)
class HeadParameter:
    """A parameter by its name in the IR; `signed` is None where nothing says how a number is read."""

    name: str
    type: Type
    restrict: bool
    const: bool
    signed: bool | None


@dataclass(frozen=True, slots=True)
class Head:
    """`internal`: only seen in the module; `elsewhere`: only to be inlined; `replaceable`: a linker may take another one."""

    parameters: tuple[HeadParameter, ...]
    result: Type
    result_signed: bool | None
    internal: bool
    elsewhere: bool
    replaceable: bool


def read_head(module: RawModule, raw: RawFunction, place: Callable[[Statement], Span | None]) -> Head:
    """The head of a function. Raises Unsupported."""
    tokens = tokens_of(raw.head.text)
    at = next(k for k, token in enumerate(tokens) if token.kind == "global")
    before, cursor = tokens[:at], Cursor(tokens, module.types, at + 1)
    words = frozenset(token.text for token in before)
    start = _type_start(before)
    result = Cursor(before, module.types, start).type()
    span = place(raw.head)
    if not isinstance(result, Plain):
        give_up("TRV058", f"'{raw.name}' is not compiled: it does not return a number", span, "a result of several parts",
                "return it through a pointer")  # fmt: skip
    parameters: list[HeadParameter] = []
    cursor.expect("(")
    while not cursor.accept(")"):
        if parameters:
            cursor.expect(",")
        if cursor.token.text == "...":
            give_up("TRV058", f"'{raw.name}' is not compiled: it takes a variable number of arguments", span, "not one interface")
        parameters.append(_parameter(raw, cursor, span, len(parameters)))
    linkage = (bool(words & kinds) for kinds in (_HIDDEN, _ELSEWHERE, _REPLACEABLE))
    return Head(tuple(parameters), result.type, _signed(words), *linkage)


def is_hidden(raw: RawFunction) -> bool:
    """Whether other files do not see a function."""
    return bool(set(raw.head.text.partition("@")[0].split()) & _HIDDEN)


def _type_start(before: tuple) -> int:  # type: ignore[type-arg]
    """Where the type begins that ends in front of the name."""
    depth = 0
    for k in range(len(before) - 1, -1, -1):
        text = before[k].text
        depth += (text in "]}>)") - (text in "[{<(")
        if depth == 0:
            return k - 1 if text == "{" and k and before[k - 1].text == "<" else k
    return 0


def _parameter(raw: RawFunction, cursor: Cursor, span: Span | None, number: int) -> HeadParameter:
    type_ = cursor.type()
    words: set[str] = set()
    while cursor.token.kind == "word":
        words.add(cursor.take().text)
        if cursor.token.kind == "number":
            cursor.take()
        cursor.skip_nested()
    name = cursor.take().name if cursor.token.kind == "local" else str(number)
    if not isinstance(type_, Plain):
        give_up("TRV058", f"'{raw.name}' is not compiled: its parameter %{name} is not a number or pointer", span,
                "passed in parts", "pass a pointer")  # fmt: skip
    in_memory = words & _IN_MEMORY
    if in_memory:
        give_up("TRV058", f"'{raw.name}' is not compiled: its parameter %{name} is passed as '{min(in_memory)}'", span,
                "a struct in memory", "pass a pointer")  # fmt: skip
    pointer = type_.type == PTR
    const = pointer and bool(words & {"readonly", "readnone"})
    return HeadParameter(name, type_.type, pointer and "noalias" in words, const, _signed(frozenset(words)))


def _signed(words: frozenset[str]) -> bool | None:
    return True if "signext" in words else False if "zeroext" in words else None
