"""Parsing: preprocessed text to a pycparser syntax tree whose coordinates are token numbers.

pycparser reports columns of the preprocessed text, only the start of an expression, and for some errors no place at all.
Here the lexer numbers the tokens and every coordinate carries that number instead of a line, so that `Syntax.span`
recovers the whole extent of a tree in the user's text, and an error without a place gets that of the token it stopped at.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, NoReturn

from pycparser import c_ast
from pycparser.c_lexer import CLexer
from pycparser.c_parser import CParser

from rv.ir.source import Span
from tensorrv.diagnostics import Related
from tensorrv.frontend.failures import refuse
from tensorrv.frontend.preprocess import Preprocessed, macro_note

ASSEMBLY = frozenset({"asm", "__asm__", "__asm"})
ATTRIBUTE: Final = frozenset({"__attribute__", "__attribute"})
LONGEST: Final = 200
"""Tokens that a span reaches at most; expressions of thousands of tokens would take quadratic time."""

_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")


@dataclass(frozen=True, slots=True)
class Token:
    """A C token with its place in the user's text."""

    text: str
    span: Span
    macro: str | None
    start: int
    """Where it begins in the preprocessed text."""


@dataclass(slots=True)
class Syntax:
    """A parsed file: the tree, the numbered tokens, and the text it came from."""

    tree: Any
    tokens: list[Token]
    attributes: list[int]
    """The names in `__attribute__((...))`, which the tree does not show, as numbers of tokens."""
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
            depth += (text in _OPENING) - (text in _CLOSING)
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
            depth += (token.text in _OPENING) - (token.text in _CLOSING)
            lowest = min(lowest, depth)
        missing = depth - lowest
        while lowest < 0 and low > 0 and self.tokens[low - 1].text in _OPENING:
            low, lowest = low - 1, lowest + 1
        while missing > 0 and high + 1 < len(self.tokens) and self.tokens[high + 1].text in _CLOSING | {"*"}:
            high += 1
            missing -= self.tokens[high].text in _CLOSING
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


def parse(source: Preprocessed) -> Syntax:
    """Parse the file; raises Refused with one syntax error."""
    tokens: list[Token] = []
    parser = _Parser(source, tokens)
    try:
        tree = parser.parse(source.text, "")
    except (AssertionError, ValueError, AttributeError, IndexError, TypeError, KeyError) as problem:
        parser.stop(str(problem) or "invalid syntax", None)
    return Syntax(tree, tokens, parser.clex.attributes, source)


def tokens_of(source: Preprocessed) -> list[Token]:
    """The tokens of a text, whether it can be parsed or not; what is no token is passed over."""
    tokens: list[Token] = []
    lexer = _Lexer(lambda message, line, column: None)
    lexer.source, lexer.tokens, lexer.attributes = source, tokens, []
    lexer.input(source.text)
    while lexer.token() is not None:
        pass
    return tokens


class _Lexer(CLexer):  # type: ignore[misc]
    """pycparser's lexer, numbering tokens; inline assembly becomes a call of `__asm__` without operands, attributes vanish."""

    source: Preprocessed
    tokens: list[Token]
    attributes: list[int]
    skipping = False

    def _make_token(self, tok_type: str, value: str, pos: int) -> Any:
        token = super()._make_token(tok_type, value, pos)
        piece = self.source.piece_at(pos)
        if piece is None:
            span, macro = Span("", 1, 1, len(value)), None
        elif piece.macro is not None and piece.span.length != len(value):
            span, macro = piece.span, piece.macro
        else:
            base = piece.span
            span, macro = Span(base.file, base.line, base.column + pos - piece.start, len(value)), piece.macro
        token.lineno = len(self.tokens)
        token.column = 0
        self.tokens.append(Token(value, span, macro, pos))
        return token

    def _error(self, msg: str, pos: int) -> None:
        self._make_token("ERROR", self._lexdata[pos : pos + 1], pos)
        self.error_func(msg, len(self.tokens) - 1, 0)

    def token(self) -> Any:
        token = super().token()
        if token is None or self.skipping or token.type != "ID" or token.value not in ASSEMBLY | ATTRIBUTE:
            return token
        self.skipping = True
        if token.value in ATTRIBUTE:
            self._skip_attribute()
        else:
            self._skip_operands(token)
        self.skipping = False
        return self.token() if token.value in ATTRIBUTE else token

    def _skip_attribute(self) -> None:
        """Drop two pairs of parentheses and what is in them; names between the two are attributes, further in arguments."""
        depth = 0
        while (token := super().token()) is not None:
            depth += (token.value == "(") - (token.value == ")")
            if depth == 0:
                break
            if depth == 2 and token.value.isidentifier():
                self.attributes.append(token.lineno)

    def _skip_operands(self, keyword: Any) -> None:
        """Drop what stands between the parentheses of inline assembly; put back an empty pair."""
        depth = 0
        while (token := super().token()) is not None:
            depth += (token.value == "(") - (token.value == ")")
            if depth == 0 and token.value == ")":
                break
        else:
            return
        text: str = self._lexdata
        self._lexdata: str = text[: self._pos - 1] + "()" + text[self._pos :]
        self._pos -= 1


