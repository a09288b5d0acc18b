"""String literals (C11 6.4.5): their characters, and the pointer that they stand for."""

from __future__ import annotations

import re
from typing import Any, Final

from tensorrv.frontend.c.analyse.state import Analysis
from tensorrv.frontend.c.tree.nodes import Text
from tensorrv.frontend.c.types.c_types import CHAR, ArrayC, PointerC

_ESCAPE: Final = re.compile(r"\\(x[0-9a-fA-F]+|[0-7]{1,3}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|.)", re.DOTALL)
_SIMPLE: Final = {"n": "\n", "t": "\t", "r": "\r", "a": "\a", "b": "\b", "f": "\f", "v": "\v", "e": "\x1b"}


def string_literal(a: Analysis, node: Any) -> Text:
    """The value of a string literal."""
    if not node.value.startswith('"'):
        a.give_up("TRV042", "wide string literals are not supported", node, "a string of wide characters")
    return text(a, _bytes(node.value[1:-1]), node)


def text(a: Analysis, data: bytes, node: Any) -> Text:
    """A pointer to the first character of `data`, behind which stands a zero."""
    return Text(PointerC(CHAR), data + b"\0", a.span(node))


def text_type(value: Text) -> ArrayC:
    """The type of the array that a string literal is."""
    return ArrayC(CHAR, len(value.data))


def _bytes(body: str) -> bytes:
    found = bytearray()
    position = 0
    for match in _ESCAPE.finditer(body):
        found += body[position : match.start()].encode()
        position = match.end()
        escape = match[1]
        if escape[0] in "uU" and len(escape) > 1:
            found += chr(int(escape[1:], 16)).encode()
        elif escape[0] == "x" and len(escape) > 1:
            found.append(int(escape[1:], 16) & 255)
        elif escape[0].isdigit():
            found.append(int(escape, 8) & 255)
        else:
            found += _SIMPLE.get(escape, escape).encode()
    return bytes(found + body[position:].encode())
