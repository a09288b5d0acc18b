"""Parsing: the tokens of a preprocessed file to pycparser's trees, declaration by declaration.

What stands outside functions is parsed piece by piece: one that has a syntax error is skipped up to its end, which is a `;` or
the brace that closes a function's body, and the others are read all the same. Beyond pycparser's grammar there are labels of
assembly behind declarators, ranges in cases and designators, `a ?: b`, designators as in old gcc, and types as arguments.
"""

from __future__ import annotations

import ast
import re
from itertools import pairwise
from typing import Any, Final, NoReturn

import pycparser
from pycparser import c_ast
from pycparser.c_parser import CParser

from rv.ir.source import Span
from tensorrv.frontend.c.failures import refuse
from tensorrv.frontend.c.foreign_errors import raised_in
from tensorrv.frontend.c.parse.lexer import ASSEMBLY, Lexer
from tensorrv.frontend.c.parse.syntax import CLOSING, OPENING, External, Syntax
from tensorrv.frontend.c.parse.syntax_errors import describe
from tensorrv.frontend.c.preprocess.preprocessor import Preprocessed, macro_note
from tensorrv.report.diagnostics import Diagnostic, Refused

_STRING: Final = re.compile(r'"(?:[^"\\]|\\.)*"')


def parse(source: Preprocessed) -> Syntax:
    """Parse the file; what has a syntax error is among the externals with its diagnostic."""
    parser = _Parser(source)
    parser.parse(source.text, "")
    lexer: Lexer = parser.clex
    return Syntax(parser.externals, lexer.tokens, lexer.attributes, parser.symbols, source)


