"""What attributes and pragmas of gcc and clang change in the meaning of declarations; what we do not follow must not be ignored.

The lexer drops attributes, most of which affect speed, warnings and linking only. Those that make a declaration mean something
else (another type, another way to be called, code at the end of a scope) cost the declaration. Those that move members of structs
are in many headers: they only forbid to use these structs.
"""

from __future__ import annotations

import bisect
import re
from typing import Final

from pycparser import c_ast

from rv.ir.source import Span
from tensorrv.frontend.c.failures import refuse
from tensorrv.frontend.c.parse.lexer import ATTRIBUTE
from tensorrv.frontend.c.parse.syntax import External, Syntax
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed
from tensorrv.report.diagnostics import Diagnostic

_OTHER_TYPES: Final = {"vector_size", "ext_vector_type", "neon_vector_type", "mode", "address_space", "transparent_union"}
_OTHER_CALLS: Final = {"ms_abi", "regparm", "regcall", "vectorcall", "aarch64_vector_pcs", "preserve_all", "preserve_most"}
_MEANING: Final = _OTHER_TYPES | _OTHER_CALLS | {"cleanup"}
_LAYOUT: Final = {"packed", "aligned", "ms_struct", "scalar_storage_order"}
_PRAGMA: Final = re.compile(
    r'(?:#\s*pragma|_Pragma\s*\(\s*(?:L|u8|u|U)?")\s*(?:GCC\s+|clang\s+)?(\w+)[^\S\n]*(\([^)\n]*\))?'
)
_FURTHEST: Final = 4000
"""Tokens between `enum` and an attribute behind its list."""


def other_meaning(syntax: Syntax, external: External) -> Diagnostic | None:
    """The attribute in a piece of the file that changes what its declarations mean."""
    for number in _attributes(syntax, external):
        token = syntax.tokens[number]
        name = _bare(token.text)
        if name in _MEANING or (name == "packed" and _of_enumeration(syntax, number)):
            message = f"the attribute '{name}' changes the meaning of the declaration, which is not supported"
            hint = "hide declarations that have it, #ifndef __TENSORRV__"
            return Diagnostic("note", "TRV044", message, token.span, "not supported", hint=hint)
    return None


def refuse_macro_changes(source: Preprocessed) -> None:
    """Refuses pragmas that change what a macro means."""
    for match in _PRAGMA.finditer(source.text):
        if match[1] in ("push_macro", "pop_macro"):
            hint = "give the macros different names"
            refuse("TRV002", f"#pragma {match[1]} is not supported", _place(source, match), "changes a macro", hint=hint)


class Layouts:
    """Which pieces of a file may declare structs whose members are not at the ABI's offsets: those with an attribute or inside
    a pragma that moves members, and those that use a type for which such a piece has a name."""

    def __init__(self, syntax: Syntax) -> None:
        self._syntax = syntax
        self._names: set[str] = set()
        self._pragmas = [m for m in _PRAGMA.finditer(syntax.source.text) if m[1] in {*_LAYOUT, "pack"}]

    def changed(self, external: External) -> bool:
        """Whether members may be moved in this piece; pieces are requested in order."""
        tokens = self._syntax.tokens[external.low : external.high]
        words = {_bare(self._syntax.tokens[number].text) for number in _attributes(self._syntax, external)}
        changed = not _LAYOUT.isdisjoint(words) or any(token.text in self._names for token in tokens)
        changed |= self._in_pragma(tokens[0].start, tokens[-1].start)
        if changed:
            self._names |= {node.name for node in external.nodes if isinstance(node, c_ast.Typedef)}
        return changed

    def _in_pragma(self, first: int, last: int) -> bool:
        before = [match for match in self._pragmas if match.start() < last]
        saved: list[bool] = []
        active = False
        for match in before:
            if match.start() > first:
                return True
            words = re.findall(r"\w+", match[2] or "")
            if match[1] != "pack":
                active = True
            elif "pop" in words:
                active = saved.pop() if saved else False
            else:
                if "push" in words:
                    saved.append(active)
                active = bool({word for word in words if word.isdigit()}) or (active and "push" in words)
        return active


def _attributes(syntax: Syntax, external: External) -> list[int]:
    attributes = syntax.attributes
    return attributes[bisect.bisect_left(attributes, external.low) : bisect.bisect_left(attributes, external.high)]


def _bare(name: str) -> str:
    """Attributes may be written with two underscores on both sides."""
    return name[2:-2] if name.startswith("__") and name.endswith("__") and len(name) > 4 else name


def _of_enumeration(syntax: Syntax, number: int) -> bool:
    """Whether an attribute stands behind `enum`, or behind the list of an enumeration's constants."""
    texts = [token.text for token in syntax.tokens[max(0, number - _FURTHEST) : number]]
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


def _place(source: Preprocessed, match: re.Match[str]) -> Span | None:
    piece = source.piece_at(match.start())
    return None if piece is None else piece.span
