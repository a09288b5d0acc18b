"""Preprocessed text to C tokens with numbers and source positions.

pycparser's lexer, with what gcc and clang add to C: other spellings of keywords, attributes and assembly. Attributes vanish
from the tokens that the parser gets, and inline assembly becomes a call of `__asm__` without operands; what was in them is kept.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from pycparser.c_lexer import CLexer

from rv.ir.source import Span
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed

ASSEMBLY: Final = frozenset({"asm", "__asm__", "__asm"})
ATTRIBUTE: Final = frozenset({"__attribute__", "__attribute"})

_KEYWORDS: Final = {
    "restrict": "__restrict __restrict__",
    "inline": "__inline __inline__",
    "const": "__const __const__",
    "volatile": "__volatile __volatile__",
    "signed": "__signed __signed__",
    "_Complex": "__complex __complex__",
    "_Alignof": "__alignof __alignof__",
    "_Thread_local": "__thread",
    "offsetof": "__builtin_offsetof",
}
_SPELLINGS: Final = {other: keyword for keyword, others in _KEYWORDS.items() for other in others.split()}
_FLOATING: Final = "_Float16 _Float32 _Float64 _Float128 _Float32x _Float64x __float128 __float80 __bf16 __builtin_va_list"
"""Names of types that are keywords: to the grammar they are like `double`."""


@dataclass(frozen=True, slots=True)
class Token:
    """A C token with its place in the user's text."""

    text: str
    span: Span
    macro: str | None
    start: int
    """Where it begins in the preprocessed text."""


class Lexer(CLexer):  # type: ignore[misc]
    """Numbers tokens. What is no token becomes one of a kind that no rule takes; `complaints` describe the error."""

    def __init__(self, error_func: Any, *, dialect: Any = "legacy") -> None:
        super().__init__(error_func, dialect=dialect)
        self.source = Preprocessed("", (), {}, {})
        self.tokens: list[Token] = []
        self.attributes: list[int] = []
        self.assembly: dict[int, str] = {}
        """What stands between the parentheses of assembly, by the number of its keyword."""
        self.complaints: dict[int, str] = {}
        self.skipping = False
        self.queue: list[Any] = []
        """Tokens that were read ahead."""
        keywords: dict[str, str] = self._keyword_map
        keywords.update((other, keywords[keyword]) for other, keyword in _SPELLINGS.items())
        keywords.update((name, "DOUBLE") for name in _FLOATING.split())
        keywords.update((name, "TYPEOF") for name in ("typeof", "__typeof", "__typeof__"))
        keywords["__auto_type"] = "AUTO"

    def _make_token(self, tok_type: str, value: str, pos: int) -> Any:
        token = super()._make_token(tok_type, _SPELLINGS.get(value, value), pos)
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
        self.complaints[len(self.tokens)] = msg
        self._bad = self._make_token("ERROR", self._lexdata[pos : pos + 1], pos)

    def _match_token(self) -> Any:
        return super()._match_token() or self._bad

    def token(self) -> Any:
        token = self.queue.pop(0) if self.queue else super().token()
        if token is None or self.skipping or token.type != "ID":
            return token
        if token.value == "__extension__":
            return self.token()
        if token.value not in ASSEMBLY | ATTRIBUTE:
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
        """Drop what stands between the parentheses of inline assembly, but not themselves."""
        depth = 0
        while (token := super().token()) is not None:
            depth += (token.value == "(") - (token.value == ")")
            if not self.queue and depth:
                self.queue.append(token)
            if depth == 0 and token.value == ")":
                break
        else:
            return
        first = self.tokens[self.queue[0].lineno].start + 1 if self.queue else self._pos - 1
        self.assembly[keyword.lineno] = self._lexdata[first : self._pos - 1]
        self.queue.append(token)


def tokens_of(source: Preprocessed) -> list[Token]:
    """The tokens of a text, whether it can be parsed or not; what is no token is passed over."""
    lexer = Lexer(None)
    lexer.source = source
    lexer.input(source.text)
    while lexer.token() is not None:
        pass
    return [token for number, token in enumerate(lexer.tokens) if number not in lexer.complaints]