class _Parser(CParser):  # type: ignore[misc]
    """pycparser's parser with our lexer, and errors that carry the token they stopped at."""

    def __init__(self, source: Preprocessed) -> None:
        super().__init__(lexer=Lexer)
        self.source = source
        self.clex.source = source
        self.numbered = self.clex.tokens
        self.externals: list[External] = []
        self.symbols: dict[int, str] = {}
        """Linker names of declared names, by the number of the declarator's first token."""

    # pieces

    def _parse_translation_unit(self) -> list[Any]:
        while self._peek() is not None:
            self.externals.append(self._external())
        return []

    def _external(self) -> External:
        mark, low = self._mark(), self._peek().lineno
        assembly = self._peek().value in ASSEMBLY
        failure: Diagnostic | None = None
        nodes: list[Any] = []
        try:
            nodes = self._parse_external_declaration()
        except Refused as refusal:
            failure = refusal.diagnostics[0]
        except RecursionError:
            raise
        except Exception as problem:
            if not raised_in(pycparser, problem):
                raise
            failure = self._problem(str(problem) or "invalid syntax")
        name, defines = self._skip(mark) if failure is not None else ("", False)
        following = self._tokens.peek()
        high = following.lineno if following is not None else len(self.numbered)
        return External(nodes, low, high, name, defines, None if assembly else failure)

    def _problem(self, message: str) -> Diagnostic:
        try:
            self.stop(message, None)
        except Refused as refusal:
            return refusal.diagnostics[0]

    def _skip(self, mark: int) -> tuple[str, bool]:
        """Go behind the piece that begins at `mark`; the name that it seems to declare, and whether with a function's body."""
        self._reset(mark)
        del self._scope_stack[1:]
        self._typedef_checked_token = None
        piece: list[Any] = []
        depth, body = 0, False
        while (token := self._tokens.next()) is not None:
            if token.value == "{" and depth == 0:
                body = _opens_body(piece)
            depth += (token.value == "{") - (token.value == "}")  # of parentheses one may be missing
            piece.append(token)
            if depth < 0 or (depth == 0 and (token.value == ";" or (token.value == "}" and body))):
                break
        else:
            piece = piece[: self._without_brace(piece)]
            self._reset(mark + len(piece))
        typedef = piece[0].value == "typedef"
        name = _declared(piece, typedef)
        if typedef and name:
            self._scope_stack[0][name] = True
        return name, body and bool(name)

    def _without_brace(self, piece: list[Any]) -> int:
        """Where a piece that has no end seems to end all the same: before a line that begins like another one."""
        for k, (before, token) in enumerate(pairwise(piece), 1):
            begins = token.type in ("ID", "TYPEID") or token.value.isidentifier()
            if begins and before.value in (";", "}") and self.numbered[token.lineno].span.column == 1:
                return k
        return len(piece)

    # errors

    def _parse_error(self, msg: str, coord: Any) -> NoReturn:
        self.stop(msg, getattr(coord, "line", None))

    def stop(self, message: str, number: int | None) -> NoReturn:
        """Raise the syntax error at token `number`, or where the parser stands."""
        if number is None:
            upcoming = self._tokens._buffer[self._tokens._index :]
            following = next((token for token in upcoming if token is not None), None)
            number = following.lineno if following is not None else None
        if number is None or number >= len(self.numbered):
            refuse(
                "TRV004",
                "the file ends in the middle of a declaration or statement",
                self._end(),
                "after this",
                hint="a '}', ')' or ';' is missing",
            )
        token = self.numbered[number]
        previous = self.numbered[number - 1] if number else None
        if token.text == "}" and len(self._scope_stack) == 1:
            message = "extra brace"
        message = self.clex.complaints.get(number, message)
        title, label, hint = describe(message, token, previous)
        refuse("TRV004", title, token.span, label, hint=hint, related=macro_note(self.source, token.macro))

    def _end(self) -> Span | None:
        return self.numbered[-1].span if self.numbered else None

    # the grammar

    def _is_inferred_auto(self, spec: Any) -> bool:
        return "__auto_type" in spec["storage"] and not spec["type"]

    def _parse_declarator_kind(self, kind: str, allow_paren: bool) -> Any:
        declarator = super()._parse_declarator_kind(kind, allow_paren)
        token = self._peek()
        if token is not None and token.type == "ID" and token.value in ASSEMBLY:
            text = self.clex.assembly.get(token.lineno, "")
            self.symbols[declarator.coord.line] = "".join(ast.literal_eval(part) for part in _STRING.findall(text))
            for _ in range(3):
                self._advance()
        return declarator

    def _parse_constant_expression(self) -> Any:
        value = super()._parse_constant_expression()
        if self._accept("ELLIPSIS"):
            return c_ast.BinaryOp("...", value, super()._parse_constant_expression(), value.coord)
        return value

    def _parse_conditional_expression(self) -> Any:
        test = self._parse_binary_expression()
        if not self._accept("CONDOP"):
            return test
        then = None if self._peek_type() == "COLON" else self._parse_expression()
        self._expect("COLON")
        return c_ast.TernaryOp(test, then, self._parse_conditional_expression(), test.coord)

    def _parse_initializer_item(self) -> Any:
        if self._peek_type() in {"ID", "TYPEID"} and self._peek_type(2) == "COLON":
            member = self._parse_identifier_or_typeid()
            self._advance()
            return c_ast.NamedInitializer([member], self._parse_initializer())
        return super()._parse_initializer_item()

    def _parse_designation(self) -> list[Any]:
        designators: list[Any] = self._parse_designator_list()
        self._accept("EQUALS")
        return designators

    def _parse_argument_expression_list(self) -> Any:
        values = [self._argument()]
        while self._accept("COMMA"):
            values.append(self._argument())
        return c_ast.ExprList(values, values[0].coord)

    def _argument(self) -> Any:
        return self._parse_type_name() if self._starts_declaration() else self._parse_assignment_expression()

    def _parse_primary_expression(self) -> Any:
        value = super()._parse_primary_expression()
        return c_ast.ExprList([value], value.coord) if isinstance(value, c_ast.Compound) else value

    def _parse_unary_expression(self) -> Any:
        if self._peek_type() == "_ALIGNOF" and not (self._peek_type(2) == "LPAREN" and self._starts_declaration(self._peek(3))):
            token = self._advance()
            return c_ast.UnaryOp("_Alignof", self._parse_unary_expression(), self._tok_coord(token))
        return super()._parse_unary_expression()


def _opens_body(before: list[Any]) -> bool:
    """Whether a brace begins the body of a function, not a list of members, constants or initialisers."""
    texts = [token.value for token in before]
    return "=" not in texts and not {"struct", "union", "enum"} & set(texts[-2:])


def _declared(piece: list[Any], typedef: bool) -> str:
    """The name that a piece without structure seems to declare: the last one of a typedef, else the one before `(`, `=`, ..."""
    depth = 0
    last: str = ""
    for token, following in zip(piece, [*piece[1:], None], strict=True):
        depth += (token.value in OPENING) - (token.value in CLOSING)
        if token.type in ("ID", "TYPEID") and (depth == 0 or (depth == 1 and not last)):
            last = token.value
            if depth == 0 and not typedef and following is not None and following.value in ("(", "=", "[", ";", ","):
                return last
    return last
