"""Where statements begin and end in the text of a file."""

from __future__ import annotations

from typing import Any

from tensorrv.frontend.c.parse.syntax import CLOSING, OPENING, Syntax


def loop_extent(syntax: Syntax, node: Any) -> tuple[int, int]:
    """The offsets of a loop's first character and of the one behind its last."""
    low = node.coord.line
    last = syntax.tokens[_Scan(syntax).statement(low) - 1]
    return syntax.tokens[low].start, last.start + len(last.text)


def pragma_line(syntax: Syntax, pragma: Any) -> tuple[int, str, int]:
    """The offset where the line of a pragma begins, its file and its number."""
    token = syntax.tokens[pragma.coord.line]
    return syntax.source.text.rfind("\n", 0, token.start) + 1, token.span.file, token.span.line


class _Scan:
    """Walks over tokens; every method takes the number of a token and gives that behind what it walks over."""

    def __init__(self, syntax: Syntax) -> None:
        self.tokens, self.text = syntax.tokens, syntax.source.text

    def statement(self, at: int) -> int:
        at = self._pragmas(at)
        match self.tokens[at].text:
            case "{":
                return self._brackets(at)
            case "for" | "while" | "switch":
                return self.statement(self._brackets(at + 1))
            case "if":
                at = self.statement(self._brackets(at + 1))
                follows = self._pragmas(at) if at < len(self.tokens) else at
                return self.statement(follows + 1) if follows < len(self.tokens) and self._is(follows, "else") else at
            case "do":
                at = self._pragmas(self.statement(at + 1))
                return self._brackets(at + 1) + 1
            case "case":
                while not self._is(at, ":"):
                    at += 1
                return self.statement(at + 1)
            case "default":
                return self.statement(at + 2)
            case name if name.isidentifier() and self._is(at + 1, ":"):
                return self.statement(at + 2)
            case _:
                return self._simple(at)

    def _simple(self, at: int) -> int:
        """An expression, a jump or a declaration, with its semicolon."""
        depth = 0
        while not (depth == 0 and self._is(at, ";")):
            depth += (self.tokens[at].text in OPENING) - (self.tokens[at].text in CLOSING)
            at += 1
        return at + 1

    def _brackets(self, at: int) -> int:
        depth = 0
        while True:
            depth += (self.tokens[at].text in OPENING) - (self.tokens[at].text in CLOSING)
            at += 1
            if depth == 0:
                return at

    def _pragmas(self, at: int) -> int:
        """Behind pragmas, which are two tokens, or one where nothing follows on their line."""
        while at < len(self.tokens) and self.text[self.tokens[at].start] == "#":
            line_end = self.text.find("\n", self.tokens[at].start)
            at += 1
            while at < len(self.tokens) and self.tokens[at].start < line_end:
                at += 1
        return at

    def _is(self, at: int, text: str) -> bool:
        return self.tokens[at].text == text
