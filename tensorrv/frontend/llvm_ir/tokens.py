"""LLVM IR in the form in which LLVM prints it, taken apart: tokens with their columns, and types.

What is read here was printed by LLVM's own parser (`rv.target.llvm.printed_module`), so that there is one spelling of everything.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from tensorrv.frontend.llvm_ir.types import ArrayType, LlvmType, OtherType, StructType, named_type

_TOKEN: Final = re.compile(
    r"""(?P<skip>\s+|;.*)
    | (?P<local>%(?:"[^"]*"|[-\w.$]+))
    | (?P<global>@(?:"[^"]*"|[-\w.$]+))
    | (?P<metadata>!(?:"[^"]*"|[-\w.$\\]+)?)
    | (?P<string>c?"[^"]*")
    | (?P<number>-?\d+(?:\.\d*(?:e[+-]?\d+)?)?(?![\w.])|f?0x[KLMHR]?[0-9A-Fa-f]+)
    | (?P<word>[#$\w.-]+)
    | (?P<sign>.)""",
    re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """`column` counts from 0 in the text that the token is from."""

    kind: str
    text: str
    column: int

    @property
    def name(self) -> str:
        """The name of a local or global, without its mark and quotes."""
        return self.text[1:].strip('"')


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a text."""
    found = ((str(match.lastgroup), match.group(), match.start()) for match in _TOKEN.finditer(text))
    return tuple(Token(*parts) for parts in found if parts[0] != "skip")


def without_attachments(tokens: tuple[Token, ...]) -> tuple[Token, ...]:
    """The tokens of an instruction without the metadata that is attached to it."""
    depth = 0
    for k, token in enumerate(tokens):
        depth += (token.text in ("(", "[")) - (token.text in (")", "]"))
        if not depth and token.text == "," and k + 1 < len(tokens) and tokens[k + 1].kind == "metadata":
            return tokens[:k]
    return tokens


END: Final = Token("end", "", 0)


class Malformed(Exception):
    """The tokens are not what stands here in the LLVM IR that this reader knows."""

    def __init__(self, expected: str, found: Token) -> None:
        super().__init__(f"expected {expected}, found '{found.text or 'the end'}'")


@dataclass(slots=True)
class Cursor:
    """Reads tokens in turn; `named` are the types that have names."""

    tokens: tuple[Token, ...]
    named: Mapping[str, LlvmType] = field(default_factory=dict)
    index: int = 0

    @property
    def token(self) -> Token:
        return self.tokens[self.index] if self.index < len(self.tokens) else END

    def take(self) -> Token:
        found = self.token
        self.index += 1
        return found

    def accept(self, *texts: str) -> bool:
        """Whether the next token is one of these; then it is taken."""
        found = self.token.text in texts and self.token.kind in ("word", "sign")
        self.index += found
        return found

    def expect(self, text: str) -> None:
        if not self.accept(text):
            raise Malformed(f"'{text}'", self.token)

    def take_kind(self, kind: str) -> Token:
        if self.token.kind != kind:
            raise Malformed(f"a {kind}", self.token)
        return self.take()

    def integer(self) -> int:
        return int(self.take_kind("number").text)

    def words(self, known: frozenset[str]) -> frozenset[str]:
        """The flags that stand here."""
        found = set[str]()
        while self.token.kind == "word" and self.token.text in known:
            found.add(self.take().text)
        return frozenset(found)

    def skip_nested(self) -> None:
        """What stands in parentheses, if anything does."""
        if not self.accept("("):
            return
        depth = 1
        while depth and self.token is not END:
            text = self.take().text
            depth += (text == "(") - (text == ")")

    def type(self) -> LlvmType:
        """A type."""
        token = self.take()
        match token.kind, token.text:
            case "local", _:
                return self.named.get(token.name, OtherType(token.text))
            case "sign", "[":
                count = self.integer()
                self.expect("x")
                element = self.type()
                self.expect("]")
                return ArrayType(count, element)
            case "sign", "{":
                return StructType(self._fields("}"))
            case "sign", "<":
                return self._angular(token)
            case "word", "ptr" if self.token.text == "addrspace":
                self.take()
                self.skip_nested()
                return OtherType("ptr addrspace")
            case "word", word:
                return named_type(word)
            case _:
                raise Malformed("a type", token)

    def _fields(self, closing: str) -> tuple[LlvmType, ...]:
        fields: list[LlvmType] = []
        while not self.accept(closing):
            if fields:
                self.expect(",")
            fields.append(self.type())
        return tuple(fields)

    def _angular(self, first: Token) -> LlvmType:
        """A packed struct or a vector."""
        if self.accept("{"):
            fields = self._fields("}")
            self.expect(">")
            return StructType(fields, packed=True)
        start = self.index
        while self.token is not END and not self.accept(">"):
            self.take()
        inside = " ".join(token.text for token in self.tokens[start : self.index - 1])
        return OtherType(f"{first.text}{inside}>")