class _Parser(CParser):  # type: ignore[misc]
    """pycparser's parser with our lexer, and errors that carry the token they stopped at."""

    def __init__(self, source: Preprocessed, tokens: list[Token]) -> None:
        self.source, self.numbered = source, tokens
        super().__init__(lexer=_Lexer)
        self.clex.source, self.clex.tokens, self.clex.attributes = source, tokens, []

    def _parse_error(self, msg: str, coord: Any) -> NoReturn:
        self.stop(msg, getattr(coord, "line", None))

    def stop(self, message: str, number: int | None) -> NoReturn:
        """Raise the syntax error at token `number`, or where the parser stands."""
        if number is None:
            upcoming = self._tokens._buffer[self._tokens._index :] if hasattr(self, "_tokens") else []
            following = next((token for token in upcoming if token is not None), None)
            number = following.lineno if following is not None else None
        if number is None or number >= len(self.numbered):
            span = self._end()
            refuse(
                "TRV004",
                "the file ends in the middle of a declaration or statement",
                span,
                "after this",
                hint="a '}', ')' or ';' is missing",
            )
        token = self.numbered[number]
        previous = self.numbered[number - 1] if number else None
        texts = [earlier.text for earlier in self.numbered[: number + 1]]
        if token.text == "}" and texts.count("}") > texts.count("{"):
            message = "extra brace"
        title, label, hint = _describe(message, token, previous)
        refuse("TRV004", title, token.span, label, hint=hint, related=macro_note(self.source, token.macro))

    def _end(self) -> Span | None:
        return self.numbered[-1].span if self.numbered else None


def _describe(message: str, token: Token, previous: Token | None) -> tuple[str, str, str]:
    """Title, label and hint of a syntax error."""
    named = token.text.isidentifier() or token.text == "*"
    known = named and previous is not None and previous.text.isidentifier()
    match message.split(":")[0]:
        case "before" if known:
            return (
                f"syntax error before '{token.text}'",
                "unexpected here",
                (f"is '{previous.text if previous else ''}' a type that is not declared? Include its header or add a typedef"),
            )
        case "before":
            after = f" after '{previous.text}'" if previous is not None else ""
            return (
                f"syntax error before '{token.text}'",
                f"unexpected{after}",
                "look for a missing ';', operator or bracket just before",
            )
        case "extra brace":
            return "there is one '}' too many", "closes nothing", ""
        case "Invalid function definition":
            return f"'{token.text}' is not a type", "an unknown type", "include the header that declares it, or add a typedef"
        case "Invalid expression":
            return f"expected an expression before '{token.text}'", "an expression is missing here", ""
        case "Invalid declarator" | "Invalid declaration" | "Missing type in declaration":
            return (
                f"invalid declaration at '{token.text}'",
                "not a valid declaration",
                "check that every type is declared before its use",
            )
        case "Comments are not supported, see https":
            return "this comment has no end", "begins here", "close it with */"
        case other:
            return f"syntax error: {other[:1].lower()}{other[1:]}" + message[len(other) :], "here", ""
