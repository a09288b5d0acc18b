"""The syntax of a file: pycparser's trees whose coordinates are token numbers.

pycparser reports columns of the preprocessed text, only the start of an expression, and for some errors no place at all.
Here the lexer numbers the tokens and every coordinate carries that number instead of a line, so that `Syntax.span`
recovers the whole extent of a tree in the user's text, and an error without a place gets that of the token it stopped at.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Final

from pycparser import c_ast

from rv.ir.source import Span
from tensorrv.frontend.c.parse.lexer import ATTRIBUTE, Token
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed, macro_note
from tensorrv.report.diagnostics import Diagnostic, Related

LONGEST: Final = 200
"""Tokens that a span reaches at most; expressions of thousands of tokens would take quadratic time."""

OPENING, CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class External:
    """A declaration or definition outside functions: its trees, and its tokens from number `low` to before `high`.

    One that cannot be parsed has no trees, but the reason, the name that it seems to declare, and whether it defines a function.
    """

    nodes: list[Any]
    low: int
    high: int
    name: str
    defines: bool
    failure: Diagnostic | None


def without_attributes(tokens: Sequence[Token]) -> list[Token]:
    """Tokens as input of the parser."""
    found: list[Token] = []
    depth, skipping = 0, False
    for token in tokens:
        if skipping:
            depth += (token.text == "(") - (token.text == ")")
            skipping = depth > 0
        elif token.text in ATTRIBUTE:
            skipping = True
        else:
            found.append(token)
    return found


def tags_in(tokens: Sequence[Token]) -> Iterator[str]:
    """The tags of structs and enumerations that tokens define."""
    for keyword, name, brace in zip(tokens, tokens[1:], tokens[2:], strict=False):
        if keyword.text in ("struct", "union", "enum") and brace.text == "{":
            yield name.text


def enumerators_in(tokens: Sequence[Token]) -> Iterator[str]:
    """The constants of enumerations that tokens define."""
    inside = False
    for before, token in pairwise(tokens):
        if token.text == "{":
            inside = before.text == "enum" or (before.text.isidentifier() and _is_tag_of_enumeration(tokens, before))
        elif token.text == "}":
            inside = False
        elif inside and before.text in ("{", ","):
            yield token.text


def _is_tag_of_enumeration(tokens: Sequence[Token], tag: Token) -> bool:
    return any(before.text == "enum" and token is tag for before, token in pairwise(tokens))


@dataclass(slots=True)
class Syntax:
    """A parsed file: its pieces, the numbered tokens, and the text it came from."""

    externals: list[External]
    tokens: list[Token]
    attributes: list[int]
    """The names in `__attribute__((...))`, which the tree does not show, as numbers of tokens."""
    symbols: dict[int, str]
    """What the linker calls a name that has `__asm__("...")` behind it, by the number of its declarator's first token."""
    source: Preprocessed
    _extents: dict[int, tuple[int, int] | None] = field(default_factory=dict)
    _kept: list[Any] = field(default_factory=list)

    def span(self, node: Any) -> Span | None:
        """Where the user wrote `node`; only its first line when it covers several. A declaration is where its name is."""
        match node:
            case c_ast.Decl() | c_ast.Typedef():
                return self._name_span(node, node.name)
            case c_ast.TypeDecl():
                return self._name_span(node, node.declname)
            case c_ast.Case() | c_ast.Default() | c_ast.Label():
                return self._on_one_line(node.coord.line, node.coord.line)
            case c_ast.For() | c_ast.While() | c_ast.If() | c_ast.Switch():
                return self._on_one_line(node.coord.line, self._closing(node.coord.line + 1))
            case _:
                return self._expression_span(node)

    def _expression_span(self, node: Any) -> Span | None:
        extent = self._balanced(node)
        return None if extent is None else self._on_one_line(*extent)

    def _on_one_line(self, low: int, high: int) -> Span:
        first = self.tokens[low].span
        end = first.column + first.length
        for token in self.tokens[low : high + 1]:
            if token.span.file == first.file and token.span.line == first.line:
                end = max(end, token.span.column + token.span.length)
        return Span(first.file, first.line, first.column, end - first.column)

    def _closing(self, opening: int) -> int:
        """The number of the bracket that closes the one at `opening`."""
        depth = 0
        for number in range(opening, len(self.tokens)):
            text = self.tokens[number].text
            depth += (text in OPENING) - (text in CLOSING)
            if depth == 0:
                return number
        return opening

    def _name_span(self, node: Any, name: str | None) -> Span | None:
        """Where a declaration has the name that it declares."""
        extent = self._extent(node)
        if extent is not None and name is not None:
            for token in self.tokens[extent[0] : extent[1] + 1]:
                if token.text == name:
                    return token.span
        return self._expression_span(node)

    def pragma_span(self, node: Any, start: int, length: int) -> Span | None:
        """Where the user wrote a part of a pragma's text, which is a token of its own or a string literal."""
        quoted = not isinstance(node.string, str)
        token: Token = self.tokens[node.string.coord.line if quoted else node.coord.line]
        begin = token.start + start + quoted
        first, last = self.source.piece_at(begin), self.source.piece_at(begin + max(length, 1) - 1)
        if first is None or last is None:
            return token.span
        column: int = first.span.column + begin - first.start
        end = last.span.column + begin + length - last.start
        return Span(first.span.file, first.span.line, column, max(end - column, 1))

    def notes(self, node: Any) -> tuple[Related, ...]:
        """The macro that `node` came out of, if any."""
        extent = self._extent(node)
        return () if extent is None else macro_note(self.source, self.tokens[extent[0]].macro)

    def _balanced(self, node: Any) -> tuple[int, int] | None:
        extent = self._extent(node)
        if extent is None:
            return None
        low, high = extent[0], min(extent[1], extent[0] + LONGEST)
        if isinstance(node, c_ast.UnaryOp) and node.op in ("p++", "p--"):
            high += 1
        if isinstance(node, c_ast.FuncCall) and node.args is None:
            high += 2
        depth = lowest = 0
        for token in self.tokens[low : high + 1]:
            depth += (token.text in OPENING) - (token.text in CLOSING)
            lowest = min(lowest, depth)
        missing = depth - lowest
        while lowest < 0 and low > 0 and self.tokens[low - 1].text in OPENING:
            low, lowest = low - 1, lowest + 1
        while missing > 0 and high + 1 < len(self.tokens) and self.tokens[high + 1].text in CLOSING | {"*"}:
            high += 1
            missing -= self.tokens[high].text in CLOSING
        return low, min(high, len(self.tokens) - 1)

    def _operator(self, op: str, operand: int) -> int:
        """The number of the operator in front of an operand, which may be in parentheses; the operand's when there is none."""
        before = operand - 1
        while before > 0 and self.tokens[before].text == "(":
            before -= 1
        return before if before >= 0 and self.tokens[before].text == op else operand

    def _extent(self, node: Any) -> tuple[int, int] | None:
        known = self._extents.get(id(node), ...)
        if known is not ...:
            return known
        numbers = [node.coord.line] if node.coord is not None else []
        for _, child in node.children():
            inner = self._extent(child)
            if inner is not None:
                numbers.extend(inner)
        if numbers and isinstance(node, c_ast.UnaryOp):
            numbers.append(self._operator(node.op, min(numbers)))
        result = (min(numbers), max(numbers)) if numbers else None
        self._extents[id(node)] = result
        self._kept.append(node)  # an id is only unique while its node lives
        return result


