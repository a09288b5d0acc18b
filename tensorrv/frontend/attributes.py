"""What attributes and pragmas of gcc and clang change in the meaning of declarations; what we do not follow must not be ignored.

The lexer drops attributes, most of which are about speed, warnings and linking. Those that make a declaration mean something
else (another type, another way to be called, code at the end of a scope) refuse the file. Those that move members of structs
are in many headers: they only forbid to use structs.
"""

from __future__ import annotations

import re
from typing import Final

from rv.ir.source import Span
from tensorrv.frontend.failures import refuse
from tensorrv.frontend.parse import ATTRIBUTE, Syntax

_OTHER_TYPES: Final = {"vector_size", "ext_vector_type", "neon_vector_type", "mode", "address_space", "transparent_union"}
_OTHER_CALLS: Final = {"ms_abi", "regparm", "regcall", "vectorcall", "aarch64_vector_pcs", "preserve_all", "preserve_most"}
_MEANING: Final = _OTHER_TYPES | _OTHER_CALLS | {"cleanup"}
_LAYOUT: Final = {"packed", "aligned", "ms_struct", "scalar_storage_order"}
_PRAGMA: Final = re.compile(r'(?:#\s*pragma|_Pragma\s*\(\s*(?:L|u8|u|U)?")\s*(?:GCC\s+|clang\s+)?(\w+)')


def refuse_other_meanings(syntax: Syntax) -> None:
    """Refuses attributes that change what a declaration means, and pragmas that change what a macro means."""
    for number in syntax.attributes:
        token = syntax.tokens[number]
        name = _bare(token.text)
        if name in _MEANING or (name == "packed" and _of_enumeration(syntax, number)):
            message = f"the attribute '{name}' changes what the declaration means, which is not supported"
            hint = "hide declarations that have it, #ifndef __TENSORRV__"
            refuse("TRV044", message, token.span, "not supported", hint=hint)
    for match in _PRAGMA.finditer(syntax.source.text):
        if match[1] in ("push_macro", "pop_macro"):
            hint = "give the macros different names"
            refuse("TRV002", f"#pragma {match[1]} is not supported", _place(syntax, match), "changes a macro", hint=hint)


def changes_layout(syntax: Syntax) -> bool:
    """Whether something in the file may move members of structs."""
    attributes = {_bare(syntax.tokens[number].text) for number in syntax.attributes}
    pragmas = {match[1] for match in _PRAGMA.finditer(syntax.source.text)}
    return not _LAYOUT.isdisjoint(attributes) or not {*_LAYOUT, "pack"}.isdisjoint(pragmas)


def _bare(name: str) -> str:
    """Attributes may be written with two underscores on both sides."""
    return name[2:-2] if name.startswith("__") and name.endswith("__") and len(name) > 4 else name


def _of_enumeration(syntax: Syntax, number: int) -> bool:
    """Whether an attribute stands behind `enum`, or behind the list of an enumeration's constants."""
    texts = [token.text for token in syntax.tokens[:number]]
    while texts and texts.pop() not in ATTRIBUTE:
        pass
    if texts[-1:] == ["}"]:
        depth = 0
        while texts and (depth or texts[-1] == "}"):
            text = texts.pop()
            depth += (text == "}") - (text == "{")
        if texts[-1:] != ["enum"]:
            texts[-1:] = []
    return texts[-1:] == ["enum"]


def _place(syntax: Syntax, match: re.Match[str]) -> Span | None:
    piece = syntax.source.piece_at(match.start())
    return None if piece is None else piece.span
